// Scrolls what a visitor would scroll: the page, or the largest box that scrolls in its place. See gather/scroll.rs.
async (argument, dom) => {
  const read = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const [scrollTop, scrollHeight, clientHeight, clientWidth] =
    ['scrollTop', 'scrollHeight', 'clientHeight', 'clientWidth'].map((name) => read(Element.prototype, name));
  const own = read(Document.prototype, 'scrollingElement').call(document) ?? dom.documentElement;
  const room = (element) => scrollHeight.call(element) - clientHeight.call(element);

  let scroller = own;
  if (room(own) < 100) {
    let largest = (innerWidth * innerHeight) / 4;
    dom.walk(dom.body ?? dom.documentElement, (node) => {
      if (dom.nodeType(node) !== 1 || room(node) < 100) return;
      const area = clientWidth.call(node) * clientHeight.call(node);
      if (area <= largest || !/auto|scroll|overlay/.test(getComputedStyle(node).overflowY)) return;
      largest = area;
      scroller = node;
    });
  }

  if (argument.top !== null) {
    Element.prototype.scrollTo.call(scroller, { top: argument.top, behavior: 'instant' });
    // Two frames: observers run after the first, what they change is laid out by the second. A tab that draws nothing waits no longer.
    const frames = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.race([frames, new Promise((done) => setTimeout(done, 500))]);
  }
  return {
    top: scrollTop.call(scroller),
    height: scrollHeight.call(scroller),
    room: Math.max(0, room(scroller)),
    view: clientHeight.call(scroller),
  };
}
