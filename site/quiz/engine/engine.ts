// One interface for whatever runs a model in the browser. There are two, and no third that only pretends.

import type { CatalogueModel, EngineUsed, Finish, Prompt } from "../contract.ts";
import type { DeviceFacts } from "./device.ts";

/** A model a visitor chose: one of the catalogue, or a file of their own. */
export type Chosen = { kind: "catalogue"; model: CatalogueModel } | { kind: "file"; file: File; name: string };

export type LoadProgress =
  | { phase: "downloading"; received: number; total: number | null; note: string | null }
  | { phase: "preparing"; share: number | null; note: string };

export interface Loaded {
  used: EngineUsed;
  /** Of the one file the weights came from, where they came from one. */
  fileSha256: string | null;
  /** Whether the model's template knows no system turn; nothing where only the catalogue can say. */
  systemInUser: boolean | null;
  /** What the reader should know: weights that could not be stored, fewer threads than cores. */
  remarks: string[];
}

export interface Usage {
  finish: Finish;
  promptTokens: number;
  cachedTokens: number | null;
  outputTokens: number;
}

/** What comes out while a question is answered. The end comes once and last. */
export type Piece =
  | { kind: "prefill"; done: number; total: number }
  | { kind: "text"; text: string }
  | { kind: "end"; usage: Usage };

/** Whether a model can run here, in words for the reader. */
export interface Fitness {
  verdict: "fits" | "may_not_fit" | "cannot_run";
  because: string;
}

export interface Load {
  chosen: Chosen;
  device: DeviceFacts;
  /** Fewer threads than the device would allow, where more turned out slower. */
  atMostThreads: number;
  onProgress: (progress: LoadProgress) => void;
  signal: AbortSignal;
}

export interface Engine {
  readonly name: CatalogueModel["engine"];
  describe(): { title: string; runsOn: string };
  check(chosen: Chosen, device: DeviceFacts): Fitness;
  load(load: Load): Promise<Loaded>;
  generate(prompt: Pick<Prompt, "messages" | "settings">, signal: AbortSignal): AsyncIterable<Piece>;
  /** Ends whatever is going on, and frees all memory. Never fails. */
  unload(): Promise<void>;
}
