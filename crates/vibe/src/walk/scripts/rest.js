// Resolves once nothing in the document has changed for a while; false when that took too long.
({ quiet, most }) => new Promise(resolve => {
  let timer;
  const done = calm => { observer.disconnect(); clearTimeout(timer); clearTimeout(limit); resolve(calm); };
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, quiet, true); });
  const limit = setTimeout(done, most, false);
  timer = setTimeout(done, quiet, true);
  observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
})
