import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { DerivedQuestion, ModelUnderTest } from "../contract.ts";
import { answeredQuestion, goldenLine, type Answered } from "../view/answer.ts";
import { Plain, putPage } from "./plain-page.ts";
import { answer, question, record } from "./samples.ts";

const GOLDEN = new URL("../../../crates/quiz/tests/golden/extraction.jsonl", import.meta.url);

function answered(model: Partial<ModelUnderTest> = {}): Answered {
  const derived: DerivedQuestion = {
    question_id: "a",
    gold: "C",
    extraction: { version: 2, letter: "B", tier: 1, rule: "answer_line", span: [5, 14], utf16_span: [3, 12], flags: ["changed_mind"] },
    state: "answered",
    correct: false,
    client_agrees: true,
  };
  return { question: question("a"), answer: answer("a", { output: "😀\nANSWER: B" }), askedBefore: false, derived, model: { ...record().model, ...model } };
}

const caseOf = (one: Answered) => JSON.parse(goldenLine(one)) as Record<string, unknown>;

test("a reading that somebody disagreed with was no line of the golden file", () => {
  const known = new Set(readFileSync(GOLDEN, "utf8").trim().split("\n").flatMap((line) => Object.keys(JSON.parse(line) as object)));
  const { why, ...line } = caseOf(answered());
  assert.deepEqual(line, { from: "small-q4_1", output: "😀\nANSWER: B", choices: ["one", "two", "three", "four"], letter: "B", tier: 1, rule: "answer_line", flags: ["changed_mind"], quote: "ANSWER: B" });
  assert.match(String(why), /question a, extractor 2: set letter and tier/);
  assert.deepEqual(Object.keys(caseOf(answered())).filter((name) => !known.has(name)), [], "the golden file takes no other fields");
  assert.ok(!goldenLine(answered()).includes("\n"), "one line");
});

test("a visitor's own model is named on one line, and not at any length", () => {
  const from = (custom_name: string | null) => caseOf(answered({ catalogue_id: null, custom_name }))["from"];
  assert.equal(from(" my\nmodel "), "my model");
  assert.equal(from("😀".repeat(101)), "😀".repeat(100));
  assert.equal(from(null), "a model");
});

test("an answer to a question that was asked before says that it counts once", () => {
  putPage(() => null);
  const said = (askedBefore: boolean) => (answeredQuestion({ ...answered(), askedBefore }, 1, false) as unknown as Plain).textContent;
  assert.match(said(true), /asked before, counts once/);
  assert.doesNotMatch(said(false), /asked before/);
});

test("the button copies that line", async () => {
  putPage(() => null);
  let copied = "";
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text: string) => void (copied = text) }, configurable: true });
  const place = answeredQuestion(answered(), 1, true) as unknown as Plain;
  place.button("Read wrongly? Copy as a test case")?.dispatchEvent(new Event("click"));
  assert.equal(copied, goldenLine(answered()));
});
