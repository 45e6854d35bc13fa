// What a browser lends a page for the time of a run: the only right to run, and a screen that stays on.

const RUN_LOCK = "benchwright-quiz-run";

/** Gives the lock back when called; nothing when another tab has it. */
export function takeRunLock(): Promise<(() => void) | null> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (!locks) return Promise.resolve(() => undefined);
  return new Promise((taken) => {
    const held = locks.request(RUN_LOCK, { ifAvailable: true }, (lock) => {
      if (!lock) {
        taken(null);
        return undefined;
      }
      return new Promise<void>((release) => taken(release));
    });
    // Where a visitor forbids sites to store anything, locks are forbidden too: as good as none.
    held.catch(() => taken(() => undefined));
  });
}

/** Keeps the screen on until called. A browser takes it back whenever the page is hidden, so it is asked for again. */
export function keepAwake(): () => void {
  let sentinel: WakeLockSentinel | null = null;
  let isOver = false;
  const acquire = async () => {
    if (isOver || document.visibilityState !== "visible") return;
    // Not everywhere, and not with a low battery.
    sentinel = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
    if (isOver) await sentinel?.release();
  };
  document.addEventListener("visibilitychange", acquire);
  void acquire();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", acquire);
    void sentinel?.release();
  };
}

/** Says whether the page was hidden at any time since it was asked last. */
export function watchHidden(): { wasHidden(): boolean; end(): void } {
  let hidden = document.visibilityState === "hidden";
  const note = () => (hidden ||= document.visibilityState === "hidden");
  document.addEventListener("visibilitychange", note);
  return {
    wasHidden: () => {
      const was = hidden;
      hidden = document.visibilityState === "hidden";
      return was;
    },
    end: () => document.removeEventListener("visibilitychange", note),
  };
}
