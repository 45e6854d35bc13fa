// Whether a text goes round in circles. Shown as a badge; nothing is cut.

const GRAM = 6;
const FEWEST_WORDS = 40;
const SHARE = 0.5;

export function repeatsItself(text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length < FEWEST_WORDS) return false;
  const seen = new Set<string>();
  let again = 0;
  for (let at = 0; at + GRAM <= words.length; at += 1) {
    const gram = words.slice(at, at + GRAM).join(" ");
    if (seen.has(gram)) again += 1;
    seen.add(gram);
  }
  return again >= SHARE * (words.length - GRAM + 1);
}
