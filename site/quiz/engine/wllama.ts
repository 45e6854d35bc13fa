// llama.cpp compiled to WebAssembly: runs in any browser, on as many threads as cross-origin isolation allows.

import { Wllama, type ChatCompletionChunk } from "@wllama/wllama/esm/index.js";
import { version } from "@wllama/wllama/package.json";
import type { Prompt } from "../contract.ts";
import { getWeights, hashFile } from "../weights/weights.ts";
import type { DeviceFacts } from "./device.ts";
import type { Chosen, Engine, Fitness, Load, Loaded, LoadProgress, Piece } from "./engine.ts";
import { EngineFailure, failureFrom } from "./failure.ts";
import { fitnessOnProcessor, threadsFor } from "./fitness.ts";
import { keyOf } from "./stored.ts";

/** Five examples, a question and 400 tokens fit into it for every question of every set. */
const CONTEXT = 4096;
/** Tokens that are read at once: few enough that reading shows progress and can be called off. */
const BATCH = 128;
/** WebAssembly of this kind cannot address more. */
const LARGEST_FILE = 4 * 1024 ** 3;

const asset = (file: string) => new URL(file, import.meta.url).href;
const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

export class WllamaEngine implements Engine {
  readonly name = "wllama";
  #wllama: Wllama | null = null;
  /** Aborted when the model is taken away: promises of wllama's own that wait for it would never end. */
  #gone = new AbortController();

  describe(): { title: string; runsOn: string } {
    return { title: `wllama ${version}`, runsOn: "the processor, as WebAssembly" };
  }

  check(chosen: Chosen, device: DeviceFacts): Fitness {
    if (chosen.kind === "file" && chosen.file.size > LARGEST_FILE) {
      return { verdict: "cannot_run", because: "The file is larger than the 4 GB that WebAssembly can address." };
    }
    return fitnessOnProcessor(chosen, device);
  }

  async load({ chosen, device, atMostThreads, onProgress, signal }: Load): Promise<Loaded> {
    await this.unload();
    const { file, sha256, stored } = await weightsOf(chosen, onProgress, signal);
    onProgress({ phase: "preparing", share: null, note: "Loading the model into memory." });
    try {
      await this.#start(file, Math.min(atMostThreads, threadsFor(device)), signal);
    } catch (thrown) {
      await this.unload();
      throw signal.aborted ? new EngineFailure("aborted", "called off") : failureFrom(thrown);
    }
    const remarks = [];
    if (!stored) remarks.push("The browser would not store the model's file, so it is kept in memory and gone with this page.");
    if (!device.isolated) remarks.push("This page is not isolated from others, so the model runs on one thread only.");
    const threads = this.#wllama?.getNumThreads() ?? 1;
    const systemInUser = /system role (is )?not supported/i.test(this.#wllama?.getChatTemplate() ?? "");
    return { used: { name: "wllama", version, backend: "wasm", threads }, fileSha256: sha256, systemInUser, remarks };
  }

  async #start(file: Blob, threads: number, signal: AbortSignal): Promise<void> {
    const wllama = new Wllama({ default: asset("./wllama.wasm") }, { suppressNativeLog: true, logger: silent });
    wllama.setCompat({ worker: asset("./wllama-compat.js"), wasm: asset("./wllama-compat.wasm") });
    this.#wllama = wllama;
    this.#gone = new AbortController();
    const settings = {
      n_ctx: CONTEXT,
      n_batch: BATCH,
      n_ubatch: BATCH,
      n_threads: threads,
      // The processor only: the backend that is named must be the one that computes.
      n_gpu_layers: 0,
      n_parallel: 1,
      // Whatever the model writes is shown as it is, reasoning and all.
      reasoning_format: "none",
      skip_chat_parsing: true,
    } as const;
    const loading = wllama.loadModel([file], settings);
    await unlessAborted(loading, signal);
  }

