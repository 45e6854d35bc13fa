// A run that is cancelled, closed in the middle, and gone on with. node interrupted_run.mjs INSTRUMENTS BASE
import { answersOf, openBrowser, openQuiz, problems, records, start } from './page.mjs';

const { browser, page, said } = await openBrowser();
await openQuiz(page);
await page.locator('#quiz-share').uncheck();
await start(page);

// Called off while the file arrives or is loaded: nothing is kept, and nothing is left behind.
await page.getByRole('button', { name: 'Cancel' }).click();
await page.locator('.quiz-trouble.cancelled').waitFor();
const afterEarlyCancel = (await records(page)).length;
await page.getByRole('button', { name: 'Try again' }).click();

// The page goes away while the second question is being answered.
await page.getByRole('heading', { name: 'Question 2 of 3' }).waitFor();
const [before] = await records(page);
await page.reload();
await page.locator('.quiz-trouble.interrupted').waitFor();
const card = await page.locator('.quiz-trouble').innerText();
const found = await problems(page, 'after it was closed');
const shownAfterReload = await page.locator('.quiz-report .quiz-answered').count();
const downloads = [];
page.on('request', (request) => request.url().includes('/quiz/weights/') && downloads.push(request.url()));
await page.getByRole('button', { name: 'Continue this run' }).click();

// Cancelled in the middle of an answer: it is no answer at all.
await page.getByRole('heading', { name: 'Question 2 of 3' }).waitFor();
await page.getByRole('button', { name: 'Cancel' }).click();
await page.locator('.quiz-trouble.cancelled').waitFor();
const [cancelled] = await records(page);
found.push(...await problems(page, 'cancelled'));
const counted = await page.locator('.quiz-report .quiz-number').innerText();
await page.getByRole('button', { name: 'Continue this run' }).click();
await page.locator('.quiz-report').waitFor();
await page.locator('.quiz-trouble').waitFor({ state: 'detached' });
const [after] = await records(page);
const isUnshared = await page.getByRole('button', { name: 'Share this run' }).count();
await browser.close();
const told = (record) => ({ id: record.id, finished: record.finished, answers: answersOf(record) });
console.log(JSON.stringify({ found, said, afterEarlyCancel, before: told(before), card, shownAfterReload, downloads, cancelled: told(cancelled), counted, after: told(after), isUnshared }));
