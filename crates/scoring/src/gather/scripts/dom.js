// What every page script shares. Run once per script; see mod.rs for how the pieces are put together.
//
// The page is hostile. Forms and documents let named children shadow their own properties (an input named "parentNode"
// replaces form.parentNode), in isolated worlds too, so every property is read through the getter of its prototype. Every walk
// has a count limit, every text a length limit, and the clock stops a page that is built to be slow.
(budgetMilliseconds, elementLimit) => {
  const startedAt = performance.now();
  const state = { truncated: false };

  const getter = (prototype, name) => {
    const read = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (object) => read.call(object);
  };
  const method = (prototype, name) => {
    const call = prototype[name];
    return (object, ...rest) => call.apply(object, rest);
  };

  const localName = getter(Element.prototype, 'localName');
  const shadowRoot = getter(Element.prototype, 'shadowRoot');
  const parentNode = getter(Node.prototype, 'parentNode');
  const nodeType = getter(Node.prototype, 'nodeType');
  const childNodes = getter(Node.prototype, 'childNodes');
  const firstChild = getter(Node.prototype, 'firstChild');
  const textContent = getter(Node.prototype, 'textContent');
  const previousElement = getter(Element.prototype, 'previousElementSibling');
  const assignedSlot = getter(Element.prototype, 'assignedSlot');
  const slotOfText = getter(Text.prototype, 'assignedSlot');
  const nextSibling = getter(Node.prototype, 'nextSibling');
  const data = getter(CharacterData.prototype, 'data');
  const attribute = method(Element.prototype, 'getAttribute');
  const hasAttribute = method(Element.prototype, 'hasAttribute');
  const attributeNames = method(Element.prototype, 'getAttributeNames');
  const matches = method(Element.prototype, 'matches');
  const closest = method(Element.prototype, 'closest');
  const box = method(Element.prototype, 'getBoundingClientRect');
  const checkVisibility = method(Element.prototype, 'checkVisibility');
  const querySelectorAll = method(Document.prototype, 'querySelectorAll');
  const createTreeWalker = method(Document.prototype, 'createTreeWalker');
  const createRange = method(Document.prototype, 'createRange');
  const documentElement = getter(Document.prototype, 'documentElement')(document);
  const body = getter(Document.prototype, 'body')(document);
  const host = getter(ShadowRoot.prototype, 'host');
  const contains = method(Node.prototype, 'contains');

  const NEVER_RENDERED = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link', 'base']);

  const outOfTime = () => {
    const over = performance.now() - startedAt > budgetMilliseconds;
    if (over) state.truncated = true;
    return over;
  };

  const cut = (text, limit) => {
    const plain = String(text ?? '');
    return plain.length > limit ? plain.slice(0, limit - 1) + '…' : plain;
  };
  const collapse = (text) => text.replace(/\s+/g, ' ').trim();
  const tenth = (number) => (Number.isFinite(number) ? Math.round(number * 10) / 10 : 0);

  const elementAbove = (parent) => {
    if (!parent) return null;
    if (nodeType(parent) === 1) return parent;
    return parent instanceof ShadowRoot ? host(parent) : null;
  };
  const parentOf = (element) => elementAbove(assignedSlot(element) ?? parentNode(element));
  const parentOfText = (text) => elementAbove(slotOfText(text) ?? parentNode(text));

  /** Calls `visit(node)` for every element and text node in tree order, open shadow roots included. */
  const walk = (root, visit) => {
    let seen = 0;
    const stack = [createTreeWalker(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)];
    while (stack.length > 0) {
      const node = stack[stack.length - 1].nextNode();
      if (!node) {
        stack.pop();
        continue;
      }
      seen += 1;
      if (seen > elementLimit || (seen % 256 === 0 && outOfTime())) {
        state.truncated = true;
        return;
      }
      visit(node);
      const shadow = nodeType(node) === 1 ? shadowRoot(node) : null;
      if (shadow && stack.length < 64) {
        stack.push(createTreeWalker(document, shadow, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT));
      }
    }
  };

  const styles = new Map();
  const styleOf = (element) => {
    let style = styles.get(element);
    if (!style) {
      style = getComputedStyle(element);
      styles.set(element, style);
    }
    return style;
  };

  // Clipped to nothing while still laid out: the usual recipe for text that only screen readers get.
  const isClippedAway = (element) => {
    const style = styleOf(element);
    const insetOfHalf = /^inset\((?:50|[6-9]\d|100)(?:\.\d+)?%/.test(style.clipPath);
    if (insetOfHalf || /^rect\((?:0px|1px)(?:,? (?:0px|1px)){3}\)$/.test(style.clip)) return true;
    if (style.overflowX === 'visible' && style.overflowY === 'visible') return false;
    if (style.display === 'inline' || style.display === 'contents' || element === body || element === documentElement) {
      return false;
    }
    const { width, height } = box(element);
    return (width <= 1 && style.overflowX !== 'visible') || (height <= 1 && style.overflowY !== 'visible');
  };

  // Answers for the ancestors are kept, so that asking for every node of a page stays linear.
  const hidden = new Map();
  const isHidden = (element) => {
    const path = [];
    let known = false;
    for (let at = element; at; at = parentOf(at)) {
      const answer = hidden.get(at);
      if (answer !== undefined) {
        known = answer;
        break;
      }
      path.push(at);
      if (path.length > 5000) return true;
    }
    for (const at of path.reverse()) {
      if (!known) {
        const style = styleOf(at);
        known =
          NEVER_RENDERED.has(localName(at)) || style.display === 'none' || Number(style.opacity) <= 0.01 || isClippedAway(at);
      }
      hidden.set(at, known);
    }
    return known;
  };

  /** Rendered, not transparent, not clipped to nothing. Where on the page it is does not matter here. */
  const isVisible = (element) =>
    !isHidden(element) && checkVisibility(element, { visibilityProperty: true, contentVisibilityAuto: false });

  const range = createRange(document);
  /** Boxes of a text node that lie on the page, in page coordinates; text moved off the edge has none. */
  const textBoxes = (node, limit = 400) => {
    range.selectNodeContents(node);
    const boxes = [];
    for (const rect of range.getClientRects()) {
      if (boxes.length >= limit) break;
      const onPage = rect.right + scrollX > 0 && rect.bottom + scrollY > 0;
      if (rect.width > 0.5 && rect.height > 0.5 && onPage) boxes.push(rect);
    }
    return boxes;
  };

  /** Adds a text node to `visible` if a visitor can see it. */
  const addVisibleText = (node, visible, sampleLimit) => {
    const parent = parentOfText(node);
    const words = collapse(data(node).slice(0, 100000));
    if (words === '' || !parent || !isVisible(parent) || textBoxes(node, 3).length === 0) return;
    visible.characters += [...words].length;
    if (visible.sample.length < sampleLimit) visible.sample = cut(`${visible.sample} ${words}`.trim(), sampleLimit);
  };

  const title = () => cut(collapse(getter(Document.prototype, 'title')(document)), 2000);

  const bytesOf = (list) => {
    const encoder = new TextEncoder();
    let total = 0;
    for (const element of list) {
      if (outOfTime()) break;
      total += encoder.encode(textContent(element)).length;
    }
    return total;
  };
  /** Inline scripts that are code, not data blocks, and inline style sheets. */
  const inlineCode = () => {
    const scripts = [...querySelectorAll(document, 'script:not([src])')].slice(0, 5000).filter((script) => {
      const type = (attribute(script, 'type') ?? '').trim().toLowerCase();
      return type === '' || type === 'module' || /(?:java|ecma)script$/.test(type);
    });
    const sheets = [...querySelectorAll(document, 'style')].slice(0, 5000);
    return { scripts: scripts.length, script_bytes: bytesOf(scripts), styles: sheets.length, style_bytes: bytesOf(sheets) };
  };

  const pageRect = (rect) => ({
    x: tenth(rect.left + scrollX),
    y: tenth(rect.top + scrollY),
    width: tenth(rect.width),
    height: tenth(rect.height),
  });

  const step = (element) => {
    const name = localName(element);
    if (element === body || element === documentElement) return name;
    let position = 1;
    for (let at = previousElement(element); at && position < 5000; at = previousElement(at)) {
      if (localName(at) === name) position += 1;
    }
    return `${CSS.escape(name)}:nth-of-type(${position})`;
  };

  /** A selector that finds the element; shadow hosts are crossed with ` >>> `. */
  const selector = (element) => {
    const parts = [];
    for (let at = element; at && parts.length < 40; ) {
      const id = attribute(at, 'id');
      const named = id && id.length <= 60 && querySelectorAll(document, `#${CSS.escape(id)}`).length === 1;
      parts.unshift(named ? `#${CSS.escape(id)}` : step(at));
      const parent = parentNode(at);
      if (named || at === body || !parent) break;
      if (parent instanceof ShadowRoot) {
        at = host(parent);
        parts.unshift('>>>');
      } else {
        at = nodeType(parent) === 1 ? parent : null;
      }
    }
    return cut(parts.join(' > ').replaceAll(' > >>> > ', ' >>> '), 400);
  };

  /** The opening tag and the first words; serialising a whole subtree could take for ever. */
  const markup = (element) => {
    const name = localName(element);
    const attributes = attributeNames(element)
      .slice(0, 12)
      .map((key) => ` ${cut(key, 40)}="${cut(attribute(element, key), 80).replaceAll('"', '&quot;')}"`);
    let words = '';
    for (let at = firstChild(element), looked = 0; at && looked < 20 && words.length < 60; looked += 1) {
      if (nodeType(at) === 3) words += ' ' + data(at).slice(0, 200);
      at = nextSibling(at);
    }
    return cut(`<${name}${attributes.join('')}>${cut(collapse(words), 60)}`, 300);
  };

  const describe = (element) => ({ selector: selector(element), html: markup(element), rect: pageRect(box(element)) });

  /** At most `limit` members of a list, spread evenly from its first to its last. */
  const spread = (list, limit) => {
    if (list.length <= limit) return list;
    return Array.from({ length: limit }, (_, index) => list[Math.floor((index * list.length) / limit)]);
  };

  return {
    state, outOfTime, getter, method, localName, shadowRoot, parentNode, nodeType, childNodes, textContent, data, attribute,
    hasAttribute, matches, closest, box, querySelectorAll, documentElement, body, contains, cut, collapse, tenth, parentOf,
    parentOfText, walk, styleOf, isHidden, isVisible, textBoxes, addVisibleText, title, inlineCode, pageRect,
    describe, spread,
  };
}
