import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RESTLESS, startBrowser, startDriver, startServer } from './support.mjs';

const head = '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A page</title>';
const paragraphs = '<p>Some words to read.</p>'.repeat(20);
const pages = {
  '/': `${head}<h1>Hello</h1>${paragraphs}`,
  '/restless': `${head}<link rel="stylesheet" href="/style.css"><h1>Hello</h1><div id="late"></div>${paragraphs}${RESTLESS}
    <script src="/unused.js"></script>`,
  '/style.css': 'p { color: #222 }\n'.repeat(3000),
  '/unused.js': Array.from({ length: 3000 }, (_, i) => `function unused${i}(value) { return value * ${i}; }`).join('\n'),
};

/** Both halves of a run. */
async function run(driver, params) {
  const visit = await driver.call('visit', params);
  return visit.error ? visit : driver.call('facts');
}

const LONG = { timeout: 240_000 };
let server;
before(async () => { server = await startServer(pages); });
after(() => server.close());

test('a real page is measured with the mobile preset', LONG, async () => {
  const [driver, browser] = [startDriver('lighthouse'), await startBrowser()];
  try {
    assert.deepEqual((await driver.call('warm')).result, { warm: true });
    const params = { url: `${server.base}/`, port: browser.port, maxWaitForLoadMs: 60_000, extraHeaders: { 'x-mark': 'ours' } };
    const { result, error } = await run(driver, params);
    assert.equal(error, undefined);
    assert.equal(result.runtimeError, null);
    assert.ok(result.score > 0.3 && result.score <= 1, `score ${result.score}`);
    for (const name of ['fcpMs', 'lcpMs', 'siMs']) assert.ok(result.metrics[name] > 0, name);
    for (const score of Object.values(result.metricScores)) assert.ok(score >= 0 && score <= 1);
    assert.ok(result.benchmarkIndex > 0);
    assert.deepEqual([result.throttling.method, result.throttling.cpuSlowdownMultiplier, result.throttling.rttMs], ['simulate', 4, 150]);
    assert.equal(result.finalUrl, `${server.base}/`);
    assert.ok(Array.isArray(result.opportunities));
    assert.equal(server.requests.findLast(({ path }) => path === '/').headers['x-mark'], 'ours');
  } finally {
    await browser.close();
    assert.equal(await driver.close(), 0);
  }
});

test('a visit without the benchmark has no index, and the next one has one again', LONG, async () => {
  const [driver, browser] = [startDriver('lighthouse'), await startBrowser()];
  try {
    const params = { url: `${server.base}/`, port: browser.port };
    const { result: without } = await run(driver, { ...params, benchmark: false });
    assert.equal(without.benchmarkIndex, null);
    assert.ok(without.score > 0.3 && without.score <= 1, `score ${without.score}`);
    const { result: usual } = await run(driver, params);
    assert.ok(usual.benchmarkIndex > 0);
  } finally {
    await browser.close();
    await driver.close();
  }
});

test('what to mend is told, bounded, the greatest saving first', LONG, async () => {
  const [driver, browser] = [startDriver('lighthouse'), await startBrowser()];
  try {
    const { result } = await run(driver, { url: `${server.base}/restless`, port: browser.port });
    assert.ok(result.metrics.cls > 0.05, `cls ${result.metrics.cls}`);
    assert.ok(result.metrics.tbtMs > 100, `tbt ${result.metrics.tbtMs}`);
    const ids = result.opportunities.map(({ id }) => id);
    assert.ok(ids.includes('cls-culprits-insight'), ids.join());
    assert.ok(ids.includes('unused-javascript') || ids.includes('cache-insight'), ids.join());
    assert.ok(ids.length <= 12);
    const savings = result.opportunities.map(({ savingsMs = 0 }) => savingsMs);
    assert.deepEqual(savings, savings.toSorted((a, b) => b - a));
    for (const { items, title } of result.opportunities) assert.ok(title !== '' && items.length <= 5);
    assert.ok(JSON.stringify(result).length < 64 * 1024);
  } finally {
    await browser.close();
    await driver.close();
  }
});

test('a server that is not there is a runtime error, a browser that is not there a failure', LONG, async () => {
  const [driver, browser] = [startDriver('lighthouse'), await startBrowser()];
  const gone = await startServer({});
  gone.close();
  try {
    const { result } = await run(driver, { url: `${gone.base}/`, port: browser.port });
    assert.equal(result.score, null);
    assert.match(result.runtimeError.code, /^[A-Z_]+$/);
    await browser.close();
    const { error } = await run(driver, { url: `${server.base}/`, port: browser.port });
    assert.equal(error.kind, 'failed');
  } finally {
    await browser.close();
    await driver.close();
  }
});

test('parameters that make no sense are refused before anything is started', LONG, async () => {
  const driver = startDriver('lighthouse');
  const good = { url: 'http://127.0.0.1/', port: 1 };
  for (const bad of [{ url: 'file:///etc/passwd' }, { url: 5 }, { url: undefined }, { port: 0 }, { port: '9222' },
    { maxWaitForLoadMs: -1 }, { extraHeaders: { a: 1 } }]) {
    const { error } = await run(driver, { ...good, ...bad });
    assert.equal(error.kind, 'bad-params', JSON.stringify(bad));
  }
  await driver.close();
});
