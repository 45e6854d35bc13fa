// WebLLM gives up a download when the connection breaks once.

import { failureFrom, tryingAgain } from "./failure.ts";

/** How long to wait before a download is tried again. */
const WAITS_MS = [1_000, 4_000];

export interface Trying {
  wait(milliseconds: number): Promise<void>;
  onAgain(note: string): void;
}

/** Again after a while where the network broke: parts that came are kept, so that each try goes on where the last one ended. */
export async function untilLoaded(load: () => Promise<void>, { wait, onAgain }: Trying): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await load();
    } catch (thrown) {
      const pause = WAITS_MS[tries];
      if (pause === undefined || failureFrom(thrown).reason !== "network") throw thrown;
      onAgain(tryingAgain(tries + 1, WAITS_MS.length, pause));
      await wait(pause);
    }
  }
}
