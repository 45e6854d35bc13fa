// The engine of a run: loaded, tested with a known answer, loaded again when it broke, freed.

import type { DeviceFacts } from "../engine/device.ts";
import type { Chosen, Engine, Loaded, LoadProgress } from "../engine/engine.ts";
import { EngineFailure } from "../engine/failure.ts";
import { ask, type Heard } from "./asking.ts";
import { ratesOf } from "./pace.ts";
import { SELF_TEST } from "./self-test.ts";

/** Below this many tokens per second several threads may be in each other's way. */
const SUSPICIOUSLY_SLOW = 2;
/** Larger models take too long to load again only to try. */
const SMALL_MODEL_MB = 600;
const ANY_THREADS = Number.MAX_SAFE_INTEGER;

export interface Trial {
  output: string;
  loaded: Loaded;
  remark: string | null;
}

export class Seat {
  readonly #find: (name: Engine["name"]) => Promise<Engine>;
  readonly #device: DeviceFacts;
  readonly #onProgress: (progress: LoadProgress) => void;
  #engine: Engine | null = null;
  #taken: { chosen: Chosen; loaded: Loaded } | null = null;

  constructor(find: (name: Engine["name"]) => Promise<Engine>, device: DeviceFacts, onProgress: (progress: LoadProgress) => void) {
    this.#find = find;
    this.#device = device;
    this.#onProgress = onProgress;
  }

  get engine(): Engine {
    if (!this.#engine) throw new EngineFailure("crashed", "no engine is loaded");
    return this.#engine;
  }

  get chosen(): Chosen | null {
    return this.#taken?.chosen ?? null;
  }

  /** Loads a model, unless it is there already. */
  async load(chosen: Chosen, signal: AbortSignal): Promise<Loaded> {
    if (this.#taken && isSame(this.#taken.chosen, chosen)) return this.#taken.loaded;
    return this.#loadAnew(chosen, ANY_THREADS, signal);
  }

  /** The same model once more, after it broke. */
  async reload(signal: AbortSignal): Promise<Loaded> {
    const { chosen, loaded } = this.#must();
    return this.#loadAnew(chosen, loaded.used.threads ?? ANY_THREADS, signal);
  }

  async #loadAnew(chosen: Chosen, atMostThreads: number, signal: AbortSignal): Promise<Loaded> {
    await this.leave();
    this.#engine = await this.#find(chosen.kind === "file" ? "wllama" : chosen.model.engine);
    const onProgress = (progress: LoadProgress) => {
      if (!signal.aborted) this.#onProgress(progress);
    };
    const loaded = await this.#engine.load({ chosen, device: this.#device, atMostThreads, onProgress, signal });
    this.#taken = { chosen, loaded };
    return loaded;
  }

  /** Asks for a known answer. Where several threads are slower than one would be, one is used from then on. */
  async test(signal: AbortSignal): Promise<Trial> {
    const { chosen, loaded } = this.#must();
    this.#onProgress({ phase: "preparing", share: null, note: "Testing the device with a prompt whose answer is known." });
    const first = await this.#ask(signal);
    const [rate, threads] = [decodeRate(first), loaded.used.threads ?? 1];
    if (threads === 1 || rate === null || rate >= SUSPICIOUSLY_SLOW || megabytes(chosen) > SMALL_MODEL_MB) {
      return { output: first.output, loaded, remark: null };
    }
    this.#onProgress({ phase: "preparing", share: null, note: "That was slow. Trying one thread instead." });
    const single = await this.#loadAnew(chosen, 1, signal);
    const alone = decodeRate(await this.#ask(signal));
    if (alone === null || alone <= rate) return { output: first.output, loaded: await this.#loadAnew(chosen, threads, signal), remark: null };
    const remark = `One thread is used: ${threads} were slower here (${rate.toFixed(1)} against ${alone.toFixed(1)} tokens per second).`;
    return { output: first.output, loaded: single, remark };
  }

  #ask(signal: AbortSignal): Promise<Heard> {
    return ask(this.engine, SELF_TEST, { onPrefill: () => undefined, onText: () => undefined }, signal);
  }

  #must(): { chosen: Chosen; loaded: Loaded } {
    if (!this.#taken) throw new EngineFailure("crashed", "no engine is loaded");
    return this.#taken;
  }

  /** Frees all memory. */
  async leave(): Promise<void> {
    const engine = this.#engine;
    this.#engine = this.#taken = null;
    await engine?.unload();
  }
}

function decodeRate({ usage, firstTokenMs, totalMs }: Heard): number | null {
  return ratesOf({ prompt_tokens: usage.promptTokens, cached_tokens: usage.cachedTokens, output_tokens: usage.outputTokens, first_token_ms: firstTokenMs, total_ms: totalMs }).decode;
}

function megabytes(chosen: Chosen): number {
  return chosen.kind === "file" ? chosen.file.size / 1e6 : chosen.model.memory_mb;
}

function isSame(a: Chosen, b: Chosen): boolean {
  return a.kind === "file" || b.kind === "file" ? a === b : a.model.id === b.model.id;
}
