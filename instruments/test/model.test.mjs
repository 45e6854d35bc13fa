import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { textsOf } from '../model/gguf.mjs';
import { root, startDriver } from './support.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'benchwright-gguf-'));
after(() => rmSync(folder, { recursive: true }));

const WEIGHTS = path.join(process.env.BENCHWRIGHT_WEIGHTS ?? path.join(root, '../site/weights'), 'SmolLM2-135M-Instruct.Q4_1.gguf');

const u32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
const u64 = (value) => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64LE(BigInt(value)); return bytes; };
const text = (value) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const head = (entries, version = 3) => Buffer.concat([Buffer.from('GGUF'), u32(version), u64(0), u64(entries)]);

function put(name, ...parts) {
  const file = path.join(folder, name);
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

test('texts are found among everything else a model may say of itself', async () => {
  const words = Buffer.concat([u32(8), u64(3), text('a'), text(''), text('ccc')]);
  const numbers = Buffer.concat([u32(6), u64(1000), Buffer.alloc(4000)]);
  const file = put('whole.gguf', head(5), text('general.name'), u32(8), text('Tiny, 100 % größer'), text('llama.block_count'), u32(4), u32(30),
    text('tokenizer.ggml.tokens'), u32(9), words, text('tokenizer.ggml.scores'), u32(9), numbers, text('tokenizer.chat_template'), u32(8), text('{{ x }}'));
  assert.deepEqual([...(await textsOf(file))], [['general.name', 'Tiny, 100 % größer'], ['tokenizer.chat_template', '{{ x }}']]);
});

test('what is no GGUF file is told as such, whatever it announces', async () => {
  const broken = {
    'empty.gguf': [],
    'other.gguf': [Buffer.from('PK\u0003\u0004 and then some more bytes')],
    'old.gguf': [head(1, 1)],
    'many.gguf': [head(1_000_000)],
    'short.gguf': [head(2), text('general.name'), u32(8), text('x')],
    'endless.gguf': [head(1), u64(2n ** 63n)],
    'type.gguf': [head(1), text('a'), u32(99)],
    'array.gguf': [head(1), text('a'), u32(9), u32(4), u64(2n ** 40n)],
    'nested.gguf': [head(1), text('a'), u32(9), u32(9), u64(2)],
  };
  for (const [name, parts] of Object.entries(broken)) {
    await assert.rejects(textsOf(put(name, ...parts)), { kind: 'bad-model' }, name);
  }
  await assert.rejects(textsOf(path.join(folder, 'not-there.gguf')), { kind: 'bad-model', message: /ENOENT/ });
});

test('a model that cannot be asked is refused with the reason', async () => {
  const driver = startDriver('model');
  const base = put('base.gguf', head(1), text('general.name'), u32(8), text('a base model'));
  assert.equal((await driver.call('load', { file: base, threads: 1 })).error.kind, 'no-template');
  const hollow = put('hollow.gguf', head(1), text('tokenizer.chat_template'), u32(8), text('{{ messages }}'));
  assert.ok(['bad-model', 'failed'].includes((await driver.call('load', { file: hollow, threads: 1 })).error.kind));
  for (const params of [{ file: 'relative.gguf', threads: 1 }, { file: base }, { file: base, threads: 0 }, { threads: 1 }]) {
    assert.equal((await driver.call('load', params)).error.kind, 'bad-params', JSON.stringify(params));
  }
  assert.equal((await driver.call('ask', { messages: [], settings: {} })).error.kind, 'bad-params');
  assert.equal(await driver.close(), 0);
});

const real = existsSync(WEIGHTS) ? test : test.skip;
if (real === test.skip) console.error(`SKIPPED: the model tests need ${WEIGHTS}; cargo xtask setup fetches it`);

const messages = (question) => [
  { role: 'system', content: 'You are taking an exam. Answer in one short sentence and in English.' },
  { role: 'user', content: `What is the capital of ${question}?` },
];
const settings = { temperature: 0.1, top_p: 1, max_tokens: 12, seed: 5, thinking: false };

real('a real model answers, stops or is stopped, and what two questions share is computed once', { timeout: 600_000 }, async () => {
  const driver = startDriver('model');
  const loaded = (await driver.call('load', { file: WEIGHTS, threads: 1 })).result;
  assert.deepEqual([loaded.quantisation, loaded.system_in_user, loaded.context], ['q4_1', false, 4096]);
  assert.match(loaded.engine_version, /^\S+$/);
  const first = (await driver.call('ask', { messages: messages('France'), settings })).result;
  assert.match(first.output, /Paris/);
  assert.equal(first.cached_tokens, 0);
  assert.ok(first.prompt_tokens > 20 && first.output_tokens > 0 && first.output_tokens <= 12, JSON.stringify(first));
  assert.ok(first.first_token_ms > 0 && first.first_token_ms <= first.total_ms);
  const second = (await driver.call('ask', { messages: messages('Italy'), settings })).result;
  assert.ok(second.cached_tokens > second.prompt_tokens / 2, JSON.stringify(second));
  const cut = (await driver.call('ask', { messages: messages('Italy'), settings: { ...settings, max_tokens: 2 } })).result;
  assert.deepEqual([cut.finish, cut.output_tokens], ['length', 2]);
  const long = [{ role: 'user', content: 'word '.repeat(5000) }];
  assert.equal((await driver.call('ask', { messages: long, settings })).error.kind, 'too-long');
  assert.match((await driver.call('ask', { messages: messages('France'), settings })).result.output, /Paris/);
  assert.equal(await driver.close(), 0);
});
