// Where a marker can be read on the page, and the one control that deletes the record it marks. See backend/hands.rs.
// What stands in a field is a draft, not a record, unless the page was just loaded (`values`).
(argument, dom) => {
  const marker = argument.marker.toLowerCase();
  const value = dom.getter(HTMLInputElement.prototype, 'value');
  const places = [];
  dom.walk(dom.body ?? dom.documentElement, (node) => {
    if (places.length >= 20) return;
    if (dom.nodeType(node) === 3) {
      const parent = dom.parentOfText(node);
      if (!parent || !dom.data(node).toLowerCase().includes(marker)) return;
      if (!dom.isVisible(parent) || dom.textBoxes(node, 1).length === 0) return;
      if (!dom.closest(parent, 'textarea, option, [contenteditable=""], [contenteditable=true]')) places.push(parent);
    } else if (argument.values && dom.localName(node) === 'input' && dom.isVisible(node) && value(node).toLowerCase().includes(marker)) {
      places.push(node);
    }
  });
  const deletes = (element) => {
    const name = dom.collapse(dom.attribute(element, 'aria-label') ?? dom.textContent(element).slice(0, 200)) || dom.attribute(element, 'title') || '';
    const plain = name.toLowerCase().replaceAll(marker, '').trim();
    if (/account|all|everything|workspace|team|project|user\b/.test(plain)) return false;
    return /^(delete|remove|trash|discard|bin)(\s+(this\s+)?[\w-]+){0,2}$/.test(plain) || /^[×✕✖✗🗑]\ufe0f?$/u.test(plain);
  };
  // Upwards from the marker to the first box with a delete control. More than one control, a field to write in or a heading of
  // the page mean that the box is more than our record.
  const controlOf = (place) => {
    let at = place;
    for (let steps = 0; at && at !== dom.body && steps < 8; at = dom.parentOf(at), steps += 1) {
      if (['main', 'body', 'form', 'table', 'tbody', 'ul', 'ol'].includes(dom.localName(at)) || at.querySelector('h1, nav, main, textarea, input[type=text], input:not([type])')) return null;
      const found = [...at.querySelectorAll('button, a[href], [role=button], input[type=submit]')].slice(0, 50).filter((control) => dom.isVisible(control) && deletes(control));
      if (found.length === 1) return found[0];
      if (found.length > 1) return null;
    }
    return null;
  };
  let control = null;
  if (argument.row) {
    for (const place of places) control ??= controlOf(place);
  }
  if (control) (globalThis.benchwrightElements ??= []).push(control);
  return { shown: places.length > 0, control: control ? globalThis.benchwrightElements.length - 1 : null };
}
