import assert from "node:assert/strict";
import { test } from "node:test";
import { quantisationIn, sourceOf } from "../run/new-record.ts";
import { exported, exportedForOthers, imported, isRecord } from "../run/record-check.ts";
import { distinctAnswers, distinctCount, givenAnswers, nextQuestion, partFrom, questionCount, submissionOf, type Part } from "../run/record.ts";
import { answer, part, record, ticket } from "./samples.ts";

test("a ticket's questions stand in the ticket's order", () => {
  const made = partFrom(ticket(["x", "y", "z"], 7), 1000);
  assert.deepEqual(made.questions.map(({ id }) => id), ["x", "y", "z"]);
  assert.deepEqual([made.taken_at, made.expires_at], [1000, 1000 + 3_600_000]);
  assert.deepEqual(made.quick, { source: "own", count: 3, seed: 7 });
});

test("a ticket that names a question it does not bring is refused", () => {
  assert.throws(() => partFrom({ ...ticket(["x", "y"]), questions: [] }, 0), /x/);
});

test("the next question is the first without an answer, over all parts", () => {
  assert.equal(nextQuestion(record())?.question.id, "c");
  const two = record({ parts: [part(["a"], 1), part(["d", "e"], 1)] });
  assert.equal(nextQuestion(two)?.question.id, "e");
  assert.equal(nextQuestion(record({ parts: [part(["a"], 1)] })), null);
  assert.deepEqual(questionCount(two), { answered: 2, all: 3 });
});

test("a question asked twice counts once, with its first answer", () => {
  const again = part(["b", "e"], 2);
  again.answers[0] = answer("b", { output: "ANSWER: D" });
  const { answers, questions } = distinctAnswers(record({ parts: [part(["a", "b"], 2), again] }));
  assert.deepEqual(answers.map(({ question_id, output }) => [question_id, output]), [["a", "ANSWER: B"], ["b", "ANSWER: B"], ["e", "ANSWER: B"]]);
  assert.deepEqual(questions.map(({ id }) => id), ["a", "b", "e"]);
});

test("an answer to a question that was asked before vanished from every list", () => {
  const again = part(["b", "e", "f"], 2);
  again.answers[0] = answer("b", { output: "ANSWER: D" });
  const kept = record({ parts: [part(["a", "b"], 2), again] });
  const listed = givenAnswers(kept).map(({ question, answer: given, askedBefore }) => [question.id, given.output, askedBefore]);
  assert.deepEqual(listed, [
    ["a", "ANSWER: B", false],
    ["b", "ANSWER: B", false],
    ["b", "ANSWER: D", true],
    ["e", "ANSWER: B", false],
  ]);
  assert.equal(distinctCount(kept), 4);
});

test("what is shared has the day and not the hour, and none of what stays here", () => {
  const kept = record({ started_at: Date.UTC(2026, 10, 17, 23, 59) });
  const [first] = kept.parts;
  assert.ok(first);
  const sent = submissionOf(kept, first);
  assert.equal(sent.day, "2026-11-17");
  assert.deepEqual(Object.keys(sent).sort(), ["answers", "app", "day", "device", "engine", "extractor", "format", "model", "protocol", "quick", "self_test", "set", "template", "ticket"]);
  assert.doesNotMatch(JSON.stringify(sent), /run-1|started_at|What is/);
});

test("a record of a version that did not keep when tickets were taken is read, and shares the day of the run", () => {
  const kept = record();
  assert.ok(isRecord(kept) && kept.parts[0] && kept.parts[0].taken_at === undefined);
  assert.equal(submissionOf(kept, kept.parts[0]).day, "2026-11-17");
  assert.ok(!isRecord(record({ parts: [part(["a"], 0, { taken_at: "today" as unknown as number })] })));
});

test("a file of runs comes back, and can no longer be shared", () => {
  const [back] = imported(exported([record()]));
  assert.ok(back);
  assert.equal(back.id, "run-1");
  assert.deepEqual(back.parts.map(({ shareable, ticket: kept }) => [shareable, kept]), [[false, ""]]);
});

test("a run that is shown to others holds neither its ticket nor the token that deletes it", () => {
  const shared = { id: "s", address: "/quiz/runs/s", state: "confirmed" as const, reasons: [], delete_token: "secret" };
  const kept = record();
  const text = exportedForOthers({ ...kept, parts: kept.parts.map((one) => ({ ...one, ticket: "t.0123", shared })) });
  assert.doesNotMatch(text, /secret|t\.0123/);
  assert.equal(imported(text)[0]?.parts[0]?.answers.length, kept.parts[0]?.answers.length);
});

test("threads are shared as coarsely as cores", () => {
  const of = (threads: number | null) => submissionOf(record({ engine: { name: "wllama", version: "0", backend: "wasm", threads } }), record().parts[0] as Part).engine.threads;
  assert.deepEqual([null, 1, 2, 3, 7, 15, 63].map(of), [null, 1, 2, 2, 4, 8, 32]);
});

test("what is no record is refused, whatever is wrong with it", () => {
  assert.ok(isRecord(record()));
  const wrong: [string, (value: Record<string, unknown>) => void][] = [
    ["another format", (value) => (value["format"] = 2)],
    ["no name", (value) => delete value["model_name"]],
    ["no parts", (value) => (value["parts"] = {})],
    ["a tier that is a text", (value) => (value["parts"] = [{ ...part(["a"], 0), answers: [{ ...answer("a"), client: { letter: "B", tier: "1" } }] }])],
    ["an answer to another question", (value) => (value["parts"] = [{ ...part(["a"], 0), answers: [answer("b")] }])],
    ["three choices", (value) => (value["parts"] = [{ ...part([], 0), questions: [{ ...part(["a"], 0).questions[0], choices: ["1", "2", "3"] }] }])],
    ["an output without end", (value) => (value["parts"] = [{ ...part(["a"], 0), answers: [answer("a", { output: "x".repeat(100_000) })] }])],
    ["a time that is no number", (value) => (value["started_at"] = "today")],
  ];
  for (const [what, spoil] of wrong) {
    const value = JSON.parse(JSON.stringify(record())) as Record<string, unknown>;
    spoil(value);
    assert.ok(!isRecord(value), what);
  }
});

test("files that hold no runs are refused with a reason", () => {
  assert.throws(() => imported("not json"), /no JSON/);
  assert.throws(() => imported("{}"), /no runs/);
  assert.throws(() => imported(JSON.stringify({ format: 1, kind: "benchwright-quiz-runs", runs: [{}] })), /damaged/);
  assert.throws(() => imported(" ".repeat(20_000_001)), /too large/);
});

test("a file's name tells how its weights are stored", () => {
  const names: [string, string][] = [
    ["SmolLM2-135M-Instruct.Q4_1", "q4_1"],
    ["qwen2.5-0.5b-instruct-q4_k_m", "q4_k_m"],
    ["Model-IQ3_XS", "iq3_xs"],
    ["model.BF16", "bf16"],
    ["my-model", "unknown"],
    ["q42x", "unknown"],
  ];
  for (const [name, quantisation] of names) assert.equal(quantisationIn(name), quantisation, name);
});

test("the source of a run's questions is that of its first part", () => {
  assert.equal(sourceOf(record({ parts: [part(["a"], 0, { set: "mmlu-36" })] })), "mmlu");
  assert.equal(sourceOf(record({ parts: [part(["a"], 0, { set: null, quick: { source: "own", count: 3, seed: 1 } })] })), "own");
});
