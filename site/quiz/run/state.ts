// The states of a run, and which may follow which. Only a finished run counts.

import type { Reason } from "../engine/failure.ts";

/** Why a run cannot go on: an engine's reason, or one of the page's own. */
export type Trouble = Reason | "no_questions" | "other_tab";

export type State =
  | { phase: "idle" }
  | { phase: "checking" }
  | { phase: "downloading" }
  | { phase: "preparing" }
  | { phase: "running" }
  | { phase: "paused" }
  | { phase: "finished" }
  | { phase: "shared" }
  | { phase: "failed"; trouble: Trouble; message: string }
  | { phase: "cancelled" }
  | { phase: "interrupted" };

export type Phase = State["phase"];

const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  idle: ["checking", "interrupted"],
  checking: ["downloading", "preparing", "failed", "cancelled"],
  downloading: ["preparing", "failed", "cancelled"],
  // An engine whose device was lost is loaded again in the middle of a run, from what is stored.
  preparing: ["downloading", "running", "failed", "cancelled"],
  running: ["paused", "preparing", "downloading", "finished", "failed", "cancelled"],
  paused: ["running", "checking", "cancelled", "failed"],
  finished: ["shared", "checking", "running", "preparing", "idle"],
  shared: ["finished", "checking", "running", "preparing", "idle"],
  failed: ["checking", "idle"],
  cancelled: ["checking", "idle"],
  interrupted: ["checking", "idle"],
};

export function mayFollow(now: Phase, next: Phase): boolean {
  return now === next || NEXT[now].includes(next);
}

/** The next state; that it may follow is a promise of ours, so a broken one is a bug and is heard of. */
export function follow(now: State, next: State): State {
  if (!mayFollow(now.phase, next.phase)) throw new Error(`a run that is ${now.phase} cannot become ${next.phase}`);
  return next;
}

/** Whether an engine is at work or about to be. */
export function isBusy({ phase }: State): boolean {
  return phase === "checking" || phase === "downloading" || phase === "preparing" || phase === "running" || phase === "paused";
}

/** Whether what was answered so far can be gone on with. */
export function canContinue({ phase }: State): boolean {
  return phase === "failed" || phase === "cancelled" || phase === "interrupted";
}
