// Runs axe-core (already evaluated in this world) on the main frame alone. Frames: axe_partial.js and axe_finish.js.
async (argument, dom, report) => {
  // Counted first: the clock of the walk has not yet been used up by axe-core.
  const elements = report.elements();
  const results = await globalThis.axe.run(document, {
    ...report.options,
    iframes: false,
    elementRef: true,
  });
  return report.of(results, elements, 1);
}
