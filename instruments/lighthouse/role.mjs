// Lighthouse against a Chrome that somebody else started. It is imported on first use: `warm` pays for that in advance.
//
// A run is two calls: `visit` needs the browser and a quiet machine, `facts` works on what the visit left behind. So the browser of
// the next run can start while the last visit is being read.

import { CallError } from '../protocol.mjs';
import { factsOf } from './facts.mjs';

let loaded;
/** What the last visit left behind: tens of megabytes, so there is never more than one. */
let visited;

async function load() {
  const [{ navigationGather }, { pageFunctions }, { Runner }, { initializeConfig }, settings] = await Promise.all([
    import('lighthouse/core/gather/navigation-runner.js'),
    import('lighthouse/core/lib/page-functions.js'),
    import('lighthouse/core/runner.js'),
    import('lighthouse/core/config/config.js'),
    import('./settings.mjs'),
  ]);
  // Gatherers and audits are imported when a configuration names them, which would otherwise be in the middle of the first visit.
  await initializeConfig('navigation', settings.CONFIG);
  return { navigationGather, pageFunctions, benchmark: pageFunctions.computeBenchmarkIndex, Runner, ...settings };
}

async function warm() {
  await (loaded ??= load());
  return { warm: true };
}

/** Every visit begins with a second of benchmark, which enters no score: only who compares machines by it asks for it. */
async function visit({ benchmark: wanted = true, ...params }) {
  const { navigationGather, pageFunctions, benchmark, CONFIG, flagsFor } = await (loaded ??= load());
  visited = undefined;
  pageFunctions.computeBenchmarkIndex = wanted ? benchmark : () => 0;
  visited = await navigationGather(undefined, params.url, { config: CONFIG, flags: flagsFor(params) });
  return { visited: true };
}

async function facts() {
  const { Runner } = await (loaded ??= load());
  if (!visited) throw new CallError('bad-params', 'there was no visit');
  const { artifacts, runnerOptions } = visited;
  visited = undefined;
  const result = await Runner.audit(artifacts, runnerOptions);
  if (!result) throw new CallError('no-result', 'Lighthouse gave no result');
  // Better collected now than in the middle of the next visit. Needs --expose-gc.
  globalThis.gc?.();
  return factsOf(result.lhr);
}

export const methods = { warm, visit, facts };
