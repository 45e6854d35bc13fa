// Where a marker can be read on the page, and the one control that deletes the record it marks. See backend/hands.rs.
// What stands in a field is a draft, not a record, unless the page was just loaded (`values`).
(argument, dom) => {
  const marker = argument.marker.toLowerCase();
  const value = dom.getter(HTMLInputElement.prototype, 'value');
  const all = dom.method(Element.prototype, 'querySelectorAll');
  const position = dom.method(Node.prototype, 'compareDocumentPosition');
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

  // What the app itself calls one record of a list, and what such a record is made of.
  const ITEM = 'tr, li, article, [role=row], [role=listitem], [role=article]';
  const LINE = 'li, [role=listitem]';
  const PART = 'td, th, [role=cell], [role=gridcell], [role=rowheader], p, span, strong, em, b, i, small, time, code';
  // Boxes of many records, and what a box holds that is more than one record.
  const MANY = 'main, body, form, table, tbody, ul, ol, [role=main], [role=list], [role=table], [role=grid], [role=rowgroup], [role=listbox], [role=tree], [role=feed]';
  const MORE = 'nav, main, textarea, input[type=text], input:not([type])';
  const HEADING = 'h1, h2, h3, h4, h5, h6, [role=heading]';
  const CONTROL = 'button, a[href], summary, [role=button], input[type=submit], input[type=button]';
  const MOST_CONTROLS = 50;
  const CONTENT = 'img, video, canvas, iframe, input, select, textarea';
  const ACTION = /^(edit|change|update|rename|view|open|show|details|more|share|copy|duplicate|archive|done|complete|close|cancel|save|move|pin|[^\p{L}\p{N}]*)$/u;

  const nameOf = (control) => {
    const name = dom.collapse(dom.attribute(control, 'aria-label') ?? dom.textContent(control).slice(0, 200)) || dom.attribute(control, 'title') || '';
    return name.toLowerCase().replaceAll(marker, '').trim();
  };
  const deletes = (control) => {
    const name = nameOf(control);
    if (/account|all|everything|workspace|team|project|user\b|(list|board|column|group|folder|section|collection)s?$/.test(name)) return false;
    return /^(delete|remove|trash|discard|bin)(\s+(this\s+)?[\w-]+){0,2}$/.test(name) || /^[×✕✖✗🗑]\ufe0f?$/u.test(name);
  };
  const isPlainAction = (control) => ACTION.test(nameOf(control)) || deletes(control);
  const follows = (element, place) => (position(place, element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const mentions = (element) => dom.textContent(element).toLowerCase().includes(marker);

  // Whether an element says or shows anything besides controls that may stand there. What could not be read to its end says something.
  const says = (element, mayStand = isPlainAction) => {
    let found = false;
    const note = (node) => {
      if (found) return;
      const isText = dom.nodeType(node) === 3;
      const around = isText ? dom.parentOfText(node) : node;
      if (!around || !(isText ? /[\p{L}\p{N}]/u.test(dom.data(node)) : dom.matches(node, CONTENT)) || !dom.isVisible(around)) return;
      const control = dom.closest(around, CONTROL);
      found = !control || !mayStand(control);
    };
    note(element);
    dom.walk(element, note);
    return found || dom.state.truncated;
  };

  const classesOf = (element) => new Set((dom.attribute(element, 'class') ?? '').split(/\s+/).filter(Boolean));
  // The same kind of element, with at least half of the classes of both in common.
  const isAlike = (one, other) => {
    if (dom.localName(one) !== dom.localName(other) || dom.attribute(one, 'role') !== dom.attribute(other, 'role')) return false;
    const [ours, theirs] = [classesOf(one), classesOf(other)];
    const common = [...ours].filter((name) => theirs.has(name)).length;
    return common * 4 >= ours.size + theirs.size;
  };
  // Whether something stands beside an element that may be the same for another record.
  const hasTwin = (element) =>
    [...dom.childNodes(dom.parentNode(element))].some(
      (other) => other !== element && dom.nodeType(other) === 1 && isAlike(element, other) && !mentions(other) && says(other));

  const childrenOf = (element) => [...dom.childNodes(element)].filter((child) => dom.nodeType(child) === 1);
  const removersIn = (element) => [...all(element, CONTROL)].filter((control) => deletes(control));
  // Whether all boxes like this one are made of the same parts, each with one control that deletes, in the part that has ours: records of one
  // list. Columns and days hold now more records, now less. Parts that are like each other may be records themselves.
  const isMadeLikeOthers = (box, branch) => {
    const parts = childrenOf(box);
    const others = childrenOf(dom.parentNode(box)).filter((other) => other !== box && isAlike(box, other) && !mentions(other));
    const isMadeAlike = (other) => {
      const theirs = childrenOf(other);
      const removers = removersIn(other);
      return theirs.length === parts.length && theirs.every((part, index) => isAlike(part, parts[index])) &&
        removers.length === 1 && dom.contains(theirs[parts.indexOf(branch)], removers[0]);
    };
    const isOneOfMany = parts.some((part) => part !== branch && isAlike(part, branch));
    return !isOneOfMany && removersIn(box).length === 1 && others.length > 0 && others.every(isMadeAlike);
  };

  const isMoreThanARecord = (box) =>
    box === dom.body || dom.matches(box, MANY) || all(box, MORE).length > 0 || all(box, CONTROL).length > MOST_CONTROLS ||
    [...all(box, HEADING)].some((heading) => !mentions(heading));
  const boxesAround = (place) => {
    const boxes = [];
    for (let at = place; at && boxes.length < 8 && !isMoreThanARecord(at); at = dom.parentOf(at)) boxes.push(at);
    return boxes;
  };

  // Whether a control in a box belongs to the marker. The branch of the box that leads to the control must hold nothing that another
  // record could be told by: nothing but the usual controls; in what the app calls an item no words outside of controls, as days of a
  // calendar stand in one row; in an item of a list none before the marker, as those could be the name of a column. A box may hold words
  // there as well if it is one of many that are made alike.
  const isOurs = (control, box, place) => {
    const item = dom.closest(place, ITEM);
    if (dom.closest(control, ITEM) !== item) return false;
    let branch = control;
    while (dom.parentNode(branch) !== box) branch = dom.parentNode(branch);
    if (!item) return !says(branch) || (follows(control, place) && isMadeLikeOthers(box, branch));
    return !says(branch, () => true) || (dom.matches(item, LINE) && follows(control, place));
  };
  // Upwards from the marker to the first box with a control that deletes, and never beyond the marker's own row.
  const controlOf = (place) => {
    const boxes = boxesAround(place);
    const isRow = (box) => dom.matches(box, ITEM) || (!dom.matches(box, PART) && hasTwin(box));
    const row = boxes.find(isRow);
    for (const box of boxes) {
      const found = [...all(box, CONTROL)].filter((control) => dom.isVisible(control) && deletes(control));
      if (found.length > 0) return found.length === 1 && isOurs(found[0], box, place) ? found[0] : null;
      if (box === row || (!row && hasTwin(box))) return null;
    }
    return null;
  };

  const remember = (element) => (globalThis.benchwrightElements ??= []).push(element) - 1;
  if (!argument.row || places.length === 0) return { shown: places.length > 0 };
  let control = null;
  for (const place of places) control ??= controlOf(place);
  return { shown: true, place: remember(places[0]), control: control && remember(control) };
}
