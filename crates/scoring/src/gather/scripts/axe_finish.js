// Puts the partial scans of all frames together; run in the main frame. See axe_partial.js.
async (argument, dom, report) => {
  const partials = argument.partials.map((partial) => (partial === null ? null : JSON.parse(partial)));
  const results = await globalThis.axe.finishRun(partials, report.options);
  return report.of(results, argument.elements, partials.filter((partial) => partial !== null).length);
}
