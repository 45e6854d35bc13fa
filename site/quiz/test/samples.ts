// Small honest values for tests.

import type { Answer, Catalogue, CatalogueModel, Question, Shared, Ticket } from "../contract.ts";
import type { DeviceFacts } from "../engine/device.ts";
import { RECORD_FORMAT, type Part, type RunRecord } from "../run/record.ts";

export const model = (more: Partial<CatalogueModel>): CatalogueModel => ({
  id: "small-q4_1",
  name: "Small",
  engine: "wllama",
  quantisation: "q4_1",
  bytes: 1000,
  estimated_bytes: null,
  memory_mb: 540,
  small_buffers: false,
  licence: "Apache-2.0",
  source_url: null,
  file: "small.gguf",
  sha256: "ab".repeat(32),
  thinking: false,
  system_in_user: false,
  note: null,
  local: true,
  runs: 0,
  ...more,
});

export const device = (more: Partial<DeviceFacts> = {}): DeviceFacts => ({
  gpu: { state: "none", vendor: null, architecture: null, f16: false, maxBuffer: 0, maxBinding: 0 },
  isolated: true,
  cores: 2,
  memory: 8,
  shared: { gpu_vendor: null, gpu_architecture: null, f16: null, browser: { family: "chromium", major: 156 }, os: "linux", cores_bucket: "1-2", memory_bucket: "8 GB or more" },
  ...more,
});

export const question = (id: string): Question => ({ id, subject: "own_math", group: "math", difficulty: "easy", question: `What is ${id}?`, choices: ["one", "two", "three", "four"], answer: "B" });

export const catalogue = (models: CatalogueModel[] = [model({})]): Catalogue => ({
  format: 1,
  models,
  sets: [{ id: "own-12", source: "own", count: 12, sha256: "00" }],
  default_set: "own-12",
  protocols: ["one-message-1"],
  hosts: [],
});

export const ticket = (ids: readonly string[], seed: number | null = null): Ticket => ({
  format: 1,
  ticket: `ticket-${ids.join("-")}`,
  expires_in_seconds: 3600,
  set: seed === null ? "own-12" : null,
  quick: seed === null ? null : { source: "own", count: ids.length, seed },
  order: [...ids],
  questions: [...ids].reverse().map(question),
  examples: { own_math: [{ question: "What is one?", choices: ["1", "2", "3", "4"], answer: "A" }] },
});

export const answer = (id: string, more: Partial<Answer> = {}): Answer => ({
  question_id: id,
  prompt_sha256: "cd".repeat(32),
  output: "ANSWER: B",
  finish: "stop",
  prompt_tokens: 100,
  cached_tokens: 40,
  output_tokens: 5,
  first_token_ms: 1000,
  total_ms: 2000,
  hidden: false,
  client: { letter: "B", tier: 1 },
  ...more,
});

export const part = (ids: readonly string[], answered: number, more: Partial<Part> = {}): Part => ({
  ticket: "t",
  expires_at: 1e13,
  set: "own-12",
  quick: null,
  questions: ids.map(question),
  examples: {},
  answers: ids.slice(0, answered).map((id) => answer(id)),
  shared: null,
  shareable: true,
  ...more,
});

export const shared = (): Shared => ({ id: "s", address: "/quiz/runs/s", state: "confirmed", reasons: [], delete_token: "secret" });

export const record = (more: Partial<RunRecord> = {}): RunRecord => ({
  format: RECORD_FORMAT,
  id: "run-1",
  started_at: Date.UTC(2026, 10, 17, 10),
  model_name: "Small",
  model: { catalogue_id: "small-q4_1", custom_name: null, quantisation: "q4_1", file_sha256: "ab".repeat(32) },
  protocol: "one-message-1",
  template: { system_in_user: false, thinking: false },
  engine: { name: "wllama", version: "3.8.1", backend: "wasm", threads: 2 },
  device: device().shared,
  extractor: 1,
  app: "0.1.0",
  self_test: "passed",
  share: true,
  finished: false,
  remarks: [],
  parts: [part(["a", "b", "c"], 2)],
  ...more,
});
