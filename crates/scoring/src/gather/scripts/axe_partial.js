// Scans one frame for a scan of the whole page. Run it in the main frame with `{}`, then depth first in the frame of every entry of
// `frames` with `{context: entry.context}`. Collect `partial` of all of them in that order (null for a frame that could not be
// scanned) and hand the list to axe_finish.js in the main frame.
async (argument, dom, report) => {
  // Counted first: the clock of the walk has not yet been used up by axe-core.
  const elements = report.elements();
  const context = argument.context ?? document;
  const frames = globalThis.axe.utils.getFrameContexts(context).slice(0, 50).map((frame) => ({
    selector: Array.isArray(frame.frameSelector) ? frame.frameSelector : [frame.frameSelector],
    context: frame.frameContext,
  }));
  const partial = await globalThis.axe.runPartial(context, report.options);
  return { partial: JSON.stringify(partial), frames, elements };
}
