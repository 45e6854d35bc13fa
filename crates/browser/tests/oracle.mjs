// Resolves selectors with playwright-core itself. Reads one JSON object from standard input:
// { playwright, chromium, jobs: [{ url, selectors: [] }] }, and writes one list of answers per job.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const { playwright, chromium, stamp, jobs } = JSON.parse(await text(process.stdin));
const { chromium: driver } = createRequire(import.meta.url)(playwright);
const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
const answers = [];
for (const { url, selectors } of jobs) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(`(${stamp})()`);
  const found = [];
  for (const selector of selectors)
    found.push(await page.locator(selector).evaluateAll(elements => elements.map(element => element.dataset.n)));
  const snapshot = await page.ariaSnapshot({ mode: 'ai' });
  answers.push({ found, snapshot });
  await page.close();
}
await browser.close();
process.stdout.write(JSON.stringify(answers));
