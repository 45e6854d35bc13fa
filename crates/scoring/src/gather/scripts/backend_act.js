// Acts on an element that backend_survey.js or backend_marker.js remembered. See backend/hands.rs.
(argument, dom) => {
  const element = (globalThis.benchwrightElements ?? [])[argument.number];
  if (!element || !element.isConnected) return { gone: true };
  const name = dom.localName(element);
  const prototype = { input: HTMLInputElement, textarea: HTMLTextAreaElement, select: HTMLSelectElement }[name]?.prototype;
  const written = () => (prototype ? Object.getOwnPropertyDescriptor(prototype, 'value').get.call(element) : dom.textContent(element));
  const tell = () => {
    for (const kind of ['input', 'change']) element.dispatchEvent(new Event(kind, { bubbles: true, composed: true }));
  };
  const deepest = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let steps = 0; hit && dom.shadowRoot(hit) && steps < 20; steps += 1) {
      const inner = dom.shadowRoot(hit).elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  switch (argument.act) {
    case 'point': {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { left, top, width, height } = dom.box(element);
      const [x, y] = [left + width / 2, top + height / 2];
      const hit = deepest(x, y);
      // What vanished meanwhile has no box; its middle would be the corner of the page.
      const clear = width > 0 && height > 0 && hit !== null && (hit === element || dom.contains(element, hit) || dom.contains(hit, element));
      return { x, y, clear };
    }
    case 'click':
      element.click();
      return {};
    case 'focus':
      element.focus();
      if (name === 'input' || name === 'textarea') element.select();
      else getSelection().selectAllChildren(element);
      return {};
    case 'set':
      if (name === 'select' || prototype) Object.getOwnPropertyDescriptor(prototype, 'value').set.call(element, argument.value);
      tell();
      return { value: written() };
    case 'check':
      if (!element.checked) element.click();
      return {};
    default:
      return { value: written() };
  }
}
