// A prompt whose answer is known, before the first question: a device that computes garbage must not be taken for a bad model.

import type { Message, Sampling, SelfTest } from "../contract.ts";

export const SELF_TEST: { messages: Message[]; settings: Sampling } = {
  messages: [{ role: "user", content: "Repeat exactly: one two three four five" }],
  settings: { temperature: 0, top_p: 1, max_tokens: 24, seed: 1, thinking: false },
};

/** Every model that follows instructions at all writes these words; the smallest of the catalogue does. */
const EXPECTED = /one\W+two\W+three\W+four\W+five/i;
const WORD = /\p{Letter}{2,}/gu;

/**
 * Passed: the words came. Failed: what came is no language. In between the model did not do as told, which is its right and no
 * fault of the device.
 */
export function judge(output: string): SelfTest {
  if (EXPECTED.test(output)) return "passed";
  return isGarbage(output) ? "failed" : "passed";
}

function isGarbage(output: string): boolean {
  const text = output.trim();
  if (text === "") return true;
  const letters = (text.match(/[\p{Letter}\p{Number}\s.,;:!?'"()-]/gu) ?? []).length;
  if (letters < 0.7 * [...text].length || text.includes("\uFFFD")) return true;
  if (/(\S)\1{9}/u.test(text)) return true;
  const words = text.match(WORD) ?? [];
  return words.length === 0 || (words.length >= 8 && new Set(words).size === 1);
}
