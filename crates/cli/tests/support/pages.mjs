// Opens pages of a running site in Chromium and says, as JSON, what is wrong with them.
// node pages.mjs INSTRUMENTS BASE PATH… where a path that should answer with another status than 200 has it before: '404 /nobody'
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, base, ...asked] = process.argv.slice(2);
const visits = asked.map((text) => /^(?:(?<status>\d{3}) )?(?<path>.*)$/.exec(text).groups).map(({ status = '200', path }) => ({ status: Number(status), path }));
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const axe = readFileSync(`${instruments}/node_modules/axe-core/axe.min.js`, 'utf8');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const found = {};
const note = (path, how, problems) => {
  if (problems.length > 0) found[`${path} ${how}`] = problems;
};

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
  const isOurs = (script) => script.src.startsWith(`${location.origin}/assets/`);
  if (![...document.scripts].every(isOurs) || document.querySelector('style, iframe, object, embed')) bad.push('something foreign');
  return bad;
};

const tooWide = (width) => document.documentElement.scrollWidth > width ? [`${document.documentElement.scrollWidth} px wide`] : [];

// What people see: both colour schemes, wide and narrow.
for (const [width, colorScheme] of [[1280, 'light'], [1280, 'dark'], [360, 'light'], [360, 'dark']]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const said = [];
  page.on('console', (line) => line.type() === 'error' && said.push(line.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => request.url().startsWith(base) || said.push(`asked ${request.url()}`));
  for (const { status, path } of visits) {
    said.length = 0;
    const response = await page.goto(base + path);
    const problems = await page.evaluate(injected);
    if (response.status() !== status) problems.push(`status ${response.status()}`);
    // The browser itself says so when a page is a problem.
    const expected = status === 200 ? '' : `status of ${status}`;
    problems.push(...await page.evaluate(tooWide, width), ...said.filter((line) => expected === '' || !line.includes(expected)));
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    problems.push(...violations.map((violation) => `${violation.id}: ${violation.nodes[0].html}`));
    note(path, `at ${width} ${colorScheme}`, problems);
  }
  await context.close();
}

/** Everything a keyboard should reach, as a reader sees it. */
const reachable = () => {
  const all = document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]');
  const seen = [...all].filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled);
  // Of radio buttons with one name, Tab reaches one.
  globalThis.__left = new Set(seen.filter((element) => element.type !== 'radio'));
  return globalThis.__left.size;
};

/** Where the focus is: nowhere, or on something that can be told by its looks. */
const focused = () => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  globalThis.__left.delete(element);
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height, right, bottom } = element.getBoundingClientRect();
  const isSeen = width > 0 && height > 0 && right > 0 && bottom > 0;
  const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  return { text: element.outerHTML.slice(0, 90), isSeen, isMarked };
};

/** Tab from the first to the last: nothing is left out, nothing holds the focus, and it can always be seen. */
async function byKeyboard(page) {
  const problems = [];
  const stops = await page.evaluate(reachable);
  for (let stop = 0; stop <= stops + 3; stop += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(focused);
    if (at === null) break;
    if (stop === 0 && !at.text.includes('Skip to the content')) problems.push(`the first stop is ${at.text}`);
    if (!at.isSeen) problems.push(`the focus cannot be seen on ${at.text}`);
    if (!at.isMarked) problems.push(`the focus is not marked on ${at.text}`);
  }
  const left = await page.evaluate(() => [...globalThis.__left].map((element) => element.outerHTML.slice(0, 90)));
  problems.push(...left.slice(0, 3).map((text) => `Tab does not reach ${text}`));
  return problems;
}

/** The words of a page without what its script adds to them, such as a slider. */
const withoutAdditions = () => {
  const added = [...document.querySelectorAll('[data-reel]:not([hidden])')];
  for (const element of added) element.hidden = true;
  const words = document.querySelector('main').innerText;
  for (const element of added) element.hidden = false;
  return words;
};

/** On paper there is nothing to click, and everything fits. */
const printed = () => {
  const bad = [];
  for (const selector of ['header.site nav', 'form.filters', 'nav.tools', 'nav.pages', '.skip']) {
    const left = [...document.querySelectorAll(selector)].find((element) => element.checkVisibility() && element.getBoundingClientRect().right > 0);
    if (left) bad.push(`${selector} is printed`);
  }
  if (!document.querySelector('h1').checkVisibility()) bad.push('no heading is printed');
  return bad;
};

// What people do: read without script, use a keyboard, print.
{
  // Smooth scrolling would still be under way when we look where the focus is.
  const scripted = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const plain = await browser.newPage({ viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
  const A4 = { width: 794, height: 1123 };
  for (const { path } of visits) {
    await Promise.all([scripted.goto(base + path), plain.goto(base + path)]);
    const [withScript, without] = await Promise.all([scripted.evaluate(withoutAdditions), plain.locator('main').innerText()]);
    note(path, 'without script', withScript === without ? [] : ['the content differs']);
    note(path, 'by keyboard', await byKeyboard(scripted));
    await plain.emulateMedia({ media: 'print' });
    await plain.setViewportSize(A4);
    note(path, 'printed', [...await plain.evaluate(printed), ...await plain.evaluate(tooWide, A4.width)]);
    await plain.emulateMedia({ media: null });
    await plain.setViewportSize({ width: 1280, height: 900 });
  }
}
await browser.close();
console.log(JSON.stringify(found));
