// How Lighthouse is run: its default mobile preset with simulated throttling, performance only. Nothing here touches what
// enters the score. Left out is what neither the score nor the list of opportunities needs, because loading it, checking
// it and gathering for it costs more than a second of every run.

import defaultConfig from 'lighthouse/core/config/default-config.js';
import { CallError } from '../protocol.mjs';

/** Groups of the performance category that are read: what is weighed, and what can be acted upon. */
const READ_GROUPS = new Set(['metrics', 'insights', 'diagnostics']);

/** Without weight, and their evidence is not about loading: it takes a second visit to the page or a user's input. */
const NOT_ABOUT_LOADING = new Set(['bf-cache', 'interaction-to-next-paint', 'inp-breakdown-insight']);

function performanceConfig({ artifacts, audits, categories, groups }) {
  const { performance } = categories;
  const auditRefs = performance.auditRefs.filter(({ id, group }) => READ_GROUPS.has(group) && !NOT_ABOUT_LOADING.has(id));
  const wanted = new Set(auditRefs.map(({ id }) => id));
  return {
    settings: { onlyCategories: ['performance'], disableFullPageScreenshot: true },
    artifacts: artifacts.filter(({ id }) => id !== 'FullPageScreenshot'),
    // An audit's file is named after its id.
    audits: audits.filter((path) => wanted.has(path.split('/').at(-1))),
    categories: { performance: { ...performance, auditRefs } },
    groups,
  };
}

export const CONFIG = performanceConfig(defaultConfig);

const DEFAULT_MAX_WAIT_MS = 45_000;

/** Lighthouse's flags for one run; refuses parameters that make no sense. */
export function flagsFor({ url, port, maxWaitForLoadMs = DEFAULT_MAX_WAIT_MS, extraHeaders }) {
  if (!isWebAddress(url)) throw refused('url is not an http or https address');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw refused('port is not the number of a port');
  if (!(maxWaitForLoadMs > 0 && maxWaitForLoadMs <= 600_000)) throw refused('maxWaitForLoadMs is out of range');
  const headers = Object.entries(extraHeaders ?? {});
  if (headers.some(([, value]) => typeof value !== 'string')) throw refused('extraHeaders has a value that is no text');
  return {
    port,
    output: 'json',
    logLevel: 'error',
    maxWaitForLoad: maxWaitForLoadMs,
    ...(headers.length > 0 && { extraHeaders }),
  };
}

function isWebAddress(url) {
  return typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

function refused(message) {
  return new CallError('bad-params', message);
}
