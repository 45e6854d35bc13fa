// Measures overflow and, on a phone, touch targets at the viewport that is set. See evidence/viewports.rs.
(argument, dom) => {
  const OFFENDERS = 20;
  const SMALL_TARGETS = 50;
  const TARGET_SIZE = 44;
  const CONTROLS =
    'button, a[href], input:not([type="hidden" i]), select, textarea, summary, ' +
    ['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'option', 'slider', 'combobox'].map((role) => `[role="${role}"]`).join(', ');
  const { body, box, data, documentElement, localName, nodeType, parentOf, styleOf } = dom;

  const clientWidth = dom.getter(Element.prototype, 'clientWidth');
  const scrollWidth = dom.getter(Element.prototype, 'scrollWidth');
  const edge = clientWidth(documentElement);
  const overflows = scrollWidth(documentElement) > edge + 2 || edge > argument.width + 2;
  const limit = Math.min(edge, argument.width);

  // ---- one pass over the page -------------------------------------------------------------------------------------------

  const wide = [];
  const spilling = [];
  const controls = [];
  const labelsById = new Map();

  const addLabel = (element) => {
    const id = dom.attribute(element, 'for');
    if (id) labelsById.set(id, [...(labelsById.get(id) ?? []).slice(0, 4), element]);
  };

  const clips = (style) => style.overflowX !== 'visible';
  // Whether some ancestor below the root already cuts the element off or scrolls it.
  const clipped = new Map();
  const isClippedByAncestor = (element) => {
    const path = [];
    let answer = false;
    for (let at = parentOf(element); at && at !== body && at !== documentElement; at = parentOf(at)) {
      if (clipped.has(at)) {
        answer = clipped.get(at);
        break;
      }
      path.push(at);
      if (path.length > 2000) break;
    }
    for (const at of path.reverse()) {
      answer = answer || (clips(styleOf(at)) && box(at).right + scrollX <= limit + 2);
      clipped.set(at, answer);
    }
    return answer;
  };

  const addOffender = (element, style) => {
    if (style.position === 'fixed' || style.display === 'contents') return;
    const rect = box(element);
    const right = rect.right + scrollX;
    if (rect.width > 0 && right > limit + 2) {
      if (wide.length < 20000 && !isClippedByAncestor(element)) wide.push({ element, right });
    } else if (!clips(style) && style.display !== 'inline' && rect.left + scrollX + scrollWidth(element) > limit + 2) {
      if (spilling.length < 20000 && !isClippedByAncestor(element)) {
        spilling.push({ element, right: rect.left + scrollX + scrollWidth(element) });
      }
    }
  };

  dom.walk(body ?? documentElement, (node) => {
    if (nodeType(node) !== 1) return;
    if (argument.touch && dom.matches(node, CONTROLS)) controls.push(node);
    if (argument.touch && localName(node) === 'label') addLabel(node);
    if (overflows && node !== body && !dom.isHidden(node)) addOffender(node, styleOf(node));
  });

  // ---- what sticks out ----------------------------------------------------------------------------------------------------

  // The outermost element whose own box is too wide is the culprit; where no box is, the innermost whose content spills.
  const wideSet = new Set(wide.map(({ element }) => element));
  const culprits = wide.filter(({ element }) => !wideSet.has(parentOf(element)));
  const spillingParents = new Set(spilling.map(({ element }) => parentOf(element)));
  const listed = culprits.length > 0 ? culprits : spilling.filter(({ element }) => !spillingParents.has(element));
  listed.sort((left, right) => right.right - left.right);
  const offenders = listed
    .slice(0, OFFENDERS)
    .map(({ element, right }) => ({ element: dom.describe(element), overshoot: dom.tenth(right - limit) }));

  // ---- touch targets ------------------------------------------------------------------------------------------------------

  const isBlock = (element) => styleOf(element).display !== 'inline' && styleOf(element).display !== 'contents';
  const blockOf = (element) => {
    let at = parentOf(element);
    for (let depth = 0; at && depth < 200 && !isBlock(at); depth += 1) at = parentOf(at);
    return at;
  };

  // Whether a block says anything outside its links and buttons: then its inline links stand in a sentence.
  const sentences = new Map();
  const hasWordsOfItsOwn = (block) => {
    if (sentences.has(block)) return sentences.get(block);
    let answer = false;
    let looked = 0;
    const look = (node) => {
      for (const child of dom.childNodes(node)) {
        looked += 1;
        if (answer || looked > 2000) return;
        if (nodeType(child) === 3) answer = /[\p{L}\p{N}]/u.test(data(child));
        else if (nodeType(child) === 1 && !dom.matches(child, CONTROLS) && !isBlock(child)) look(child);
      }
    };
    look(block);
    sentences.set(block, answer);
    return answer;
  };

  const isInlineLink = (element) => {
    if (localName(element) !== 'a' && dom.attribute(element, 'role') !== 'link') return false;
    if (styleOf(element).display !== 'inline') return false;
    const block = blockOf(element);
    return block !== null && hasWordsOfItsOwn(block);
  };

  // The `labels` property searches the whole tree for each control, so the labels were collected on the way.
  const labelsOf = (element) => {
    if (!dom.matches(element, 'input, select, textarea, button')) return [];
    const around = dom.closest(element, 'label');
    const wrapping = around && !dom.hasAttribute(around, 'for') ? [around] : [];
    return [...wrapping, ...(labelsById.get(dom.attribute(element, 'id')) ?? [])].slice(0, 5);
  };

  const hasBox = (element) => {
    const { width, height } = box(element);
    return dom.isVisible(element) && width > 1 && height > 1;
  };

  /** What reacts to the finger: the control, or a label that belongs to it when that is easier to hit. */
  const targetOf = (element) => {
    const areas = [element, ...labelsOf(element)].filter(hasBox);
    const ease = (area) => Math.min(box(area).width, box(area).height);
    return areas.sort((left, right) => ease(right) - ease(left))[0] ?? null;
  };

  const isInsideControl = (element) => {
    const parent = parentOf(element);
    return parent !== null && dom.closest(parent, CONTROLS) !== null;
  };

  const measureTargets = () => {
    const targets = { total: 0, small_total: 0, small: [], inline_links: 0, hidden: 0 };
    for (const [index, element] of controls.entries()) {
      if (index % 64 === 0 && dom.outOfTime()) break;
      if (dom.matches(element, ':disabled') || isInsideControl(element)) continue;
      const area = targetOf(element);
      if (!area) {
        targets.hidden += 1;
        continue;
      }
      if (isInlineLink(element)) {
        targets.inline_links += 1;
        continue;
      }
      targets.total += 1;
      const width = dom.tenth(box(area).width);
      const height = dom.tenth(box(area).height);
      if (width >= TARGET_SIZE && height >= TARGET_SIZE) continue;
      targets.small_total += 1;
      if (targets.small.length < SMALL_TARGETS) targets.small.push({ element: dom.describe(area), width, height });
    }
    return targets;
  };

  const targets = argument.touch ? measureTargets() : null;
  const meta = [...dom.querySelectorAll(document, 'meta[name="viewport" i]')][0];

  return {
    client_width: edge,
    scroll_width: scrollWidth(documentElement),
    html_overflow_x: styleOf(documentElement).overflowX,
    body_overflow_x: body ? styleOf(body).overflowX : 'visible',
    viewport_meta: meta ? dom.cut(dom.attribute(meta, 'content') ?? '', 300) : null,
    offenders,
    offenders_total: listed.length,
    targets,
    truncated: dom.state.truncated,
  };
}
