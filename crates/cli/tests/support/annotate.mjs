// Reviews apps on a running site as a person at a keyboard does, and says as JSON what was seen.
// node annotate.mjs INSTRUMENTS BASE TOKEN [FOLDER FOR PICTURES]
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, base, token, pictures] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const axe = readFileSync(`${instruments}/node_modules/axe-core/axe.min.js`, 'utf8');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
const page = await context.newPage();
const told = { problems: [], origins: [], marked: [] };
page.on('pageerror', (error) => told.problems.push(String(error)));
page.on('console', (line) => line.type() === 'error' && /Content Security Policy/.test(line.text()) && told.problems.push(line.text()));

/** Nothing wrong for anybody: both colour schemes, wide and narrow. */
async function look(name) {
  for (const [width, colorScheme] of [[1440, 'light'], [1440, 'dark'], [360, 'light'], [360, 'dark']]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) told.problems.push(`${name} at ${width}: ${wide} px wide`);
    await page.evaluate(axe);
    // What is in the frame is somebody else's.
    const { violations } = await page.evaluate(() => globalThis.axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'], iframes: false }));
    told.problems.push(...violations.map((it) => `${name} at ${width} ${colorScheme}: ${it.id}: ${it.nodes[0].html.slice(0, 120)}`));
    if (pictures) await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: width === 360 });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** The app in the frame, once it is there. */
async function app() {
  await page.waitForSelector('iframe[data-frame]', { timeout: 120000 });
  const { origin } = new URL(await page.getAttribute('iframe[data-frame]', 'src'));
  told.origins.push(origin);
  const frame = await (await page.$('iframe[data-frame]')).contentFrame();
  await frame.waitForSelector('h1', { timeout: 60000 });
  return frame;
}

/** Marks by keys alone, and saves. */
async function mark(keys) {
  const title = await page.textContent('#workflow');
  for (const key of keys) await page.keyboard.press(key);
  const chosen = await page.$$eval('[data-marks] input:checked', (all) => all.map((it) => it.value[0]).join(''));
  told.marked.push(chosen);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  const status = await page.textContent('.reviewing [role=status]');
  if (!status.includes(title.replace(/^\d+\. /, ''))) told.problems.push(`not saved: ${title}: ${status}`);
}

// At the door, by keyboard.
await page.goto(`${base}/annotate`);
await look('door');
await page.focus('#token');
await page.keyboard.type(token);
await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
told.locked = await page.textContent('main').then((text) => text.includes('opens after the practice app'));
await look('list');

// The practice app: it is being opened, then it is there; it is used, and marked.
await Promise.all([page.waitForNavigation(), page.click('button:has-text("Begin")')]);
await look('opening');
let frame = await app();
told.first = await frame.textContent('h1');
await frame.fill('#title', 'Deep Water');
await frame.fill('#pages', '120');
await frame.click('button');
told.added = (await frame.textContent('#list')).includes('Deep Water');
await page.click('a:has-text("Load the app again")');
await frame.waitForFunction(() => document.getElementById('list').textContent.includes('Deep Water'));
await look('app');
// A stranger's page in a frame: it must not get out of it, nor see what is around it.
told.escape = await frame.evaluate(() => {
  const tried = [];
  try { window.top.location.href = 'about:blank'; } catch { tried.push('navigation'); }
  try { void window.parent.document.body; } catch { tried.push('reading'); }
  return tried;
});
told.cookies = await frame.evaluate(() => document.cookie);
// A neighbour plants a cookie for the domain that both are below, where the site's own comes after it. Everything that follows must go on.
await frame.evaluate(() => { document.cookie = 'benchwright_form=planted; domain=bench.localhost; path=/annotate'; });
told.planted = (await context.cookies(`${base}/annotate`)).map(({ name }) => name);
// After a wrong key and a way back, by keys alone.
await page.focus('[data-substep] input');
await mark(['f', 'k', 'p', 'p', 'p', 'p', 'p', 'p']);
frame = await app();
told.fresh = (await frame.textContent('#list')) === '';

// Without script.
{
  const plain = await browser.newContext({ viewport: { width: 1440, height: 900 }, javaScriptEnabled: false });
  const other = await plain.newPage();
  await other.goto(`${base}/annotate`);
  await other.fill('#token', token);
  await other.click('button[type=submit]');
  await other.click('button:has-text("Begin")');
  const substeps = await other.locator('[data-substep]').count();
  for (let place = 0; place < substeps; place += 1) await other.check(`input[name=mark-${place}][value=${place === 4 ? 'fail' : 'pass'}]`);
  await other.click('button:has-text("Save and go on")');
  told.plain = await other.textContent('.reviewing [role=status]');
  await plain.close();
}
await Promise.all([page.waitForNavigation(), page.click('.workflows li:nth-child(3) button')]);
await app();
await mark(['p', 'p', 'f', 'p', 'f']);

// A real app.
await Promise.all([page.waitForNavigation(), page.click('button:has-text("All apps")')]);
told.items = await page.$$eval('.reviews .who', (all) => all.map((it) => it.textContent));
await Promise.all([page.waitForNavigation(), page.click('button:has-text("Review")')]);
frame = await app();
told.second = await frame.textContent('h1');
told.words = await page.content();
await look('real');
const count = await page.locator('[data-substep]').count();
await mark(Array(count).fill('p'));
frame = await app();
await mark(Array(await page.locator('[data-substep]').count()).fill('n'));
await app();
await Promise.all([page.waitForNavigation(), page.click('button:has-text("Close the app")')]);
told.progress = await page.textContent('main');
told.origins = [...new Set(told.origins)];
await browser.close();
console.log(JSON.stringify(told));
