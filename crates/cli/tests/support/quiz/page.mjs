// What the browser tests of the quiz page have in common: a real Chromium, the page, and ways to look at it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, base] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const axe = readFileSync(`${instruments}/node_modules/axe-core/axe.min.js`, 'utf8');

/** A machine may be nine times slower than usual; one that gets nowhere at all is ended by the test around this. */
export const PATIENCE = 900_000;
export { base };

export async function openBrowser(args = []) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const said = [];
  page.on('console', (line) => line.type() === 'error' && said.push(line.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  return { browser, context, page, said };
}

export async function openQuiz(page, query = '') {
  await page.goto(`${base}/quiz${query}`);
  await page.locator('#quiz .quiz-start').waitFor();
}

/** Chooses three drawn questions and starts. */
export async function start(page) {
  await page.locator('label:has(input[name="questions"][value="quick-3"])').click();
  await page.locator('.quiz-start').click();
}

/** Keeps every text that a visitor sees an answer grow by. It is looked at from inside: from here one would come too late. */
export async function watchStream(page) {
  await page.evaluate(() => {
    globalThis.__streamed = [];
    new MutationObserver(() => {
      const text = document.querySelector('.quiz-raw.streaming')?.textContent ?? '';
      if (text !== '' && globalThis.__streamed.at(-1) !== text) globalThis.__streamed.push(text);
    }).observe(document.getElementById('quiz'), { subtree: true, childList: true, characterData: true });
  });
}

export const streamed = (page) => page.evaluate(() => globalThis.__streamed);

/** Violations of axe, and how much wider than a phone the page is. */
export async function problems(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const found = violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html.slice(0, 200)}`);
  await page.setViewportSize({ width: 360, height: 800 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > 360) found.push(`${where}: ${width} px wide on a phone of 360`);
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

/** The runs that this browser keeps, newest first. */
export function records(page) {
  return page.evaluate(() =>
    Object.keys(localStorage)
      .filter((key) => key.includes('.run.'))
      .map((key) => JSON.parse(localStorage.getItem(key)))
      .sort((a, b) => b.started_at - a.started_at),
  );
}

export const answersOf = (record) => record.parts.flatMap((part) => part.answers);
