// Reads one frame as a person sees it: everything that is rendered, as a tree of roles, names, texts and states. `this` is
// Playwright's engine, which knows roles and accessible names; `closedRoots` of it are the shadow roots that scripts cannot reach.
function ({ next, most, longest, milliseconds, prefix, offset }) {
  const engine = this;
  const { getAriaRole, getElementAccessibleNameText } = engine.utils;
  const end = performance.now() + milliseconds;
  const state = { left: most, cut: false };

  // Elements keep their number as long as their document lives, so that a reference of an old sight still means the same. The document
  // counts too: the answer to an earlier reading may never have arrived.
  const seen = engine.seen ??= { numbers: new WeakMap(), elements: new Map(), next };
  seen.next = Math.max(seen.next, next);
  engine._engines.set('seen', {
    queryAll: (_root, reference) => {
      const element = seen.elements.get(reference)?.deref();
      return element?.isConnected ? [element] : [];
    },
  });
  const referenceOf = element => {
    let reference = seen.numbers.get(element);
    if (!reference) {
      reference = `${prefix}e${seen.next++}`;
      seen.numbers.set(element, reference);
      seen.elements.set(reference, new WeakRef(element));
    }
    return reference;
  };

  const SILENT = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD', 'LINK', 'META', 'OPTION', 'OPTGROUP', 'DATALIST']);
  const CONTROLS = new Set([
    'button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'option',
    'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'treeitem', 'listbox',
  ]);
  const NAMED = new Set([
    ...CONTROLS, 'heading', 'img', 'dialog', 'alertdialog', 'group', 'radiogroup', 'region', 'navigation', 'form', 'table',
    'grid', 'list', 'iframe', 'progressbar', 'meter', 'tabpanel', 'menu', 'tablist', 'article', 'figure',
  ]);
  const INLINE = new Set([null, 'generic', 'strong', 'emphasis', 'code', 'mark', 'time', 'insertion', 'deletion', 'subscript', 'superscript', 'none', 'presentation', 'paragraph']);
  const FIELDS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider', 'checkbox', 'radio', 'switch', 'listbox']);
  // Paragraphs repeat without being entries of anything.
  const LINES = new Set(['p', 'span', 'label', 'legend', 'figcaption', 'fieldset', 'header', 'footer', 'main', 'nav']);
  const ENTRIES = new Set(['row', 'listitem', 'article', 'treeitem', 'entry']);

  const folded = text => text.replace(/[\s\u200b\u00ad]+/g, ' ');
  const short = text => { const clean = folded(text).trim(); return clean.length > longest ? `${clean.slice(0, longest)}…` : clean; };
  const rootOf = element => element.shadowRoot ?? engine.closedRoots?.get(element);
  const insideOf = element => {
    if (element.localName === 'slot') {
      const assigned = element.assignedNodes({ flatten: true });
      if (assigned.length) return assigned;
    }
    return (rootOf(element) ?? element).childNodes;
  };
  const parentOf = node => node.assignedSlot ?? node.parentElement ?? (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const holds = (outer, inner) => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };

  const box = rect => (rect.width > 0 || rect.height > 0) ? {
    x: Math.round(rect.x + offset.x + scrollX * offset.own), y: Math.round(rect.y + offset.y + scrollY * offset.own),
    width: Math.round(rect.width), height: Math.round(rect.height),
  } : undefined;

  const modals = [...document.querySelectorAll('dialog[open], [aria-modal="true"]')]
    .filter(element => (element.matches(':modal') || element.getAttribute('aria-modal') === 'true') && element.checkVisibility({ visibilityProperty: true }));
  const modal = modals.at(-1);

  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let root = hit && rootOf(hit); root; root = hit && rootOf(hit)) {
      const deeper = root.elementFromPoint(x, y);
      if (!deeper || deeper === hit) break;
      hit = deeper;
    }
    return hit;
  };
  const isUnder = element => {
    const rect = element.getClientRects()[0];
    if (!rect) return false;
    const x = rect.x + rect.width / 2, y = rect.y + rect.height / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
    const hit = hitAt(x, y);
    if (!hit || holds(element, hit) || holds(hit, element)) return false;
    const label = hit.closest('label');
    return !(label && (label.control === element || holds(label, element)));
  };
  const isCovered = element => Boolean((modal && !holds(modal, element)) || element.closest('[inert]') || isUnder(element));

  const looksClickable = (element, style) => {
    if (element.isContentEditable && !element.parentElement?.isContentEditable) return true;
    // A button is one whatever role it was given, such as the days of a calendar.
    if (element.localName === 'button' || (element.localName === 'a' && element.href)) return true;
    if (element.hasAttribute('onclick') || element.hasAttribute('draggable') || (element.hasAttribute('tabindex') && element.tabIndex >= 0)) return true;
    const parent = parentOf(element);
    return style.cursor === 'pointer' && !(parent && getComputedStyle(parent).cursor === 'pointer');
  };

  // A box or a circle that is drawn by its label has an input that nobody sees.
  const drawnBy = label => {
    const control = label.control;
    if (!control || !/^(checkbox|radio|file)$/.test(control.type)) return null;
    return control.checkVisibility({ visibilityProperty: true }) && control.getClientRects().length > 0 ? null : control;
  };

  const statesOf = (element, role, node) => {
    const aria = name => element.getAttribute(`aria-${name}`);
    const flag = name => ({ true: true, false: false })[aria(name)];
    const checkable = element.localName === 'input' && /^(checkbox|radio)$/.test(element.type);
    node.checked = checkable ? element.checked : flag('checked') ?? flag('selected') ?? flag('pressed') ?? (aria('current') && aria('current') !== 'false' ? true : undefined);
    node.expanded = element.localName === 'summary' ? Boolean(element.parentElement?.open) : flag('expanded');
    node.disabled = element.matches(':disabled') || element.closest('[aria-disabled="true"]') !== null || undefined;
    const root = element.getRootNode();
    node.focused = (root.activeElement === element && document.activeElement !== document.body) || undefined;
    if (role === 'heading') node.level = Number(aria('level')) || Number(element.localName[1]) || undefined;
    if (element.localName === 'a' && element.href) node.href = String(element.href);
    if (aria('placeholder') || element.placeholder) node.placeholder = short(String(element.placeholder || aria('placeholder')));
  };

  const choicesOf = options => [...options].slice(0, 500).map(option => ({
    label: short(option.label || option.textContent || option.value || ''), chosen: option.selected || undefined, disabled: option.disabled || undefined,
  }));

  const valueOf = (element, role, node) => {
    if (element.localName === 'select') {
      node.options = choicesOf(element.options);
      node.value = node.options.filter(option => option.chosen).map(option => option.label).join(', ');
    } else if (element.localName === 'input') {
      node.input = element.type;
      if (element.type === 'file') node.value = [...element.files].map(file => file.name).join(', ');
      else if (element.type === 'password') node.value = '•'.repeat(element.value.length);
      else if (!/^(checkbox|radio|button|submit|reset|image)$/.test(element.type)) node.value = element.value.slice(0, longest);
      if (element.list) node.options = choicesOf(element.list.options);
    } else if (element.localName === 'textarea') {
      node.value = element.value.slice(0, longest);
    } else if (FIELDS.has(role) && element.isContentEditable) {
      node.value = short(element.innerText);
    } else if (role === 'combobox') {
      const inner = element.querySelector('input');
      node.value = short(inner ? inner.value : element.innerText ?? '');
    } else if (element.hasAttribute('aria-valuenow')) {
      node.value = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow');
    }
  };

  // Blocks that repeat: siblings of one kind with more in them than a label and its field.
  const repeats = element => {
    const like = other => other !== element && other.localName === element.localName && alike(element.classList, other.classList) && other.checkVisibility();
    return [...(element.parentElement ?? element.getRootNode()).children].some(like);
  };
  const alike = (one, other) => {
    if (one.length === 0 && other.length === 0) return true;
    const shared = [...one].filter(name => other.contains(name)).length;
    return shared * 2 >= Math.max(one.length, other.length);
  };
  const pieces = (node, found = { texts: 0, fields: 0, others: 0 }) => {
    if (node.role === 'text') found.texts += 1;
    else if (FIELDS.has(node.role)) found.fields += 1;
    else if (CONTROLS.has(node.role) || node.role === 'heading' || node.role === 'img') found.others += 1;
    for (const child of node.children ?? []) pieces(child, found);
    return found;
  };
  const isEntry = (element, node) => {
    const { texts, fields, others } = pieces(node);
    const isLabelledField = fields === 1 && texts <= 2 && others === 0;
    return texts + others + fields >= 2 && !isLabelledField && !LINES.has(element.localName) && repeats(element);
  };

  const grouped = children => {
    const groups = [];
    for (const child of children) {
      if (child.role === 'term' && !(groups.at(-1)?.children.every(other => other.role === 'term'))) groups.push({ role: 'entry', children: [child] });
      else if (groups.length) groups.at(-1).children.push(child);
      else groups.push({ role: 'entry', children: [child] });
    }
    return groups;
  };

  // A stretch of text that nothing interrupts. `sight` is what befell it on the way down.
  const flush = run => {
    const text = short(run.text);
    if (text && run.first) {
      const range = document.createRange();
      range.setStartBefore(run.first);
      try { range.setEndAfter(run.last); } catch { range.selectNode(run.first); }
      if (run.last.getRootNode() !== run.first.getRootNode()) range.selectNode(run.first);
      const owner = run.first.parentElement ?? parentOf(run.first);
      run.into.push({
        role: 'text', name: text, reference: owner ? referenceOf(owner) : undefined, place: box(range.getBoundingClientRect()),
        covered: (modal && owner && !holds(modal, owner)) || undefined,
      });
    }
    run.text = ''; run.first = null; run.last = null;
  };

  const readInto = (parent, run, sight) => {
    for (const child of insideOf(parent)) {
      if (state.left <= 0 || performance.now() > end) { state.cut = true; return; }
      if (child.nodeType === Node.TEXT_NODE) {
        if (!sight.unseen && child.data) {
          if (!run.first && child.data.trim()) run.first = child;
          if (run.first && child.data.trim()) run.last = child;
          if (run.first || run.text === '') run.text += run.first ? child.data : '';
        }
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        readElement(child, run, sight);
      }
    }
  };

  const isClipped = (element, style) => /hidden|clip/.test(style.overflow) && style.display !== 'inline'
    && (element.clientWidth <= 1 || element.clientHeight <= 1) && !(element instanceof HTMLInputElement);
  const isAway = (element, style) => {
    if (style.position !== 'absolute' && style.position !== 'fixed') return false;
    const rect = element.getBoundingClientRect();
    return rect.width > 0 && (rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0);
  };

  const readElement = (element, run, sight) => {
    if (SILENT.has(element.tagName.toUpperCase())) return;
    if (element.localName === 'br') { run.text += ' '; return; }
    const style = getComputedStyle(element);
    if (style.display === 'none' || (style.display !== 'contents' && !element.checkVisibility())) return;
    state.left -= 1;
    const opacity = sight.opacity * Number(style.opacity);
    const unseen = style.visibility !== 'visible' || opacity < 0.05 || sight.clipped || isClipped(element, style) || isAway(element, style);
    const below = { opacity, unseen, clipped: sight.clipped || isClipped(element, style) || isAway(element, style) };
    let role = getAriaRole(element);
    if (element.localName === 'summary') role = 'button';
    if (element.localName === 'iframe' || element.localName === 'frame') role = 'iframe';
    if (element.localName === 'input' && element.type === 'hidden') return;
    if (element.localName === 'input' && element.type === 'file') role = 'button';
    if (role === null && element.isContentEditable && !element.parentElement?.isContentEditable) role = 'textbox';
    const control = CONTROLS.has(role);
    const drawn = element.localName === 'label' ? drawnBy(element) : null;
    const clickable = !control && looksClickable(element, style);
    if (INLINE.has(role) && !drawn && !clickable && (style.display === 'inline' || style.display === 'contents' || element.localName === 'slot')) {
      readInto(element, run, below);
      return;
    }
    // A box that is drawn elsewhere may be transparent or one pixel large and is there all the same.
    if (unseen && (style.visibility !== 'visible' || below.clipped || !control)) {
      flush(run);
      if (!control) readInto(element, run, below);
      return;
    }
    flush(run);
    const node = readNode(element, role, { control, clickable, drawn, hovers: style.position === 'fixed' }, below);
    if (node) run.into.push(node);
  };

  // A few words that hover over the page, perhaps with a button that closes them: they tell of things and are none of them.
  const isMessage = node => {
    const { texts, fields, others } = pieces(node);
    return texts > 0 && fields === 0 && others <= 1;
  };

  const readNode = (element, role, { control, clickable, drawn, hovers }, sight) => {
    const node = { role: role ?? 'generic', children: [], place: box(element.getBoundingClientRect()) };
    const own = { text: '', first: null, last: null, into: node.children };
    const speaks = element.localName !== 'select' && element.localName !== 'textarea' && role !== 'iframe' && !(FIELDS.has(role) && element.isContentEditable);
    if (speaks) { readInto(element, own, sight); flush(own); }
    if (drawn) node.children.push(drawnControl(element, drawn));
    if (element.localName === 'dl') node.children = grouped(node.children);
    if (NAMED.has(role)) node.name = short(getElementAccessibleNameText(element, false) || '');
    else if (clickable) node.name = short(element.getAttribute('aria-label') || element.getAttribute('title') || textOf(node)).slice(0, 300);
    if (control || clickable || role === 'iframe' || role === 'heading' || ENTRIES.has(role)) {
      node.reference = referenceOf(element);
      statesOf(element, role, node);
      valueOf(element, role, node);
    }
    if (control || clickable) node.covered = isCovered(element) || undefined;
    else if (modal && !holds(modal, element)) node.covered = true;
    if (hovers && node.role === 'generic' && !clickable && isMessage(node)) node.role = 'status';
    return simplified(element, node, { control, clickable });
  };

  const textOf = node => node.role === 'text' ? node.name : (node.children ?? []).map(textOf).join(' ');

  const drawnControl = (label, control) => {
    const role = control.type === 'file' ? 'button' : control.type;
    const node = { role, name: short(getElementAccessibleNameText(control, true) || label.innerText), reference: referenceOf(label), place: box(label.getBoundingClientRect()), children: [] };
    statesOf(control, role, node);
    valueOf(control, role, node);
    node.covered = isCovered(label) || undefined;
    return node;
  };

  // Wrappers around one thing go, and what a name says already need not be told twice.
  const simplified = (element, node, { control, clickable }) => {
    const only = node.children.length === 1 ? node.children[0] : null;
    if (control || node.role === 'heading') {
      if (only?.role === 'text' && only.name === node.name) node.children = [];
      return node;
    }
    if (node.role === 'img') return node.name ? { ...node, children: [] } : null;
    if (clickable || node.role === 'iframe') {
      if (only?.role === 'text' && only.name === node.name) node.children = [];
      return node;
    }
    const plain = node.role === 'generic' || node.role === 'paragraph' || node.role === 'none' || node.role === 'presentation';
    if (!plain) return node.children.length || node.name || node.reference ? node : null;
    if (isEntry(element, node)) {
      node.role = 'entry';
      node.reference = referenceOf(element);
      return node;
    }
    node.role = 'generic';
    if (node.children.length === 0) return null;
    return only ?? node;
  };

  const top = document.body ?? document.documentElement;
  const root = { role: 'document', name: '', children: [] };
  if (top && !/frameset/i.test(top.localName)) {
    const run = { text: '', first: null, last: null, into: root.children };
    readInto(top, run, { opacity: 1, unseen: false, clipped: false });
    flush(run);
  }
  return {
    next: seen.next, cut: state.cut, root, title: short(document.title), url: location.href,
    scrolled: [scrollX, scrollY],
    page: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
  };
}
