// Resolves once nothing in the document has changed for a while, or that took too long: whether all was still from the start.
({ quiet, most }) => new Promise(resolve => {
  // What turns for ever looks no different later; what comes to an end does.
  const isPassing = animation => animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity;
  const isStill = () => !document.getAnimations().some(isPassing);
  let timer;
  let still = isStill();
  const done = calm => { observer.disconnect(); clearTimeout(timer); clearTimeout(limit); resolve(calm && still && isStill()); };
  const observer = new MutationObserver(() => { still = false; clearTimeout(timer); timer = setTimeout(done, quiet, true); });
  const limit = setTimeout(done, most, false);
  timer = setTimeout(done, quiet, true);
  observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
})
