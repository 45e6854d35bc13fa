// What is kept of a Lighthouse result: the score with what it is made of, what the machine was like, and what to mend.
// The whole result has megabytes of other people's text; this is some kilobytes, every part of it bounded.

const METRICS = {
  fcpMs: 'first-contentful-paint',
  lcpMs: 'largest-contentful-paint',
  tbtMs: 'total-blocking-time',
  cls: 'cumulative-layout-shift',
  siMs: 'speed-index',
};
const MAX_OPPORTUNITIES = 12;
const MAX_ITEMS = 5;
const MAX_WARNINGS = 10;
const MAX_TEXT = 300;

/** The facts of one run. */
export function factsOf(lhr) {
  const audit = (id) => lhr.audits[id];
  const metric = (read) => Object.fromEntries(Object.entries(METRICS).map(([name, id]) => [name, read(audit(id))]));
  return {
    score: lhr.categories.performance?.score ?? null,
    metrics: metric((found) => found?.numericValue ?? null),
    metricScores: metric((found) => found?.score ?? null),
    // 0 where nobody asked for it.
    benchmarkIndex: lhr.environment.benchmarkIndex || null,
    lighthouseVersion: lhr.lighthouseVersion,
    userAgent: text(lhr.environment.hostUserAgent),
    fetchTime: lhr.fetchTime,
    runtimeError: lhr.runtimeError
      ? { code: text(lhr.runtimeError.code), message: text(lhr.runtimeError.message) }
      : null,
    runWarnings: (lhr.runWarnings ?? []).slice(0, MAX_WARNINGS).map(text),
    requestedUrl: text(lhr.requestedUrl, 2000),
    finalUrl: text(lhr.finalDisplayedUrl, 2000),
    throttling: { method: lhr.configSettings.throttlingMethod, ...lhr.configSettings.throttling },
    totalMs: lhr.timing?.total ?? null,
    opportunities: opportunitiesOf(lhr),
  };
}

/** Failing audits of the performance category that can be acted upon, the greatest saving first. */
function opportunitiesOf(lhr) {
  const actionable = (lhr.categories.performance?.auditRefs ?? [])
    .filter(({ group }) => group === 'insights' || group === 'diagnostics')
    .map(({ id }) => lhr.audits[id])
    .filter((audit) => audit && audit.score !== null && audit.score < 0.9);
  return actionable
    .map(opportunityOf)
    .sort((a, b) => weight(b) - weight(a) || a.score - b.score || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_OPPORTUNITIES);
}

/** Savings in time come before savings in bytes; a second of the one outweighs any number of the other. */
function weight({ savingsMs = 0, savingsBytes = 0 }) {
  return savingsMs * 1e6 + Math.min(savingsBytes, 1e6);
}

function opportunityOf(audit) {
  const { details = {} } = audit;
  // Every metric's saving is in milliseconds, but that of layout shift.
  const { CLS: _, ...inMilliseconds } = audit.metricSavings ?? {};
  const timeSavings = [details.overallSavingsMs, ...Object.values(inMilliseconds), 0];
  return {
    id: audit.id,
    title: text(audit.title),
    description: text(audit.description, 600),
    score: audit.score,
    ...optional('displayValue', audit.displayValue && text(audit.displayValue)),
    ...optional('savingsMs', positive(Math.max(...timeSavings.filter(Number.isFinite)))),
    ...optional('savingsBytes', positive(details.overallSavingsBytes ?? details.debugData?.wastedBytes)),
    items: itemsOf(details).slice(0, MAX_ITEMS),
  };
}

/** Rows of tables and lists, however deep an audit nests them. */
function itemsOf(details) {
  const rows = [];
  const collect = (value, depth) => {
    if (rows.length >= MAX_ITEMS || depth > 6 || value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      for (const entry of value) collect(entry, depth + 1);
      return;
    }
    const row = itemOf(value);
    if (Object.keys(row).length > 0) rows.push(row);
    else for (const part of [value.items, value.value, value.chains]) collect(part, depth + 1);
  };
  collect(details.items, 0);
  return rows;
}

function itemOf(item) {
  const node = nodeOf(item);
  const source = item.source?.type === 'source-location' ? item.source : item.location;
  const url = item.url?.value ?? item.url ?? source?.url;
  const label = [item.label, item.source, item.groupLabel, item.entity, item.reason].find((part) => typeof part === 'string');
  return {
    ...optional('url', typeof url === 'string' ? text(url, 500) : undefined),
    ...optional('text', label ?? node?.nodeLabel ? text(label ?? node.nodeLabel) : undefined),
    ...optional('wastedBytes', positive(item.wastedBytes)),
    ...optional('wastedMs', positive(item.wastedMs ?? item.blockingTime)),
    ...optional('selector', node?.selector && text(node.selector)),
    ...optional('snippet', node?.snippet && text(node.snippet)),
  };
}

function nodeOf(item) {
  return [item, item.node, item.source].find((candidate) => candidate?.type === 'node');
}

function positive(number) {
  return Number.isFinite(number) && number > 0 ? Math.round(number * 100) / 100 : undefined;
}

function optional(name, value) {
  return value === undefined || value === '' || value === null ? {} : { [name]: value };
}

function text(value, limit = MAX_TEXT) {
  const whole = String(value ?? '');
  return whole.length <= limit ? whole : `${whole.slice(0, limit - 1)}…`;
}
