// What the page and the worker that runs WebLLM say to each other.

import type { Prompt } from "../contract.ts";
import type { Usage } from "./engine.ts";
import type { Reason } from "./failure.ts";

export type ToWebllm =
  | { do: "load"; modelId: string; sourceUrl: string | null }
  | { do: "generate"; prompt: Pick<Prompt, "messages" | "settings"> }
  | { do: "interrupt" };

export type FromWebllm =
  | { kind: "progress"; share: number; text: string }
  /** The download broke, and is tried again. */
  | { kind: "again"; note: string }
  | { kind: "loaded"; version: string; stored: boolean }
  | { kind: "text"; text: string }
  | { kind: "end"; usage: Usage }
  | { kind: "interrupted" }
  | { kind: "failed"; reason: Reason; message: string };
