import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { root, startDriver } from './support.mjs';

test('a call is answered with the versions that were set up', async () => {
  const driver = startDriver('source');
  const { result } = await driver.call('versions');
  const { running, compiled, ...versions } = result;
  assert.deepEqual(versions, JSON.parse(readFileSync(path.join(root, 'generated/versions.json'), 'utf8')));
  assert.equal(running, process.versions.node);
  assert.equal(compiled, false, 'nobody named a folder of compiled code');
  assert.equal(await driver.close(), 0);
});

test('these tests run on the pinned Node', () => {
  const { node } = JSON.parse(readFileSync(path.join(root, 'generated/versions.json'), 'utf8'));
  assert.equal(process.versions.node, node);
});

test('what is no request is refused and the driver goes on', async () => {
  const driver = startDriver('source');
  for (const line of ['garbage', '', '[]', 'null', '{"id":"1","method":"versions"}', '{"id":1.5,"method":"versions"}', '{"id":1}']) {
    driver.say(`${line}\n`);
    const answer = await driver.hear();
    assert.equal(answer.id, null, line);
    assert.equal(answer.error.kind, 'bad-request', line);
  }
  assert.ok((await driver.call('versions')).result);
  await driver.close();
});

test('a method that is not there is an error, also when it has the name of something every object has', async () => {
  const driver = startDriver('source');
  for (const method of ['run', 'toString', '__proto__', 'constructor']) {
    assert.equal((await driver.call(method)).error.kind, 'unknown-method', method);
  }
  await driver.close();
});

test('a line that is too long is refused and does not spoil the next one', async () => {
  const driver = startDriver('source');
  driver.say(`{"id":1,"method":"${'x'.repeat(3 * 1024 * 1024)}"}\n`);
  assert.equal((await driver.hear()).error.kind, 'bad-request');
  assert.ok((await driver.call('versions')).result);
  await driver.close();
});

test('requests that came together are answered one after the other, in order', async () => {
  const driver = startDriver('source');
  driver.say('{"id":5,"method":"versions"}\n{"id":6,"method":"x"}\n{"id":7,"method":"ver');
  driver.say('sions"}\n');
  const ids = [await driver.hear(), await driver.hear(), await driver.hear()].map(({ id }) => id);
  assert.deepEqual(ids, [5, 6, 7]);
  await driver.close();
});

test('the driver ends with its input, also in the middle of a call', async (t) => {
  const { driver } = ownMethods(t, 'forever: () => new Promise(() => setInterval(() => {}, 1000))');
  driver.say('{"id":1,"method":"forever"}\n');
  assert.equal(await driver.close(), 0);
});

test('what libraries print does not reach stdout', async (t) => {
  const { driver } = ownMethods(t, `noisy: () => {
    console.log('noise'); console.info('noise'); process.stdout.write('noise'); return 'fine'; }`);
  assert.deepEqual((await driver.call('noisy')).result, 'fine');
  await driver.close();
  assert.equal(driver.stderr().match(/noise/g).length, 3);
});

test('a failing method is an error with its message cut', async (t) => {
  const { driver } = ownMethods(t, "fails: () => { throw new Error('x'.repeat(5000)); }");
  const { error } = await driver.call('fails');
  assert.equal(error.kind, 'failed');
  assert.equal(error.message, 'x'.repeat(2000));
  await driver.close();
});

test('an unknown role is refused', async () => {
  const driver = startDriver('no-such-role');
  assert.equal(await driver.close(), 2);
  assert.match(driver.stderr(), /usage/);
});

/** The driver's own protocol around methods written for a test. */
function ownMethods(t, methods) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'benchwright-test-driver-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(path.join(root, 'driver.mjs'), 'utf8')
    .replace('./protocol.mjs', path.join(root, 'protocol.mjs'))
    .replace("import('./source/role.mjs')", "import('./methods.mjs')");
  writeFileSync(path.join(folder, 'driver.mjs'), source);
  writeFileSync(path.join(folder, 'methods.mjs'), `export const methods = { ${methods} };`);
  return { driver: startDriver('source', path.join(folder, 'driver.mjs')) };
}
