// A run that begins on the next page: a model from elsewhere needs a page whose policy names its hosts.

import type { Protocol, Selection } from "./contract.ts";

const KEY = "benchwright.quiz.1.pending";

export type Pending = { do: "start"; model: string; selection: Selection; protocol: Protocol; share: boolean } | { do: "go_on"; model: string; run: string };

/** Opens the page that may connect to where a model is, and says there what to do. */
export function openPageFor(pending: Pending): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(pending));
  } catch {
    // Without it the model is chosen on the next page, and the start is one more click.
  }
  location.assign(`/quiz?${new URLSearchParams({ engine: "webllm", model: pending.model })}`);
}

/** What the page before wanted, once. */
export function takePending(named: string | null): Pending | null {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    const pending = kept === null ? null : (JSON.parse(kept) as Pending);
    return pending !== null && pending.model === named ? pending : null;
  } catch {
    return null;
  }
}
