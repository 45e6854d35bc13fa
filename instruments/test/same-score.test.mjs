// Our shorter list of audits must not change a single bit of what Lighthouse's own default would have scored.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeConfig } from 'lighthouse/core/config/config.js';
import defaultConfig from 'lighthouse/core/config/default-config.js';
import { navigationGather } from 'lighthouse/core/gather/navigation-runner.js';
import { Runner } from 'lighthouse/core/runner.js';
import { factsOf } from '../lighthouse/facts.mjs';
import { CONFIG } from '../lighthouse/settings.mjs';
import { RESTLESS, startBrowser, startServer } from './support.mjs';

const settings = { onlyCategories: ['performance'], disableFullPageScreenshot: true };
const DEFAULT = { extends: 'lighthouse:default', settings };

const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A page</title>
  <h1>Hello</h1><div id="late"></div>${'<p>Some words to read.</p>'.repeat(20)}${RESTLESS}`;

async function facts(artifacts, config) {
  const { resolvedConfig } = await initializeConfig('navigation', config, { logLevel: 'error' });
  // Timings are live objects that cannot be copied, and no part of any score.
  const copy = structuredClone({ ...artifacts, Timing: [] });
  const { lhr } = await Runner.audit(copy, { resolvedConfig, computedCache: new Map() });
  const { score, metrics, metricScores, opportunities } = factsOf(lhr);
  return { score, metrics, metricScores, opportunities: opportunities.filter(({ id }) => id !== 'bf-cache') };
}

test('the same visit gets the same scores and opportunities as with the default list', { timeout: 240_000 }, async () => {
  const [server, browser] = [await startServer({ '/': page }), await startBrowser()];
  try {
    const flags = { port: browser.port, logLevel: 'error' };
    const { artifacts } = await navigationGather(undefined, `${server.base}/`, { config: DEFAULT, flags });
    const [ours, theirs] = [await facts(artifacts, CONFIG), await facts(artifacts, DEFAULT)];
    assert.ok(theirs.metrics.cls > 0.05 && theirs.metrics.tbtMs > 100, 'the page is restless enough to tell');
    assert.deepEqual(ours, theirs);
  } finally {
    await browser.close();
    server.close();
  }
});

test('everything that has a weight is run, with the settings of the default', async () => {
  const resolve = async (config) => (await initializeConfig('navigation', config, {})).resolvedConfig;
  const [ours, theirs] = [await resolve(CONFIG), await resolve(DEFAULT)];
  assert.deepEqual(ours.settings, theirs.settings);
  const weighed = ({ categories }) => categories.performance.auditRefs.filter(({ weight }) => weight > 0);
  assert.deepEqual(weighed(ours), weighed(theirs));
  assert.equal(weighed({ categories: defaultConfig.categories }).length, 5);
  const ids = new Set(ours.audits.map(({ implementation }) => implementation.meta.id));
  for (const { id } of ours.categories.performance.auditRefs) assert.ok(ids.has(id), id);
});
