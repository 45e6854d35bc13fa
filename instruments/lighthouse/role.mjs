// Lighthouse against a Chrome that somebody else started. It is imported on first use: `warm` pays for that in advance.

import { CallError } from '../protocol.mjs';
import { factsOf } from './facts.mjs';

let loaded;

async function load() {
  const [{ default: lighthouse }, settings] = await Promise.all([import('lighthouse'), import('./settings.mjs')]);
  return { lighthouse, ...settings };
}

async function warm() {
  await (loaded ??= load());
  return { warm: true };
}

async function run(params) {
  const { lighthouse, CONFIG, flagsFor } = await (loaded ??= load());
  const result = await lighthouse(params.url, flagsFor(params), CONFIG);
  if (!result) throw new CallError('no-result', 'Lighthouse gave no result');
  // A trace is tens of megabytes: better collected now, between two runs, than in the middle of the next. Needs --expose-gc.
  setTimeout(() => globalThis.gc?.(), 0);
  return factsOf(result.lhr);
}

export const methods = { warm, run };
