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
// The browser itself notes requests that were refused on purpose.
page.on('console', (line) => line.type() === 'error' && !/status of 4\d\d/.test(line.text()) && told.errors.push(line.text()));
page.on('pageerror', (error) => told.errors.push(String(error)));

const look = async () => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  told.violations.push(...violations.map((violation) => `${violation.id}: ${violation.nodes[0].html}`));
};

/** Drags a file over the field and lets go of it. */
const drop = async (name, bytes) => {
  const data = await page.evaluateHandle(([name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name));
    return data;
  }, [name, [...bytes]]);
  const place = page.locator('[data-drop]');
  await place.dispatchEvent('dragover', { dataTransfer: data });
  const isMarked = await place.evaluate((element) => element.classList.contains('dropping'));
  await place.dispatchEvent('drop', { dataTransfer: data });
  const names = await page.getByLabel('Source as a ZIP').evaluate((field) => [...field.files].map((file) => file.name));
  return { isMarked, names };
};

/** Submits, and says why it was refused. */
const refused = async () => {
  await page.getByRole('button', { name: 'Submit' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  const text = await alert.textContent();
  await look();
  return { alert: text, kept: await page.getByLabel('Address of the app').inputValue() };
};

await page.goto(`${base}/submit`);
await page.getByLabel('Token', { exact: true }).fill('wrong');
await page.getByLabel('Address of the app').fill(app);
await page.getByText('How it was built').click();
await page.getByLabel('Tool that built it').fill('kiln');
await drop('notes.txt', Buffer.from('no archive'));
told.wrongToken = await refused();
await page.getByLabel('Token', { exact: true }).fill(token);
await page.getByRole('alert').evaluate((alert) => alert.remove());
told.wrongFile = await refused();
// A ZIP that is too large is not even sent.
let sent = 0;
page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0));
await page.getByLabel('Source as a ZIP').evaluate((field) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(33 * 1024 * 1024)], 'large.zip'));
  field.files = data.files;
});
await page.getByRole('alert').evaluate((alert) => alert.remove());
told.tooLarge = { ...(await refused()), sent };
told.dropped = await drop('app.zip', readFileSync(zip));
// How far the upload is, seen until the page is left.
await page.evaluate(() => {
  const bar = document.querySelector('progress');
  new MutationObserver(() => sessionStorage.setItem('progress', bar.hidden ? 'hidden' : bar.value)).observe(bar, { attributes: true });
});
// Both clicks happen before anything can be answered.
await page.getByRole('button', { name: 'Submit' }).evaluate((button) => {
  button.click();
  button.click();
});
await page.waitForURL(/\/jobs\//);
told.sent = sent;
told.progress = await page.evaluate(() => sessionStorage.getItem('progress'));
await look();
await page.locator('[data-lanes] dt', { hasText: 'page' }).waitFor({ timeout: 60_000 });
told.lanes = await page.locator('[data-lanes] dt').allTextContents();
await page.getByRole('link', { name: 'Read the report' }).waitFor({ timeout: 120_000 });
await look();
told.run = await page.getByRole('link', { name: 'Read the report' }).getAttribute('href');
await browser.close();
console.log(JSON.stringify(told));
