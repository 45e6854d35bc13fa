// Describes the first elements that a locator found. See evidence/acceptance.rs.
(elements, dom) => {
  const SHOWN = 5;
  return elements.slice(0, SHOWN).map((element) => {
    const { selector, html } = dom.describe(element);
    const { x, y, width, height } = dom.box(element);
    const rect = { x: dom.tenth(x), y: dom.tenth(y), width: dom.tenth(width), height: dom.tenth(height) };
    return { selector, html, rect, visible: dom.isVisible(element) };
  });
}
