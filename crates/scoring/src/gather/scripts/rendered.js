// What F1 and the report's header need of the document, in one quick look. See evidence/load.rs.
(argument, dom) => {
  const visible = { characters: 0, sample: '' };
  dom.walk(dom.body ?? dom.documentElement, (node) => {
    if (dom.nodeType(node) === 3) dom.addVisibleText(node, visible, 2000);
  });
  const inline = dom.inlineCode();
  return {
    visibleTextLength: visible.characters,
    visibleTextSample: visible.sample,
    inlineScriptBytes: inline.script_bytes,
    inlineStyleBytes: inline.style_bytes,
    title: dom.title(),
  };
}
