// Opens pages of a running site in Chromium and says, as JSON, what is wrong with them.
// node pages.mjs INSTRUMENTS BASE PATH…
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, base, ...paths] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const axe = readFileSync(`${instruments}/node_modules/axe-core/axe.min.js`, 'utf8');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const found = {};

/** What a page must never have, whatever a run says: handlers, foreign scripts and styles, addresses that are code. */
const injected = () => {
  const bad = [];
  if (window.__pwned !== undefined) bad.push('a payload ran');
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on') || name === 'style') bad.push(`${element.tagName} has ${name}`);
      if (/^\s*(javascript|data):/i.test(value) && /^(href|src|action)$/.test(name)) bad.push(`${element.tagName} ${name}=${value}`);
    }
  }
  const scripts = [...document.scripts].filter((script) => !script.src.startsWith(`${location.origin}/assets/`));
  if (scripts.length > 0 || document.querySelector('style, iframe, object, embed')) bad.push('something foreign');
  return bad;
};

for (const [width, colorScheme] of [[1280, 'light'], [1280, 'dark'], [360, 'light']]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const said = [];
  page.on('console', (line) => line.type() === 'error' && said.push(line.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => request.url().startsWith(base) || said.push(`asked ${request.url()}`));
  for (const path of paths) {
    said.length = 0;
    const response = await page.goto(base + path);
    const problems = await page.evaluate(injected);
    if (response.status() !== 200) problems.push(`status ${response.status()}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) problems.push(`${wide} px wide`);
    problems.push(...said);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    problems.push(...violations.map((violation) => `${violation.id}: ${violation.nodes[0].html}`));
    if (problems.length > 0) found[`${path} at ${width} ${colorScheme}`] = problems;
  }
  await context.close();
}
await browser.close();
console.log(JSON.stringify(found));