  async *generate(prompt: Pick<Prompt, "messages" | "settings">, signal: AbortSignal): AsyncGenerator<Piece> {
    const wllama = this.#wllama;
    if (!wllama) throw new EngineFailure("crashed", "no model is loaded");
    // Ends the request as well when whoever listens goes away.
    const ended = new AbortController();
    try {
      const stream = await wllama.createChatCompletion({ ...requestOf(prompt), abortSignal: AbortSignal.any([signal, ended.signal]) });
      yield* pieces(unlessGone(stream, this.#gone.signal));
    } catch (thrown) {
      throw signal.aborted ? new EngineFailure("aborted", "called off") : failureFrom(thrown);
    } finally {
      ended.abort();
    }
  }

  async unload(): Promise<void> {
    const wllama = this.#wllama;
    this.#wllama = null;
    this.#gone.abort();
    await wllama?.exit().catch(() => undefined);
  }
}

async function weightsOf(chosen: Chosen, onProgress: (progress: LoadProgress) => void, signal: AbortSignal): Promise<{ file: Blob; sha256: string | null; stored: boolean }> {
  if (chosen.kind === "file") {
    const { file } = chosen;
    await isGguf(file);
    const sha256 = await hashFile(file, signal, (done) => onProgress({ phase: "preparing", share: done / file.size, note: "Computing the file's SHA-256." }));
    return { file, sha256, stored: true };
  }
  const { model } = chosen;
  const url = model.file === null ? model.source_url : `/quiz/weights/${encodeURIComponent(model.file)}`;
  if (url === null) throw new EngineFailure("not_found", `nobody says where the weights of ${model.id} are`);
  const wanted = { key: keyOf(model.id), url: new URL(url, location.href).href, bytes: model.bytes, sha256: model.sha256 };
  return getWeights(wanted, signal, ({ received, total, note }) => onProgress({ phase: "downloading", received, total, note }));
}

async function isGguf(file: Blob): Promise<void> {
  const magic = await file.slice(0, 4).text();
  if (magic !== "GGUF") throw new EngineFailure("wrong_file", "this is no GGUF file: it does not begin with the letters GGUF");
}

function requestOf({ messages, settings }: Pick<Prompt, "messages" | "settings">) {
  return {
    messages,
    stream: true as const,
    temperature: settings.temperature,
    top_p: settings.top_p,
    max_tokens: settings.max_tokens,
    seed: settings.seed,
    // No knob beside those of the protocol.
    top_k: 0,
    min_p: 0,
    cache_prompt: true,
    return_progress: true,
    chat_template_kwargs: { enable_thinking: settings.thinking },
  };
}

async function* pieces(chunks: AsyncIterable<ChatCompletionChunk>): AsyncGenerator<Piece> {
  let finish: "stop" | "length" = "stop";
  let timings: ChatCompletionChunk["timings"];
  for await (const chunk of chunks) {
    const { prompt_progress: progress } = chunk;
    if (progress) yield { kind: "prefill", done: progress.processed, total: progress.total };
    const choice = chunk.choices[0];
    if (choice?.delta.content) yield { kind: "text", text: choice.delta.content };
    if (choice?.finish_reason === "length") finish = "length";
    timings = chunk.timings ?? timings;
  }
  if (!timings) throw new EngineFailure("crashed", "the engine ended without saying how many tokens there were");
  const { prompt_n, cache_n, predicted_n } = timings;
  yield { kind: "end", usage: { finish, promptTokens: prompt_n + cache_n, cachedTokens: cache_n, outputTokens: predicted_n } };
}

/** The same stream, which ends in failure when the engine is taken away. */
async function* unlessGone<T>(stream: AsyncIterable<T>, gone: AbortSignal): AsyncGenerator<T> {
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessAborted(iterator.next(), gone);
    if (next.done) return;
    yield next.value;
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new EngineFailure("aborted", "called off"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
