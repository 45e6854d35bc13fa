// Finds Playwright's injected engine inside playwright-core. It is not a file of that package: it is a string literal in
// a bundle. It is found by what it contains, because the names around it change with every build.

const EXPORTED_CLASS = 'InjectedScript: () => InjectedScript';
const ASSIGNED_LITERAL = /^\s*(?:(?:var|let|const)\s+)?[\w$]+\s*=\s*(?=['"])/;
const WHOLE_LITERAL = /(['"])(?:(?!\1)[^\\\n\r]|\\[^])*\1/y;
const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[^]))/g;
const SINGLE = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0', '\n': '', '\r\n': '', '\u2028': '', '\u2029': '' };

/** The text of the engine in the text of the bundle. */
export function extractInjectedEngine(bundle) {
  const found = [];
  for (let at = bundle.indexOf(EXPORTED_CLASS); at !== -1; at = bundle.indexOf(EXPORTED_CLASS, at + 1)) {
    const literal = literalAround(bundle, at);
    if (literal !== undefined) found.push(literal);
  }
  const distinct = [...new Set(found)];
  if (distinct.length !== 1) {
    throw new Error(`expected the injected engine once in playwright-core, found it ${distinct.length} times`);
  }
  return valueOf(distinct[0]);
}

/** The string literal that is assigned on the line around a position, if there is one and it reaches that position. */
function literalAround(bundle, position) {
  const lineStart = bundle.lastIndexOf('\n', position) + 1;
  const assignment = ASSIGNED_LITERAL.exec(bundle.slice(lineStart, lineStart + 200));
  if (!assignment) return undefined;
  WHOLE_LITERAL.lastIndex = lineStart + assignment[0].length;
  const literal = WHOLE_LITERAL.exec(bundle)?.[0];
  return literal && WHOLE_LITERAL.lastIndex > position ? literal : undefined;
}

/** What a JavaScript string literal means, without running anything. */
function valueOf(literal) {
  return literal.slice(1, -1).replace(ESCAPE, (_, braced, four, two, single) => {
    const code = braced ?? four ?? two;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return Object.hasOwn(SINGLE, single) ? SINGLE[single] : single;
  });
}
