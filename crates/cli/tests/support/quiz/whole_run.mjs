// A real model in a real browser, from the first click to the row on the board. node whole_run.mjs INSTRUMENTS BASE
import { answersOf, base, openBrowser, openQuiz, problems, records, start, streamed, watchStream } from './page.mjs';

const { browser, page, said } = await openBrowser();
const found = [];
const downloads = new Set();
page.on('request', (request) => request.url().includes('/quiz/weights/') && downloads.add(request.url()));
await openQuiz(page);
const isolated = await page.evaluate(() => globalThis.crossOriginIsolated);
const graphics = await page.locator('.quiz-device').innerText();
const width = await page.locator('#quiz-width').innerText();
const isOnByDefault = await page.locator('#quiz-share').isChecked();
found.push(...await problems(page, 'before the start'));

await watchStream(page);
await start(page);
await page.locator('.quiz-live .quiz-answered').first().waitFor();
const firstAnswer = await page.locator('.quiz-live .quiz-decision').first().innerText();
found.push(...await problems(page, 'while it runs'));
await page.locator('#quiz-report').waitFor();
await page.locator('.quiz-part').waitFor();
found.push(...await problems(page, 'the report'));
const [record] = await records(page);
const seen = await streamed(page);
const report = await page.locator('.quiz-report').innerText();
const marks = await page.locator('.quiz-report .quiz-raw mark').count();
const cookies = await page.context().cookies();

await page.getByRole('link', { name: 'See it on the board' }).click();
await page.waitForURL('**/quiz/runs/**');
const shared = { address: new URL(page.url()).pathname, text: await page.locator('main').innerText() };
found.push(...await problems(page, 'the shared run'));
await page.goto(`${base}/quiz/board`);
const board = await page.locator('main').innerText();
found.push(...await problems(page, 'the board'));

// Back to the run in this browser, and away with what was shared.
await page.goto(`${base}/quiz#run=${record.id}`);
await page.getByRole('button', { name: 'Delete it from the board' }).click();
await page.locator('.quiz-part').waitFor({ state: 'detached' });
const gone = (await page.request.get(base + shared.address)).status();
await browser.close();
const { engine, self_test, remarks, model, device } = record;
console.log(JSON.stringify({
  found, said, isolated, graphics, width, isOnByDefault, downloads: downloads.size, firstAnswer,
  streamsTheOutput: answersOf(record).every(({ output }) => output === '' || seen.includes(output)),
  answers: answersOf(record), questions: record.parts.flatMap((part) => part.questions), engine, self_test, remarks, model, device, report, marks, cookies: cookies.length, shared, board, gone,
}));
