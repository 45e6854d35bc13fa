// Everything a visitor could use on the page right now: fields, controls, and the groups they form. See backend/survey.rs.
// The elements are remembered in our isolated world, so that backend_act.js can find them again by number.
(argument, dom) => {
  const MAX_FIELDS = 150;
  const MAX_CONTROLS = 300;
  const FIELD = 'input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image],[type=file]), textarea, select, [contenteditable=""], [contenteditable=true]';
  const CONTROL =
    'button, a[href], summary, input[type=submit], input[type=button], input[type=image], [role=button], [role=link], [role=menuitem], [role=tab], [aria-haspopup]';
  const REGIONS = { nav: 'nav', header: 'header', footer: 'footer', aside: 'nav', dialog: 'dialog' };
  // The header of a card is not the page's: what stands there belongs to one record.
  const RECORD = 'article, li, tr, [role=article], [role=listitem], [role=row]';
  const isOfARecord = (element) => ['header', 'footer'].includes(dom.localName(element)) && dom.closest(element, RECORD) !== null;

  const elements = [];
  globalThis.benchwrightElements = elements;
  const remember = (element) => elements.push(element) - 1;
  const value = dom.getter(HTMLInputElement.prototype, 'value');
  const labelsOf = dom.getter(HTMLInputElement.prototype, 'labels');
  const areaLabels = dom.getter(HTMLTextAreaElement.prototype, 'labels');
  const selectLabels = dom.getter(HTMLSelectElement.prototype, 'labels');
  const optionsOf = dom.getter(HTMLSelectElement.prototype, 'options');
  const byId = dom.method(Document.prototype, 'getElementById');
  const validity = (element) => {
    try {
      return dom.matches(element, ':user-invalid, [aria-invalid=true]');
    } catch {
      return false;
    }
  };

  const words = (element, limit = 80) => dom.cut(dom.collapse(dom.textContent(element).slice(0, 2000)), limit);
  const referred = (element, name) =>
    (dom.attribute(element, name) ?? '')
      .split(/\s+/)
      .slice(0, 4)
      .map((id) => (id ? byId(document, id) : null))
      .filter(Boolean)
      .map((found) => words(found))
      .join(' ');
  const labels = (element) => {
    const name = dom.localName(element);
    const list = name === 'input' ? labelsOf(element) : name === 'textarea' ? areaLabels(element) : name === 'select' ? selectLabels(element) : null;
    return [...(list ?? [])].slice(0, 3).map((label) => words(label)).join(' ');
  };
  // Text beside an icon names a control; so does the picture's own name.
  const pictureName = (element) => {
    for (const picture of [...element.querySelectorAll('img[alt], svg[aria-label], [aria-label]')].slice(0, 3)) {
      const name = dom.attribute(picture, 'alt') ?? dom.attribute(picture, 'aria-label');
      if (name) return dom.cut(dom.collapse(name), 80);
    }
    const title = element.querySelector('svg > title');
    return title ? words(title) : '';
  };
  const nameOf = (element) =>
    referred(element, 'aria-labelledby') ||
    dom.collapse(dom.attribute(element, 'aria-label') ?? '') ||
    words(element) ||
    (dom.localName(element) === 'input' ? dom.cut(value(element), 80) : '') ||
    dom.collapse(dom.attribute(element, 'title') ?? '') ||
    pictureName(element);

  const isDialog = (element) =>
    dom.localName(element) === 'dialog' || ['dialog', 'alertdialog'].includes(dom.attribute(element, 'role') ?? '') || dom.attribute(element, 'aria-modal') === 'true';
  const regionOf = (element) => {
    for (let at = element, steps = 0; at && steps < 60; at = dom.parentOf(at), steps += 1) {
      if (isDialog(at)) return 'dialog';
      const region = REGIONS[dom.localName(at)] ?? { navigation: 'nav', banner: 'header', contentinfo: 'footer' }[dom.attribute(at, 'role') ?? ''];
      if (region && !isOfARecord(at)) return region;
    }
    return '';
  };

  // The header of the page, where an avatar may be a picture without a name: the first one, in no part of the page, without the title of
  // a part, and with no other like it beside it or in the boxes beside its own.
  const PART = `${RECORD}, section, aside, dialog, [role=dialog], [role=region]`;
  const TITLE = 'h2, h3, h4, h5, h6';
  const isHeader = (element) => element !== null && dom.matches(element, 'header, [role=banner]');
  const childrenOf = (element) => [...dom.childNodes(element)].filter((child) => dom.nodeType(child) === 1);
  const isShownHeader = (element) => isHeader(element) && dom.isVisible(element);
  const classesOf = (element) => (dom.attribute(element, 'class') ?? '').split(/\s+/).filter(Boolean);
  const isLike = (one, other) => {
    const [ours, theirs] = [classesOf(one), classesOf(other)];
    return dom.localName(one) === dom.localName(other) && (ours.length + theirs.length === 0 || ours.some((name) => theirs.includes(name)));
  };
  const besides = (element) => (dom.parentOf(element) ? childrenOf(dom.parentOf(element)).filter((child) => child !== element) : []);
  const isRepeated = (header) => {
    const box = dom.parentOf(header);
    const boxes = box && box !== dom.body ? besides(box).filter((other) => isLike(box, other)) : [];
    return besides(header).some(isShownHeader) || boxes.some((other) => childrenOf(other).some(isShownHeader));
  };
  const firstHeader = [...dom.querySelectorAll(document, 'header, [role=banner]')].slice(0, 200)
    .find((header) => dom.isVisible(header) && dom.closest(header, PART) === null) ?? null;
  const bannerAround = (element) => {
    for (const at of ancestors(element)) {
      if (isHeader(at)) return at;
    }
    return null;
  };
  const isInBanner = (element) => {
    const header = bannerAround(element);
    return header !== null && header === firstHeader && header.querySelector(TITLE) === null && !isRepeated(header);
  };

  const groups = new Map();
  const groupFor = (element) => {
    let found = null;
    for (let at = dom.parentOf(element), steps = 0; at && steps < 60; at = dom.parentOf(at), steps += 1) {
      if (dom.localName(at) === 'form' || isDialog(at)) {
        found = at;
        break;
      }
    }
    // Without a form, what lies closest around the field together with a button.
    for (let at = dom.parentOf(element), steps = 0; !found && at && at !== dom.body && steps < 6; at = dom.parentOf(at), steps += 1) {
      if (at.querySelector('button, input[type=submit], [role=button]')) found = at;
    }
    if (!found) return null;
    if (!groups.has(found)) {
      const heading = found.querySelector('h1, h2, h3, h4, legend');
      groups.set(found, {
        number: groups.size,
        dialog: [...ancestors(found)].some(isDialog),
        form: dom.localName(found) === 'form',
        role: dom.attribute(found, 'role') ?? '',
        heading: heading ? words(heading) : '',
      });
    }
    return groups.get(found).number;
  };
  function* ancestors(element) {
    for (let at = element, steps = 0; at && steps < 60; at = dom.parentOf(at), steps += 1) yield at;
  }

  const typeOf = (element) => {
    const name = dom.localName(element);
    if (name === 'textarea' || name === 'select') return name;
    if (name !== 'input') return 'editable';
    return (dom.attribute(element, 'type') ?? 'text').toLowerCase();
  };
  const field = (element) => ({
    number: remember(element),
    kind: typeOf(element),
    label: dom.cut(dom.collapse([dom.attribute(element, 'aria-label') ?? '', referred(element, 'aria-labelledby'), labels(element)].join(' ')), 120),
    placeholder: dom.cut(dom.attribute(element, 'placeholder') ?? '', 120),
    name: dom.cut(`${dom.attribute(element, 'name') ?? ''} ${dom.attribute(element, 'id') ?? ''}`.trim(), 120),
    autocomplete: dom.cut(dom.attribute(element, 'autocomplete') ?? '', 60),
    required: dom.hasAttribute(element, 'required') || dom.attribute(element, 'aria-required') === 'true',
    minimum: dom.cut(dom.attribute(element, 'min') ?? '', 40),
    maximum: dom.cut(dom.attribute(element, 'max') ?? '', 40),
    max_length: Number.parseInt(dom.attribute(element, 'maxlength') ?? '', 10) || 0,
    options: dom.localName(element) === 'select'
      ? [...optionsOf(element)].slice(0, 12).map((option) => (dom.hasAttribute(option, 'disabled') ? '' : dom.cut(option.value, 200)))
      : [],
    read_only: dom.hasAttribute(element, 'readonly') || dom.matches(element, ':disabled'),
    invalid: validity(element),
    group: groupFor(element),
    region: regionOf(element),
  });

  const foundFields = [];
  const foundControls = [];
  const alerts = [];
  const visible = { characters: 0, sample: '' };
  let captcha = '';
  const CAPTCHAS = [
    [/recaptcha/i, 'reCAPTCHA'], [/hcaptcha|h-captcha/i, 'hCaptcha'], [/turnstile|challenges\.cloudflare/i, 'Turnstile'],
    [/arkoselabs|funcaptcha/i, 'Arkose'], [/friendlycaptcha|frc-captcha/i, 'Friendly Captcha'], [/geetest/i, 'GeeTest'], [/captcha/i, 'a captcha'],
  ];
  const noteCaptcha = (element) => {
    const name = dom.localName(element);
    const traces = name === 'iframe' ? `${dom.attribute(element, 'src') ?? ''} ${dom.attribute(element, 'title') ?? ''}`
      : `${dom.attribute(element, 'class') ?? ''} ${dom.attribute(element, 'name') ?? ''} ${dom.attribute(element, 'id') ?? ''}`;
    if (!/captcha|turnstile|cloudflare|arkose|geetest/i.test(traces) || /badge|invisible/i.test(traces)) return;
    const { width, height } = dom.box(element);
    if (width < 40 || height < 20 || dom.attribute(element, 'data-size') === 'invisible' || !dom.isVisible(element)) return;
    captcha = CAPTCHAS.find(([pattern]) => pattern.test(traces))?.[1] ?? '';
  };

  dom.walk(dom.body ?? dom.documentElement, (node) => {
    if (dom.nodeType(node) === 3) {
      dom.addVisibleText(node, visible, 6000);
      return;
    }
    if (!captcha) noteCaptcha(node);
    if (dom.matches(node, FIELD)) {
      if (foundFields.length < MAX_FIELDS && dom.isVisible(node) && dom.box(node).width > 1) foundFields.push(node);
    } else if (foundControls.length < MAX_CONTROLS && isControl(node) && dom.isVisible(node) && dom.box(node).width > 1) {
      foundControls.push(node);
    } else if (alerts.length < 8 && dom.matches(node, '[role=alert], [aria-live=assertive], .error, .alert') && dom.isVisible(node)) {
      const text = words(node, 200);
      if (text) alerts.push(text);
    }
  });
  // Scripts make anything clickable; the hand of the pointer is what tells.
  function isControl(element) {
    if (dom.matches(element, CONTROL)) return true;
    if (!['div', 'span', 'li', 'img', 'svg'].includes(dom.localName(element)) || dom.styleOf(element).cursor !== 'pointer') return false;
    const parent = dom.parentOf(element);
    return !parent || dom.styleOf(parent).cursor !== 'pointer';
  }

  const fields = foundFields.map(field);
  const groupAround = (element) => {
    for (const at of ancestors(element)) {
      if (groups.has(at)) return groups.get(at).number;
    }
    return null;
  };
  const control = (element) => ({
    number: remember(element),
    name: dom.cut(nameOf(element), 80),
    link: dom.localName(element) === 'a' || dom.attribute(element, 'role') === 'link',
    address: dom.localName(element) === 'a' ? dom.cut(element.href, 400) : '',
    submit: dom.closest(element, 'form') !== null && (dom.attribute(element, 'type') ?? (dom.localName(element) === 'button' ? 'submit' : '')) === 'submit',
    opens: dom.hasAttribute(element, 'aria-haspopup') || dom.hasAttribute(element, 'aria-expanded') || dom.localName(element) === 'summary',
    picture: element.querySelector('img, svg, canvas') !== null || dom.localName(element) === 'img',
    banner: isInBanner(element),
    of_record: dom.closest(element, RECORD) !== null,
    disabled: dom.matches(element, ':disabled') || dom.attribute(element, 'aria-disabled') === 'true',
    group: groupAround(element),
    region: regionOf(element),
  });
  const controls = foundControls.map(control);
  return {
    fields,
    controls,
    groups: [...groups.values()].map(({ dialog, form, role, heading }) => ({ dialog, form, role, heading })),
    alerts,
    captcha,
    text: visible.sample,
  };
}
