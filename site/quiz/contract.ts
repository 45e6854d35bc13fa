// What the page, the server and the crate `quiz` say to each other, as the crate's types have it. Names are those of the JSON.

export type Letter = "A" | "B" | "C" | "D";
export const LETTERS: readonly Letter[] = ["A", "B", "C", "D"];
export type Group = "cs" | "engineering" | "math" | "science";
export type Difficulty = "easy" | "medium" | "hard";
export type Source = "own" | "mmlu";
export type Protocol = "one-message-1" | "chat-turns-1";
export type Choices = [string, string, string, string];

export interface Question {
  id: string;
  subject: string;
  group: Group;
  difficulty: Difficulty;
  question: string;
  choices: Choices;
  answer: Letter;
}

export interface Example {
  question: string;
  choices: Choices;
  answer: Letter;
}

export interface Template {
  system_in_user: boolean;
  thinking: boolean;
}

export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface Sampling {
  temperature: number;
  top_p: number;
  max_tokens: number;
  seed: number;
  thinking: boolean;
}

export interface Prompt {
  messages: Message[];
  settings: Sampling;
  sha256: string;
}

export interface Extraction {
  version: number;
  letter: Letter | null;
  tier: number;
  rule: string;
  span: [number, number] | null;
  utf16_span: [number, number] | null;
  flags: string[];
}

export interface Interval {
  low: number;
  high: number;
}

export interface Accuracy {
  correct: number;
  n: number;
  share: number | null;
  interval: Interval | null;
}

export interface DerivedQuestion {
  question_id: string;
  gold: Letter;
  extraction: Extraction;
  state: "answered" | "empty" | "refused" | "hedged" | "cut_off" | "no_answer_found";
  correct: boolean;
  client_agrees: boolean;
}

export type LetterCounts = Record<Letter | "none", number>;

export interface TierCount {
  tier: number;
  answers: number;
  correct: number;
}

export interface Derived {
  format: number;
  extractor: number;
  questions: DerivedQuestion[];
  accuracy: Accuracy;
  strict: Accuracy;
  tiers: TierCount[];
  chosen: LetterCounts;
  gold: LetterCounts;
  mismatches: string[];
}

export type Finish = "stop" | "length";

export interface Answer {
  question_id: string;
  prompt_sha256: string;
  output: string;
  finish: Finish;
  prompt_tokens: number;
  cached_tokens: number | null;
  output_tokens: number;
  first_token_ms: number | null;
  total_ms: number;
  hidden: boolean;
  client: { letter: Letter | null; tier: number } | null;
}

export interface ModelUnderTest {
  catalogue_id: string | null;
  custom_name: string | null;
  quantisation: string;
  file_sha256: string | null;
}

export interface EngineUsed {
  name: string;
  version: string;
  backend: "webgpu" | "wasm";
  threads: number | null;
}

export interface Device {
  gpu_vendor: string | null;
  gpu_architecture: string | null;
  f16: boolean | null;
  browser: { family: string; major: number } | null;
  os: string | null;
  cores_bucket: string | null;
  memory_bucket: string | null;
}

export interface QuickDraw {
  source: Source;
  count: number;
  seed: number;
}

export type SelfTest = "passed" | "failed" | "not_run";

export interface Submission {
  format: 1;
  ticket: string;
  protocol: Protocol;
  template: Template;
  set: string | null;
  quick: QuickDraw | null;
  model: ModelUnderTest;
  engine: EngineUsed;
  extractor: number;
  app: string;
  self_test: SelfTest;
  device: Device;
  day: string;
  answers: Answer[];
}

export interface CatalogueModel {
  id: string;
  name: string;
  engine: "webllm" | "wllama";
  quantisation: string;
  bytes: number | null;
  estimated_bytes: number | null;
  memory_mb: number;
  small_buffers: boolean;
  licence: string | null;
  source_url: string | null;
  file: string | null;
  sha256: string | null;
  thinking: boolean;
  system_in_user: boolean;
  note: string | null;
  local: boolean;
  runs: number;
}

export interface SetEntry {
  id: string;
  source: Source;
  count: number;
  sha256: string;
}

export interface Catalogue {
  format: number;
  models: CatalogueModel[];
  sets: SetEntry[];
  default_set: string | null;
  protocols: Protocol[];
  hosts: string[];
}

/** What a run asks: a frozen set, or questions drawn for it. */
export type Selection = { set: string } | { quick: { source: Source; count: number; seed?: number } };

export interface Ticket {
  format: number;
  ticket: string;
  expires_in_seconds: number;
  set: string | null;
  quick: QuickDraw | null;
  order: string[];
  questions: Question[];
  examples: Record<string, Example[]>;
}

export interface Shared {
  id: string;
  address: string;
  state: "confirmed" | "unconfirmed" | "flagged";
  reasons: { code: string; text: string }[];
  delete_token: string;
}
