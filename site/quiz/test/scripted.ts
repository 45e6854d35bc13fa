// What tests put in place of an engine, of the crate `quiz` and of a browser's store. It lives here and nowhere in the product.

import type { Accuracy, Answer, Derived, Extraction, Letter, Question } from "../contract.ts";
import type { Engine, Fitness, Load, Loaded, Piece } from "../engine/engine.ts";
import { EngineFailure, type Reason } from "../engine/failure.ts";
import type { Cellar, Shelf } from "../run/history.ts";
import type { Surroundings } from "../run/run.ts";

/** A shelf without end. */
export function memory(): Shelf {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) };
}

/** For tests in which everything fits on the shelf. */
export const noCellar: Cellar = { get: async () => null, put: async () => undefined, remove: async () => undefined };

/** What the engine of a test does when it is asked: text, or a reason to fail. */
export type Line = { says: string } | { fails: Reason };

/** An engine that says what a test wants it to. */
export class ScriptedEngine implements Engine {
  readonly name = "wllama";
  readonly lines: Line[] = [];
  loads: number[] = [];
  /** The models that were loaded, or were to be. */
  models: string[] = [];
  loadFails: Reason | null = null;
  unloads = 0;
  selfTest = "one two three four five";
  asked = 0;
  onAsked: () => void = () => undefined;

  describe() {
    return { title: "scripted", runsOn: "paper" };
  }
  check(): Fitness {
    return { verdict: "fits", because: "" };
  }
  async load({ chosen, atMostThreads, onProgress }: Load): Promise<Loaded> {
    this.loads.push(atMostThreads);
    this.models.push(chosen.kind === "file" ? chosen.name : chosen.model.id);
    if (this.loadFails) throw new EngineFailure(this.loadFails, "as the test wants it");
    onProgress({ phase: "downloading", received: 1, total: 2, note: null });
    onProgress({ phase: "preparing", share: null, note: "" });
    return { used: { name: "wllama", version: "0", backend: "wasm", threads: Math.min(atMostThreads, 2) }, fileSha256: "ab".repeat(32), systemInUser: null, remarks: [] };
  }
  async *generate(prompt: { messages: { content: string }[] }, signal: AbortSignal): AsyncGenerator<Piece> {
    const isSelfTest = prompt.messages[0]?.content.startsWith("Repeat exactly");
    if (!isSelfTest) {
      this.asked += 1;
      this.onAsked();
    }
    const line: Line = isSelfTest ? { says: this.selfTest } : (this.lines.shift() ?? { says: "ANSWER: B" });
    if (signal.aborted) throw new EngineFailure("aborted", "called off");
    if ("fails" in line) throw new EngineFailure(line.fails, "as the test wants it");
    yield { kind: "prefill", done: 10, total: 10 };
    for (const text of line.says.split(/(?<= )/)) yield { kind: "text", text };
    if (signal.aborted) throw new EngineFailure("aborted", "called off");
    yield { kind: "end", usage: { finish: "stop", promptTokens: 10, cachedTokens: 0, outputTokens: 4 } };
  }
  async unload() {
    this.unloads += 1;
  }
}

/** Reads `ANSWER: X` and nothing else: enough to see what a run does with it. */
export const core: Surroundings["core"] = {
  about: { format: 1, extractor: 1, system_text: "", temperature: 0.1, top_p: 1, max_tokens: 400, protocols: ["one-message-1"] },
  prompt: (_, __, ___, question, runSeed) => ({ messages: [{ role: "user", content: question.question }], settings: { temperature: 0.1, top_p: 1, max_tokens: 400, seed: runSeed, thinking: false }, sha256: `hash of ${question.id}/${runSeed}` }),
  extract: (output) => extraction(output),
  derive: (answers, questions) => derive(answers, questions),
};

function extraction(output: string): Extraction {
  const letter = (/ANSWER: ([A-D])/.exec(output)?.[1] ?? null) as Letter | null;
  return { version: 1, letter, tier: letter ? 1 : 5, rule: letter ? "answer_line" : "no_answer", span: null, utf16_span: null, flags: [] };
}

function derive(answers: readonly Answer[], questions: readonly Question[]): Derived {
  const gold = new Map(questions.map(({ id, answer }) => [id, answer]));
  const rows = answers.map(({ question_id, output }) => ({ question_id, gold: gold.get(question_id) ?? "A", extraction: extraction(output), state: "answered" as const, correct: extraction(output).letter === gold.get(question_id), client_agrees: true }));
  const accuracy: Accuracy = { correct: rows.filter((row) => row.correct).length, n: rows.length, share: null, interval: null };
  const letters = { A: 0, B: 0, C: 0, D: 0, none: 0 };
  return { format: 1, extractor: 1, questions: rows, accuracy, strict: accuracy, tiers: [], chosen: letters, gold: letters, mismatches: [] };
}
