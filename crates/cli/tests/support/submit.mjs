// Submits an app through the form of a running site, watches its job, and says as JSON what it saw.
// node submit.mjs INSTRUMENTS BASE TOKEN APP ZIP
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, base, token, app, zip] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const axe = readFileSync(`${instruments}/node_modules/axe-core/axe.min.js`, 'utf8');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
const told = { violations: [], errors: [] };
page.on('console', (line) => line.type() === 'error' && told.errors.push(line.text()));
page.on('pageerror', (error) => told.errors.push(String(error)));

const look = async () => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  told.violations.push(...violations.map((violation) => `${violation.id}: ${violation.nodes[0].html}`));
};

await page.goto(`${base}/submit`);
await page.getByLabel('Token', { exact: true }).fill('wrong');
await page.getByLabel('Address of the app').fill(app);
await page.getByText('How it was built').click();
await page.getByLabel('Tool that built it').fill('kiln');
await page.getByLabel('Source as a ZIP').setInputFiles(zip);
await page.getByRole('button', { name: 'Submit' }).click();
await page.getByRole('alert').waitFor();
told.wrong = { alert: await page.getByRole('alert').textContent(), kept: await page.getByLabel('Address of the app').inputValue() };
await look();
// The browser itself notes the refused request.
told.errors = told.errors.filter((text) => !text.includes('401'));
await page.getByLabel('Token', { exact: true }).fill(token);
await page.getByRole('button', { name: 'Submit' }).click();
await page.waitForURL(/\/jobs\//);
await look();
await page.locator('[data-lanes] dt', { hasText: 'page' }).waitFor({ timeout: 60_000 });
told.lanes = await page.locator('[data-lanes] dt').allTextContents();
await page.getByRole('link', { name: 'Read the report' }).waitFor({ timeout: 120_000 });
await look();
told.run = await page.getByRole('link', { name: 'Read the report' }).getAttribute('href');
await browser.close();
console.log(JSON.stringify(told));
