// Resolves Playwright expressions with playwright-core itself. Reads one JSON object from standard input,
// { playwright, chromium, url, stamp, expressions: [] }, and writes the numbers of the elements each expression finds.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const { playwright, chromium, url, stamp, expressions } = JSON.parse(await text(process.stdin));
const { chromium: driver } = createRequire(import.meta.url)(playwright);
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
const browser = await driver.launch({ executablePath: chromium, args });
const page = await browser.newPage();
await page.goto(url);
for (const frame of page.frames()) await frame.evaluate(`(${stamp})()`);
const names = ['getByRole', 'getByText', 'getByLabel', 'getByPlaceholder', 'getByAltText', 'getByTitle', 'getByTestId', 'locator', 'frameLocator'];
const scope = names.map((name) => page[name].bind(page));
const found = [];
for (const expression of expressions) {
  const locator = new Function('page', ...names, `return ${expression}`)(page, ...scope);
  found.push(await locator.evaluateAll((elements) => elements.map((element) => element.dataset.n)));
}
await browser.close();
process.stdout.write(JSON.stringify(found));
