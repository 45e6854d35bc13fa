// Asks one question and listens to the end, with a watchdog for engines that fall silent.

import type { Prompt } from "../contract.ts";
import { EngineFailure, failureFrom } from "../engine/failure.ts";
import type { Engine, Usage } from "../engine/engine.ts";
import { type Clock, realClock, Watchdog } from "./watchdog.ts";

/** Reading a prompt may take long and say nothing meanwhile; words come sooner. */
const SILENCE_BEFORE_TEXT_MS = 600_000;
const SILENCE_IN_TEXT_MS = 180_000;

export interface Heard {
  output: string;
  usage: Usage;
  firstTokenMs: number | null;
  totalMs: number;
}

export interface Listener {
  onPrefill(done: number, total: number): void;
  onText(text: string): void;
}

export async function ask(engine: Engine, prompt: Pick<Prompt, "messages" | "settings">, listener: Listener, signal: AbortSignal, clock: Clock = realClock): Promise<Heard> {
  const silence = new AbortController();
  const watchdog = new Watchdog(SILENCE_BEFORE_TEXT_MS, () => silence.abort(), clock);
  try {
    return await unlessSilent(listen(engine, prompt, listener, signal, watchdog, clock), silence.signal);
  } catch (thrown) {
    throw failureFrom(thrown);
  } finally {
    watchdog.end();
  }
}

async function listen(engine: Engine, prompt: Pick<Prompt, "messages" | "settings">, listener: Listener, signal: AbortSignal, watchdog: Watchdog, clock: Clock): Promise<Heard> {
  const begun = clock.now();
  let output = "";
  let firstTokenMs: number | null = null;
  for await (const piece of engine.generate(prompt, signal)) {
    if (piece.kind === "prefill") {
      watchdog.heard();
      listener.onPrefill(piece.done, piece.total);
    } else if (piece.kind === "text") {
      watchdog.heard(SILENCE_IN_TEXT_MS);
      firstTokenMs ??= clock.now() - begun;
      output += piece.text;
      listener.onText(piece.text);
    } else {
      return { output, usage: piece.usage, firstTokenMs, totalMs: clock.now() - begun };
    }
  }
  throw new EngineFailure("crashed", "the engine ended without an end");
}

function unlessSilent<T>(heard: Promise<T>, silence: AbortSignal): Promise<T> {
  const silent = new Promise<never>((_, reject) => {
    silence.addEventListener("abort", () => reject(new EngineFailure("silent", "the engine said nothing for minutes")), { once: true });
  });
  return Promise.race([heard, silent]);
}
