// Answers requests with the page's module, one a line: node module.mjs MODULE REQUESTS ANSWERS
// Requests are told apart by record separators (U+001E), because what a model wrote has lines of its own.
// With a number of rounds behind them it answers all of them so often, and says how many seconds the fastest round took.
import { readFileSync, writeFileSync } from 'node:fs';

const [file, requests, answers, rounds] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
const { memory, input, call, output } = instance.exports;
const asked = readFileSync(requests, 'utf8').split('\u001e').filter((line) => line !== '').map((line) => Buffer.from(line));

function answer(request) {
  // Asked for first: memory that grows is another buffer.
  const place = input(request.length);
  new Uint8Array(memory.buffer, place, request.length).set(request);
  const length = call();
  return new Uint8Array(memory.buffer, output(), length);
}

writeFileSync(answers, Buffer.concat(asked.flatMap((request) => [Buffer.from(answer(request)), Buffer.from('\n')])));
if (rounds !== undefined) {
  const seconds = Array.from({ length: Number(rounds) }, () => {
    const started = performance.now();
    for (const request of asked) answer(request);
    return (performance.now() - started) / 1000;
  });
  console.log(JSON.stringify({ seconds: Math.min(...seconds) }));
}
