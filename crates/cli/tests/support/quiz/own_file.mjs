// A model from the visitor's disk, and more questions for the same run. node own_file.mjs INSTRUMENTS BASE FILE
import { answersOf, openBrowser, openQuiz, problems, records, start, streamed, watchStream } from './page.mjs';

/** Tokens of an answer, with the one that ends it, that come in several pieces. */
const SEVERAL = 4;

const { browser, page, said } = await openBrowser();
const tickets = [];
page.on('request', (request) => request.url().endsWith('/api/v1/quiz/tickets') && tickets.push(request.postDataJSON()));
const downloads = [];
page.on('request', (request) => request.url().includes('/quiz/weights/') && downloads.push(request.url()));
await openQuiz(page);
await page.locator('#quiz-file').setInputFiles(process.argv[4]);
await page.locator('#quiz-share').uncheck();
// In turns the examples are answered in form, and so are the questions: in more than one token.
await page.locator('details:has(input[name="protocol"]) > summary').click();
await page.locator('label:has(input[name="protocol"][value="chat-turns-1"])').click();
await watchStream(page);
await start(page);
await page.locator('.quiz-report').waitFor();
const [before] = await records(page);
const seen = await streamed(page);
const inPieces = answersOf(before).filter(({ output_tokens }) => output_tokens >= SEVERAL);
const found = await problems(page, 'a run of a file of one’s own');
await page.getByRole('button', { name: /more questions/ }).first().click();
await page.getByRole('heading', { name: /^Question 4 of/ }).waitFor();
await page.getByRole('button', { name: 'Cancel' }).click();
await page.locator('.quiz-trouble.cancelled').waitFor();
const [after] = await records(page);
await browser.close();
console.log(JSON.stringify({
  found, said, inPieces: inPieces.length,
  growsInSight: inPieces.every(({ output }) => seen.includes(output) && seen.some((text) => text !== output && output.startsWith(text))),
  tickets, downloads, model: before.model, finished: before.finished, answers: answersOf(before),
  parts: after.parts.map(({ questions, answers }) => [questions.length, answers.length]), kept: answersOf(after).slice(0, 3),
}));
