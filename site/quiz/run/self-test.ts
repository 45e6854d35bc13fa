// A prompt whose answer is known, before the first question: a device that computes garbage must not be taken for a bad model.

import type { Message, Sampling, SelfTest } from "../contract.ts";

export const SELF_TEST: { messages: Message[]; settings: Sampling } = {
  messages: [{ role: "user", content: "Repeat exactly: one two three four five" }],
  settings: { temperature: 0, top_p: 1, max_tokens: 24, seed: 1, thinking: false },
};

/** Every model that follows instructions at all writes these words; the smallest of the catalogue does. */
const EXPECTED = /two\W+three\W+four/i;
const WORD = /\p{Letter}{2,}/gu;
const SCRIPTS = ["Latin", "Han", "Hangul", "Hiragana", "Cyrillic", "Arabic", "Devanagari", "Thai", "Greek", "Hebrew"].map((name) => new RegExp(`\\p{Script=${name}}`, "u"));
/** Nobody answers in so many scripts at once, except a device whose numbers are wrong. */
const TOO_MANY_SCRIPTS = 3;

/**
 * Passed: the words came. A model of the catalogue that does not write them is on a device that computes garbage: words without
 * sense look like language to any rule. A file from the disk may hold a model that follows no instructions, which is its right; it
 * fails only where what came is no language.
 */
export function judge(output: string, isOfCatalogue: boolean): SelfTest {
  if (EXPECTED.test(output)) return "passed";
  return isOfCatalogue || isGarbage(output) ? "failed" : "passed";
}

function isGarbage(output: string): boolean {
  const text = output.trim();
  if (text === "") return true;
  const letters = (text.match(/[\p{Letter}\p{Number}\s.,;:!?'"()-]/gu) ?? []).length;
  if (letters < 0.7 * [...text].length || text.includes("\uFFFD")) return true;
  if (/(\S)\1{9}/u.test(text)) return true;
  if (SCRIPTS.filter((script) => script.test(text)).length >= TOO_MANY_SCRIPTS) return true;
  const words = text.match(WORD) ?? [];
  return words.length === 0 || (words.length >= 8 && new Set(words).size === 1);
}
