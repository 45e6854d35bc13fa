// Findings by rule, every part bounded: what people read is the count, the worst files and the first places.

const MAX_RULES = 100;
const MAX_PLACES = 20;
const MAX_FILES = 10;
const MAX_TEXT = 200;
/** A compiler quotes literals, and a literal may be a password. */
const LONG_LITERAL = /"[^"]{13,}"|`[^`]{13,}`/g;

export class Findings {
  #rules = new Map();
  #files = new Map();

  /** Files must come in order: the first places are kept. */
  add(rule, place, { error = true } = {}) {
    const known = this.#rules.get(rule) ?? { rule, errors: 0, warnings: 0, places: [] };
    this.#rules.set(rule, known);
    const file = this.#files.get(place.file) ?? { file: place.file, errors: 0, warnings: 0 };
    if (place.file !== undefined) this.#files.set(place.file, file);
    for (const tally of [known, file]) tally[error ? 'errors' : 'warnings'] += 1;
    if (place.file !== undefined && known.places.length < MAX_PLACES) known.places.push(place);
  }

  total(kind) {
    return [...this.#rules.values()].reduce((sum, rule) => sum + rule[kind], 0);
  }

  byRule() {
    return worstFirst([...this.#rules.values()], 'rule').slice(0, MAX_RULES);
  }

  worstFiles() {
    return worstFirst([...this.#files.values()], 'file').slice(0, MAX_FILES);
  }
}

function worstFirst(tallies, name) {
  return tallies.sort((a, b) => b.errors - a.errors || b.warnings - a.warnings || (a[name] < b[name] ? -1 : 1));
}

/** A message fit to be kept. */
export function message(text) {
  const whole = String(text).replace(LONG_LITERAL, '"…"').replace(/\s+/g, ' ').trim();
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT - 1)}…`;
}
