import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';
import { extractInjectedEngine } from '../injected-engine.mjs';
import { root } from './support.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const MARK = 'InjectedScript: () => InjectedScript';

test('the engine in the pinned playwright-core has the pinned digest and is what was set up', () => {
  const engine = extractInjectedEngine(read('node_modules/playwright-core/lib/coreBundle.js'));
  const pins = JSON.parse(read('pins.json'));
  assert.equal(createHash('sha256').update(engine).digest('hex'), pins['injected-engine.js'].sha256);
  assert.equal(read('generated/injected-engine.js'), engine);
  assert.equal(createHash('sha256').update(read('generated/axe.min.js')).digest('hex'), pins['axe.min.js'].sha256);
});

test('the engine exports its class as the browser client expects', () => {
  const module = vm.runInNewContext(`(() => { const module = {}; ${read('generated/injected-engine.js')}; return module; })()`);
  assert.equal(typeof module.exports.InjectedScript(), 'function');
});

test('a literal means to us what it means to JavaScript', () => {
  for (const literal of [
    `'${MARK} \\n\\t\\\\ \\' " \\x41\\u00e9\\u{1F600} \\0 \\q'`,
    `"${MARK} ' \\" \\\n\\r"`,
  ]) {
    assert.equal(extractInjectedEngine(`let a = 1;\n    some_name5 = ${literal};\n`), vm.runInNewContext(literal));
  }
});

test('a bundle without the engine, or with two, is refused', () => {
  const [one, other] = [`x = '${MARK}';\n`, `y = '${MARK}, too';\n`];
  assert.throws(() => extractInjectedEngine('x = 1;'), /found it 0 times/);
  assert.throws(() => extractInjectedEngine(`// ${MARK}`), /found it 0 times/);
  assert.throws(() => extractInjectedEngine(one + other), /found it 2 times/);
});
