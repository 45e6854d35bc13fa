// Watches a job of a running site in three ways at once, calls it off, and says as JSON what each page showed without being loaded again.
// node watch.mjs INSTRUMENTS BASE TOKEN JOB
import { pathToFileURL } from 'node:url';

const [instruments, base, token, job] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** Where a page shows what a job that runs is doing. */
const PLACES = ['[data-lanes] dd', '[data-cost]', '[data-events] li:last-child'];

/** A page, and how it asks for events. */
const watcher = async (prepare) => {
  const page = await browser.newPage();
  const asked = [];
  page.on('request', (request) => request.url().includes('/events') && asked.push(request.headers().accept));
  await prepare(page);
  await page.goto(`${base}/jobs/${job}`);
  // What changes later, the page was told: one that is loaded again forgets this.
  await page.evaluate((places) => {
    globalThis.__atFirst = places.map((place) => document.querySelector(place)?.textContent);
  }, PLACES);
  return { page, asked };
};

const refuseStreams = (page) => page.route('**/events*', (route) => {
  const wantsStream = route.request().headers().accept.includes('event-stream');
  return wantsStream ? route.fulfill({ status: 503, body: '' }) : route.continue();
});
const watchers = {
  streamed: await watcher(() => {}),
  asking: await watcher((page) => page.addInitScript(() => { delete globalThis.EventSource; })),
  refused: await watcher(refuseStreams),
};

const told = {};
for (const [name, { page, asked }] of Object.entries(watchers)) {
  await page.waitForFunction((places) => {
    const before = globalThis.__atFirst;
    return places.every((place, number) => {
      const now = document.querySelector(place)?.textContent;
      return now !== undefined && now !== before[number];
    });
  }, PLACES, { timeout: 30_000 });
  told[name] = {
    state: await page.locator('[data-state]').textContent(),
    lanes: await page.locator('[data-lanes] dt').allTextContents(),
    asked: [...new Set(asked)].sort(),
  };
}
const { page } = watchers.streamed;
await page.getByRole('link', { name: 'Cancel this job' }).click();
await page.getByLabel('Token that submitted it').fill(token);
await page.getByRole('button', { name: 'Cancel this job' }).click();
for (const [name, { page }] of Object.entries(watchers)) {
  await page.locator('[data-state]', { hasText: 'cancelled' }).waitFor({ timeout: 30_000 });
  await page.getByRole('link', { name: 'Cancel this job' }).waitFor({ state: 'detached', timeout: 30_000 });
  told[name].end = await page.locator('[data-state]').textContent();
}
await browser.close();
console.log(JSON.stringify(told));
