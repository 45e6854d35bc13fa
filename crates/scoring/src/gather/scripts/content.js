// Collects what the page says of itself: title, meta tags, headings. See evidence/content.rs.
(argument, dom) => {
  const TEXT = 2000;
  const VISIBLE_TEXT = 200000;
  const { attribute, body, cut, collapse, localName, nodeType, querySelectorAll, textContent } = dom;

  const headings = [];
  let headingsTotal = 0;
  let elements = 0;

  const addHeading = (element, level) => {
    headingsTotal += 1;
    if (headings.length >= 200) return;
    const rect = dom.box(element);
    const shown = dom.isVisible(element) && rect.width > 0 && rect.height > 0;
    headings.push({ level, text: cut(collapse(textContent(element).slice(0, TEXT)), 200), visible: shown, ...dom.describe(element) });
  };

  const levelOf = (element) => {
    const tag = /^h([1-6])$/.exec(localName(element));
    const role = attribute(element, 'role');
    if (role !== null && role.trim() !== '' && role.trim().toLowerCase() !== 'heading') return null;
    if (tag === null && role === null) return null;
    const stated = Number.parseInt(attribute(element, 'aria-level') ?? '', 10);
    if (stated >= 1 && stated <= 9) return stated;
    return tag ? Number(tag[1]) : role?.trim() ? 2 : null;
  };

  const words = [];
  let characters = 0;
  const addWords = (node) => {
    const text = collapse(dom.data(node).slice(0, VISIBLE_TEXT));
    const parent = dom.parentOfText(node);
    if (text === '' || characters >= VISIBLE_TEXT || !parent || !dom.isVisible(parent)) return;
    words.push(text);
    characters += text.length + 1;
  };

  dom.walk(body ?? dom.documentElement, (node) => {
    if (nodeType(node) === 3) addWords(node);
    if (nodeType(node) !== 1) return;
    elements += 1;
    const level = levelOf(node);
    if (level !== null) addHeading(node, level);
  });

  const meta = (key) => {
    for (const element of [...querySelectorAll(document, 'meta')].slice(0, 500)) {
      const name = attribute(element, 'name') ?? attribute(element, 'property') ?? '';
      if (name.trim().toLowerCase() === key) {
        const content = collapse(attribute(element, 'content') ?? '');
        if (content !== '') return cut(content, TEXT);
      }
    }
    return null;
  };

  const canonical = [...querySelectorAll(document, 'link[rel]')]
    .slice(0, 500)
    .filter((link) => attribute(link, 'rel').toLowerCase().split(/\s+/).includes('canonical'))
    .slice(0, 5)
    .map((link) => {
      const href = (attribute(link, 'href') ?? '').trim();
      let resolved = null;
      try {
        resolved = href === '' ? null : cut(new URL(href, location.href).href, TEXT);
      } catch {
        // An address that cannot be resolved stays null; the scorer says so.
      }
      return { href: cut(href, TEXT), resolved };
    });

  const jsonLd = [...querySelectorAll(document, 'script')]
    .slice(0, 2000)
    .filter((script) => (attribute(script, 'type') ?? '').trim().toLowerCase() === 'application/ld+json')
    .slice(0, 20)
    .map((script) => {
      const text = textContent(script).slice(0, 500000);
      try {
        const value = JSON.parse(text);
        return { parses: value !== null && typeof value === 'object', error: null, start: cut(collapse(text.slice(0, TEXT)), 200) };
      } catch (error) {
        return { parses: false, error: cut(error.message, 200), start: cut(collapse(text.slice(0, TEXT)), 200) };
      }
    });

  const policies = [...querySelectorAll(document, 'meta[http-equiv]')]
    .filter((element) => attribute(element, 'http-equiv').trim().toLowerCase() === 'content-security-policy')
    .slice(0, 5)
    .map((element) => cut(attribute(element, 'content') ?? '', TEXT));

  return {
    version: 1,
    title: dom.title(),
    lang: dom.hasAttribute(dom.documentElement, 'lang') ? cut(attribute(dom.documentElement, 'lang').trim(), 100) : null,
    description: meta('description'),
    canonical,
    open_graph: { title: meta('og:title'), description: meta('og:description'), kind: meta('og:type') },
    twitter_card: meta('twitter:card'),
    json_ld: jsonLd,
    headings,
    headings_total: headingsTotal,
    meta_policies: policies,
    viewport_meta: meta('viewport'),
    elements,
    text: cut(words.join(' '), VISIBLE_TEXT),
    truncated: dom.state.truncated,
  };
}
