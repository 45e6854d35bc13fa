// Runs axe-core (already evaluated in this world) on the main frame alone. Frames: axe_partial.js and axe_finish.js.
async (argument, dom, report) => {
  const results = await globalThis.axe.run(document, {
    ...report.options,
    iframes: false,
    elementRef: true,
  });
  return report.of(results, report.elements(), 1);
}
