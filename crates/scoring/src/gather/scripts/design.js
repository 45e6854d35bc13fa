// Collects what the design heuristics look at. One pass over the page, then only reads. See evidence/design.rs.
(argument, dom) => {
  const TEXT_SAMPLES = 400;
  const BLOCK_SAMPLES = 400;
  const { body, box, data, localName, nodeType, parentOf, styleOf } = dom;
  const PICTURES = new Set(['img', 'video', 'canvas', 'iframe', 'embed', 'object', 'svg', 'picture']);
  const WHITE = { r: 255, g: 255, b: 255, a: 1 };

  // ---- colours ----------------------------------------------------------------------------------------------------------

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const colors = new Map();
  /** Any CSS colour as red, green, blue (0 to 255) and alpha; the browser itself converts oklch(), lab(), color() and the like. */
  const parseColor = (text) => {
    const known = colors.get(text);
    if (known) return known;
    const plain = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
    let color;
    if (plain) {
      color = { r: Number(plain[1]), g: Number(plain[2]), b: Number(plain[3]), a: plain[4] === undefined ? 1 : Number(plain[4]) };
    } else {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = '#000';
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      color = { r, g, b, a: a / 255 };
    }
    if (colors.size < 5000) colors.set(text, color);
    return color;
  };

  /** Paints `top` over `bottom`. */
  const over = (top, bottom) => {
    const a = top.a + bottom.a * (1 - top.a);
    if (a === 0) return { r: 0, g: 0, b: 0, a: 0 };
    const mix = (key) => (top[key] * top.a + bottom[key] * bottom.a * (1 - top.a)) / a;
    return { r: mix('r'), g: mix('g'), b: mix('b'), a };
  };
  const rgb = (color) => [dom.tenth(color.r), dom.tenth(color.g), dom.tenth(color.b)];

  const paints = new Map();
  const paintOf = (element) => {
    let paint = paints.get(element);
    if (!paint) {
      const style = styleOf(element);
      paint = {
        color: parseColor(style.backgroundColor),
        image: style.backgroundImage !== 'none',
        opacity: Math.min(1, Math.max(0, Number(style.opacity))),
        filtered: style.filter !== 'none' || style.mixBlendMode !== 'normal' || style.backdropFilter !== 'none',
      };
      paints.set(element, paint);
    }
    return paint;
  };

  /**
   * Carries layers from an element up to the canvas: every background goes underneath, every opacity fades what is there so far.
   * Gives null when a picture shows through.
   */
  const descend = (element, layers) => {
    let current = layers;
    let backdrop = { r: 0, g: 0, b: 0, a: 0 };
    for (let at = element, depth = 0; at && depth < 2000; at = parentOf(at), depth += 1) {
      const paint = paintOf(at);
      if (paint.image && backdrop.a < 0.995) return null;
      if (paint.filtered && backdrop.a < 0.995) return null;
      backdrop = over(backdrop, paint.color);
      current = current.map((layer) => over(layer, paint.color));
      if (paint.opacity < 1) {
        const fade = (color) => ({ ...color, a: color.a * paint.opacity });
        backdrop = fade(backdrop);
        current = current.map(fade);
      }
    }
    return current.map((layer) => over(layer, WHITE));
  };

  // ---- one pass over the page -------------------------------------------------------------------------------------------

  const texts = [];
  const blocks = new Map();
  const boxes = { elements: 0, border_box: 0 };
  const layers = [];
  const pictures = [];
  const candidates = [];

  const isInline = (element) => {
    const display = styleOf(element).display;
    return display === 'contents' || (display.startsWith('inline') && display !== 'inline-block' && display !== 'inline-flex' && display !== 'inline-grid') || display.startsWith('ruby');
  };
  const blockOf = (element) => {
    let at = element;
    for (let depth = 0; depth < 200 && isInline(at) && parentOf(at); depth += 1) at = parentOf(at);
    return at;
  };

  const isDisabled = (element) => {
    const control = dom.closest(element, 'button, input, select, textarea, fieldset, [aria-disabled]');
    return control !== null && (dom.matches(control, ':disabled') || dom.attribute(control, 'aria-disabled') === 'true');
  };

  const addText = (node) => {
    const words = dom.collapse(data(node).slice(0, 20000));
    if (!/[\p{L}\p{N}]/u.test(words)) return;
    const parent = dom.parentOfText(node);
    if (!parent || !dom.isVisible(parent) || localName(parent) === 'option') return;
    const block = blockOf(parent);
    if (!blocks.has(block)) blocks.set(block, []);
    blocks.get(block).push(node);
    texts.push({ node, parent, words });
  };

  const addBoxSizing = (element, style) => {
    if (boxes.elements >= 200 || !(element instanceof HTMLElement) || style.display === 'none' || style.display === 'contents') return;
    if (localName(element) === 'br' || localName(element) === 'wbr') return;
    boxes.elements += 1;
    if (style.boxSizing === 'border-box') boxes.border_box += 1;
  };

  const addSurface = (element, style) => {
    const picture = PICTURES.has(localName(element));
    const painted = style.backgroundImage !== 'none' || parseColor(style.backgroundColor).a > 0.02;
    if (!picture && !painted) return;
    if (candidates.length < 20000) candidates.push(element);
    const lifted = style.position === 'absolute' || style.position === 'fixed';
    if (lifted && layers.length < 300 && dom.isVisible(element)) layers.push({ element, rect: box(element) });
    else if (picture && pictures.length < 300 && dom.isVisible(element)) pictures.push({ element, rect: box(element) });
  };

  if (body) {
    dom.walk(body, (node) => {
      if (nodeType(node) === 3) {
        addText(node);
        return;
      }
      if (dom.isHidden(node)) return;
      const style = styleOf(node);
      addBoxSizing(node, style);
      addSurface(node, style);
    });
  }

  // ---- text samples -----------------------------------------------------------------------------------------------------

  const covers = (layer, element, rect) => {
    const x = rect.left + rect.width / 2;
    const y = rect.top + rect.height / 2;
    const inside = x >= layer.rect.left && x <= layer.rect.right && y >= layer.rect.top && y <= layer.rect.bottom;
    return inside && !dom.contains(layer.element, element) && !dom.contains(element, layer.element);
  };

  /** The nearest element around the text that nothing shines through, or null. What lies outside it cannot matter. */
  const opaqueAround = (element) => {
    let at = element;
    for (let depth = 0; at && depth < 2000; at = parentOf(at), depth += 1) {
      const paint = paintOf(at);
      if (paint.color.a > 0.995 && paint.opacity > 0.995) return at;
    }
    return null;
  };

  const colorsOf = (parent, rect) => {
    const opaque = opaqueAround(parent);
    const matters = (layer) => (opaque === null || dom.contains(opaque, layer.element)) && covers(layer, parent, rect);
    if (layers.some(matters)) return { colors: null, unknown: 'layer' };
    if (pictures.some(matters)) return { colors: null, unknown: 'image' };
    const style = styleOf(parent);
    if (style.backgroundClip === 'text') return { colors: null, unknown: 'image' };
    const ink = parseColor(style.webkitTextFillColor || style.color);
    const seen = descend(parent, [ink, { r: 0, g: 0, b: 0, a: 0 }]);
    if (!seen) return { colors: null, unknown: 'image' };
    return { colors: { foreground: rgb(seen[0]), background: rgb(seen[1]) }, unknown: null };
  };

  const sampleOf = ({ node, parent, words }) => {
    const rects = dom.textBoxes(node, 20);
    if (rects.length === 0) return null;
    const style = styleOf(parent);
    return {
      element: { ...dom.describe(parent), rect: dom.pageRect(rects[0]) },
      text: dom.cut(words, 80),
      font_size: Math.round(Number.parseFloat(style.fontSize) * 100) / 100,
      font_weight: Number.parseFloat(style.fontWeight) || 400,
      ...colorsOf(parent, rects[0]),
    };
  };

  const sampled = [];
  for (const candidate of dom.spread(texts.filter(({ parent }) => !isDisabled(parent)), TEXT_SAMPLES)) {
    if (dom.outOfTime()) break;
    const sample = sampleOf(candidate);
    if (sample) sampled.push(sample);
  }

  // ---- line lengths -----------------------------------------------------------------------------------------------------

  const measureBlock = ([element, nodes]) => {
    let characters = 0;
    let inked = 0;
    const lines = [];
    for (const node of nodes.slice(0, 200)) {
      const rects = dom.textBoxes(node);
      if (rects.length === 0) continue;
      characters += [...dom.collapse(data(node).slice(0, 20000))].length;
      for (const rect of rects) {
        inked += rect.width;
        const middle = rect.top + rect.height / 2;
        const last = lines[lines.length - 1];
        if (last && middle > last.top && middle < last.bottom) last.width += rect.width;
        else lines.push({ top: rect.top, bottom: rect.bottom, width: rect.width });
      }
    }
    if (characters === 0 || inked === 0) return null;
    const widest = Math.max(...lines.map((line) => line.width));
    // The mean advance of the text itself turns a width into characters; a full-width box with two words stays two words.
    return { element: dom.describe(element), characters, lines: lines.length, longest_line: dom.tenth((widest * characters) / inked) };
  };

  const measured = [];
  for (const entry of dom.spread([...blocks], BLOCK_SAMPLES)) {
    if (dom.outOfTime()) break;
    const block = measureBlock(entry);
    if (block) measured.push(block);
  }

  // ---- style sheets -----------------------------------------------------------------------------------------------------

  const names = new Set();
  const sheets = {
    readable: 0, unreadable: 0, unreadable_urls: [], rules: 0, reduced_motion: null, custom_properties: 0,
    custom_property_names: [], focus_visible_rules: 0, focus_visible_example: null,
  };
  const noteCondition = (text) => {
    if (sheets.reduced_motion === null && text && /prefers-reduced-motion/i.test(text)) sheets.reduced_motion = dom.cut(text, 200);
  };
  const noteNames = (style) => {
    for (let index = 0; index < Math.min(style.length, 2000) && names.size < 5000; index += 1) {
      if (style[index].startsWith('--')) names.add(dom.cut(style[index], 80));
    }
  };
  const readRule = (rule) => {
    if (rule instanceof CSSStyleRule) {
      noteNames(rule.style);
      if (/(?:^|[^\\]):focus-visible(?![\w-])/.test(rule.selectorText)) {
        sheets.focus_visible_rules += 1;
        sheets.focus_visible_example ??= dom.cut(rule.selectorText, 200);
      }
    } else if (rule instanceof CSSPropertyRule) {
      names.add(dom.cut(rule.name, 80));
    } else if (rule instanceof CSSImportRule) {
      noteCondition(rule.media?.mediaText);
      if (rule.styleSheet) readSheet(rule.styleSheet, 1);
    } else if (rule instanceof CSSConditionRule) {
      noteCondition(rule.conditionText);
    }
  };
  const readRules = (rules, depth) => {
    for (const rule of rules) {
      sheets.rules += 1;
      if (sheets.rules > 100000 || (sheets.rules % 256 === 0 && dom.outOfTime())) {
        dom.state.truncated = true;
        return;
      }
      readRule(rule);
      if (rule.cssRules && rule.cssRules.length > 0 && depth < 20) readRules(rule.cssRules, depth + 1);
    }
  };
  const seenSheets = new Set();
  const readSheet = (sheet, depth) => {
    if (seenSheets.has(sheet) || seenSheets.size >= 1000) return;
    seenSheets.add(sheet);
    noteCondition(sheet.media?.mediaText);
    let rules;
    try {
      rules = sheet.cssRules;
    } catch {
      sheets.unreadable += 1;
      if (sheets.unreadable_urls.length < 10) sheets.unreadable_urls.push(dom.cut(sheet.href ?? '', 300));
      return;
    }
    sheets.readable += 1;
    readRules(rules, depth);
  };
  const sheetsOf = (root, prototype) => {
    for (const sheet of dom.getter(prototype, 'styleSheets')(root)) readSheet(sheet, 0);
    for (const sheet of dom.getter(prototype, 'adoptedStyleSheets')(root)) readSheet(sheet, 0);
  };

  sheetsOf(document, Document.prototype);
  for (const element of [...dom.querySelectorAll(document, '[style*="--"]')].slice(0, 2000)) {
    if (element instanceof HTMLElement) noteNames(dom.getter(HTMLElement.prototype, 'style')(element));
  }
  for (const element of [...styledHosts()]) sheetsOf(dom.shadowRoot(element), ShadowRoot.prototype);
  sheets.custom_properties = names.size;
  sheets.custom_property_names = [...names].slice(0, 20);

  function styledHosts() {
    const hosts = [];
    for (const element of [...dom.querySelectorAll(document, '*')].slice(0, 50000)) {
      if (dom.shadowRoot(element) && hosts.length < 500) hosts.push(element);
    }
    return hosts;
  }

  // ---- what lies behind the content of the viewport -----------------------------------------------------------------------

  const isPainted = (style) => style.content !== 'none' && (style.backgroundImage !== 'none' || parseColor(style.backgroundColor).a > 0.02);
  const hasPaintedPseudo = (element) => isPainted(getComputedStyle(element, '::before')) || isPainted(getComputedStyle(element, '::after'));

  /** -1 for what lies under its surroundings, 1 for what is lifted above them, 0 for the flow. */
  const levels = new Map();
  const levelOf = (element) => {
    const path = [];
    let level = 0;
    for (let at = element; at; at = parentOf(at)) {
      if (levels.has(at)) {
        level = levels.get(at);
        break;
      }
      path.push(at);
      if (path.length > 2000) break;
    }
    for (const at of path.reverse()) {
      const style = styleOf(at);
      const order = style.position === 'static' ? 0 : Number.parseInt(style.zIndex, 10) || 0;
      if (level === 0) level = Math.sign(order);
      levels.set(at, level);
    }
    return level;
  };

  const surfaceOf = (element) => {
    const rect = box(element);
    const width = Math.min(rect.right, innerWidth) - Math.max(rect.left, 0);
    const height = Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0);
    if (width <= 0 || height <= 0 || width * height < 400 || !dom.isVisible(element)) return null;
    const style = styleOf(element);
    const picture = PICTURES.has(localName(element)) || /\burl\(|image-set\(|paint\(/.test(style.backgroundImage);
    const seen = picture || style.backgroundImage !== 'none' || hasPaintedPseudo(element) ? null : descend(element, [{ r: 0, g: 0, b: 0, a: 0 }]);
    return {
      rect: { x: dom.tenth(rect.left), y: dom.tenth(rect.top), width: dom.tenth(rect.width), height: dom.tenth(rect.height) },
      picture,
      color: seen ? rgb(seen[0]) : null,
      level: levelOf(element),
    };
  };

  const canvasSurface = () => {
    const roots = [dom.documentElement, body].filter((element) => element);
    const painter = roots.find((element) => paintOf(element).image || paintOf(element).color.a > 0);
    const image = painter ? styleOf(painter).backgroundImage : 'none';
    const unknown = image !== 'none' || roots.some((element) => hasPaintedPseudo(element));
    return {
      rect: { x: 0, y: 0, width: innerWidth, height: innerHeight },
      picture: /\burl\(|image-set\(|paint\(/.test(image),
      color: unknown ? null : rgb(over(painter ? paintOf(painter).color : { r: 0, g: 0, b: 0, a: 0 }, WHITE)),
    };
  };

  const surfaces = [];
  for (const element of candidates) {
    if (surfaces.length >= 999 || dom.outOfTime()) break;
    const surface = surfaceOf(element);
    if (surface) surfaces.push(surface);
  }
  surfaces.sort((left, right) => left.level - right.level);

  return {
    version: 1,
    text: sampled,
    text_total: texts.length,
    blocks: measured,
    blocks_total: blocks.size,
    boxes,
    sheets,
    backdrop: {
      width: innerWidth,
      height: innerHeight,
      surfaces: [canvasSurface(), ...surfaces.map(({ rect, picture, color }) => ({ rect, picture, color }))],
    },
    truncated: dom.state.truncated,
  };
}
