// The same questions in turn: in the quiz page, and with wllama alone in an empty page. node quiz_page.mjs INSTRUMENTS SITE BASE QUESTIONS
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [instruments, site, base, count] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${instruments}/node_modules/playwright-core/index.mjs`));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext();
context.setDefaultTimeout(900_000);

/** The crate as WebAssembly, for the prompts. */
const { instance } = await WebAssembly.instantiate(readFileSync(`${site}/dist/quiz.wasm`), {});
function call(request) {
  const { memory, input, call, output } = instance.exports;
  const bytes = Buffer.from(JSON.stringify(request));
  const place = input(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const length = call();
  return JSON.parse(Buffer.from(memory.buffer, output(), length).toString()).ok;
}

const ours = await context.newPage();
const alone = await context.newPage();
const ticket = new Promise((resolve) => ours.on('response', (response) => response.url().endsWith('/quiz/tickets') && resolve(response.json())));
const records = () => ours.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('.run.')).map((key) => JSON.parse(localStorage.getItem(key)))[0]);

// An empty page of this origin, isolated like ours, with the package as it is.
const HEADERS = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const packaged = (file) => readFileSync(`${site}/node_modules/@wllama/wllama/${file}`);
await context.route('**/empty/**', (route) => {
  const name = new URL(route.request().url()).pathname.slice('/empty/'.length);
  const kinds = { js: 'text/javascript', wasm: 'application/wasm' };
  const kind = kinds[name.split('.').pop()];
  return route.fulfill({ headers: { ...HEADERS, 'content-type': kind ?? 'text/html' }, body: kind ? packaged(name) : '<!doctype html><title>empty</title>' });
});

await ours.goto(`${base}/quiz`);
await ours.locator('label:has(input[name="questions"][value="own-12"])').click();
await ours.locator('#quiz-share').uncheck();
await ours.locator('.quiz-start').click();
await ours.getByRole('button', { name: 'Pause' }).click();
const { order, questions, examples } = await ticket;
const threads = async () => (await records())?.engine.threads;
await ours.getByRole('heading', { name: 'Paused' }).waitFor();

await alone.goto(`${base}/empty/`);
await alone.evaluate(async ({ address, threads }) => {
  const { Wllama } = await import('/empty/esm/index.js');
  const wllama = new Wllama({ default: '/empty/esm/wasm/wllama.wasm' }, { suppressNativeLog: true });
  const file = await (await fetch(address)).blob();
  await wllama.loadModel([file], { n_ctx: 4096, n_batch: 128, n_ubatch: 128, n_threads: threads, n_gpu_layers: 0, n_parallel: 1, reasoning_format: 'none', skip_chat_parsing: true });
  globalThis.ask = async ({ messages, settings }) => {
    const { temperature, top_p, max_tokens, seed } = settings;
    const started = performance.now();
    let first = null;
    let timings = null;
    for await (const chunk of await wllama.createChatCompletion({ messages, stream: true, temperature, top_p, max_tokens, seed, top_k: 0, min_p: 0, cache_prompt: true })) {
      if (chunk.choices[0]?.delta.content) first ??= performance.now() - started;
      timings = chunk.timings ?? timings;
    }
    return { first_token_ms: first, total_ms: performance.now() - started, output_tokens: timings.predicted_n };
  };
}, { address: '/quiz/weights/SmolLM2-135M-Instruct.Q4_1.gguf', threads: await threads() });

const rate = ({ first_token_ms, total_ms, output_tokens }) => (1000 * (output_tokens - 1)) / (total_ms - first_token_ms);
const pairs = [];
for (let at = 0; at < Number(count); at += 1) {
  // The page has answered this one; it waits while the other does the same.
  const question = questions.find(({ id }) => id === order[at]);
  const prompt = call({ do: 'prompt', protocol: 'one-message-1', examples: examples[question.subject], question, run_seed: 0 });
  const other = await alone.evaluate((prompt) => globalThis.ask(prompt), prompt);
  const record = await records();
  pairs.push({ subject: question.subject, ours: record.parts[0].answers[at], alone: other });
  if (at + 1 === Number(count)) break;
  await ours.getByRole('button', { name: 'Continue' }).click();
  await ours.getByRole('button', { name: 'Pause' }).click();
  await ours.getByRole('heading', { name: 'Paused' }).waitFor();
}
const threadsUsed = await threads();
await browser.close();
const told = pairs.map(({ subject, ours, alone }) => ({
  subject, ours_per_second: rate(ours), alone_per_second: rate(alone), output_tokens: ours.output_tokens, alone_tokens: alone.output_tokens,
  prompt_tokens: ours.prompt_tokens, computed_tokens: ours.prompt_tokens - ours.cached_tokens,
}));
console.log(JSON.stringify({ threads: threadsUsed, questions: told }));
