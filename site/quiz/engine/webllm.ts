// WebLLM on WebGPU, in a worker of its own. To call a load off is to end the worker: parts already stored stay, and the next load goes on.

import type { Prompt } from "../contract.ts";
import { startWorker } from "../start-worker.ts";
import type { DeviceFacts } from "./device.ts";
import type { Chosen, Engine, Fitness, Load, Loaded, LoadProgress, Piece } from "./engine.ts";
import { EngineFailure } from "./failure.ts";
import { fitnessOnGpu } from "./fitness.ts";
import { progressFrom } from "./webllm-progress.ts";
import type { FromWebllm, ToWebllm } from "./webllm-protocol.ts";

const NOT_STORED = "The browser would not store the model, so it is kept in memory and fetched again the next time.";

const NOTHING_YET = { phase: "downloading", received: 0, total: null, note: null } as const;

type Listener = (message: FromWebllm) => void;

export class WebllmEngine implements Engine {
  readonly name = "webllm";
  #worker: Worker | null = null;
  #listener: Listener = () => undefined;

  describe(): { title: string; runsOn: string } {
    return { title: "WebLLM", runsOn: "the graphics processor, through WebGPU" };
  }

  check(chosen: Chosen, device: DeviceFacts): Fitness {
    return fitnessOnGpu(chosen, device);
  }

  async load({ chosen, onProgress, signal }: Load): Promise<Loaded> {
    await this.unload();
    if (chosen.kind !== "catalogue") throw new EngineFailure("unsupported", "WebLLM runs no GGUF files");
    const { id, source_url: sourceUrl } = chosen.model;
    this.#start();
    let last: LoadProgress = NOTHING_YET;
    try {
      const { version, stored } = await this.#until<{ version: string; stored: boolean }>(signal, (message, done) => {
        if (message.kind === "progress") onProgress((last = progressFrom(message.share, message.text)));
        if (message.kind === "again") onProgress({ ...(last.phase === "downloading" ? last : NOTHING_YET), note: message.note });
        if (message.kind === "loaded") done(message);
      }, { do: "load", modelId: id, sourceUrl });
      return { used: { name: "webllm", version, backend: "webgpu", threads: null }, fileSha256: null, systemInUser: null, remarks: stored ? [] : [NOT_STORED] };
    } catch (thrown) {
      await this.unload();
      throw thrown;
    }
  }

  #start(): void {
    const worker = startWorker("./webllm-worker.js");
    worker.onmessage = ({ data }: MessageEvent<FromWebllm>) => this.#listener(data);
    worker.onerror = (event) => this.#listener({ kind: "failed", reason: "crashed", message: event.message || "the worker of WebLLM did not start" });
    this.#worker = worker;
  }

  /** Asks the worker, and hands on what it says until somebody is content, it fails, or it is called off. */
  #until<T>(signal: AbortSignal, hear: (message: FromWebllm, done: (value: T) => void) => void, ask: ToWebllm): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const abort = () => reject(new EngineFailure("aborted", "called off"));
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      this.#listener = (message) => {
        if (message.kind === "failed") reject(new EngineFailure(message.reason, message.message));
        else hear(message, resolve);
      };
      this.#worker?.postMessage(ask);
    }).finally(() => (this.#listener = () => undefined));
  }

  async *generate(prompt: Pick<Prompt, "messages" | "settings">, signal: AbortSignal): AsyncGenerator<Piece> {
    if (!this.#worker) throw new EngineFailure("crashed", "no model is loaded");
    const queue: FromWebllm[] = [];
    let wake: () => void = () => undefined;
    this.#listener = (message) => {
      queue.push(message);
      wake();
    };
    // WebLLM ends its stream in its own time; it is listened to until then, or the next stream would be broken.
    const interrupt = () => this.#worker?.postMessage({ do: "interrupt" } satisfies ToWebllm);
    signal.addEventListener("abort", interrupt, { once: true });
    this.#worker.postMessage({ do: "generate", prompt } satisfies ToWebllm);
    try {
      for (;;) {
        const message = queue.shift();
        if (!message) {
          await new Promise<void>((resume) => (wake = resume));
          continue;
        }
        if (message.kind === "text") yield message;
        else if (message.kind === "interrupted") throw new EngineFailure("aborted", "called off");
        else if (message.kind === "failed") throw new EngineFailure(message.reason, message.message);
        else if (message.kind === "end") {
          if (signal.aborted) throw new EngineFailure("aborted", "called off");
          yield message;
          return;
        }
      }
    } finally {
      signal.removeEventListener("abort", interrupt);
      this.#listener = () => undefined;
    }
  }

  async unload(): Promise<void> {
    const listener = this.#listener;
    this.#worker?.terminate();
    this.#worker = null;
    // Whoever still listens would wait for ever.
    listener({ kind: "failed", reason: "aborted", message: "called off" });
  }
}
