// What the page and the worker that keeps weights say to each other.

import type { Reason } from "../engine/failure.ts";

export interface Wanted {
  /** What it is stored under. */
  key: string;
  url: string;
  /** How long it must be; null where nobody says. */
  bytes: number | null;
  sha256: string | null;
}

export interface StoredWeights {
  key: string;
  bytes: number;
  complete: boolean;
}

export type ToWorker =
  | { id: number; do: "fetch"; wanted: Wanted }
  | { id: number; do: "hash"; file: File }
  | { id: number; do: "list" }
  | { id: number; do: "remove"; key: string };

export type FromWorker =
  | { id: number; kind: "progress"; received: number; total: number | null; note: string | null }
  | { id: number; kind: "fetched"; file: Blob; sha256: string; stored: boolean }
  | { id: number; kind: "hashed"; sha256: string }
  | { id: number; kind: "listed"; files: StoredWeights[] }
  | { id: number; kind: "removed" }
  | { id: number; kind: "failed"; reason: Reason; message: string };
