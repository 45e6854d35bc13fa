// The worker in which WebLLM runs. The package is loaded here and nowhere else: it weighs megabytes.

import { MLCEngine, prebuiltAppConfig, type ChatCompletionChunk, type ModelRecord } from "@mlc-ai/web-llm";
import { version } from "@mlc-ai/web-llm/package.json";
import type { Usage } from "./engine.ts";
import { CachesOrMemory } from "./webllm-cache.ts";
import { EngineFailure, failureFrom } from "./failure.ts";
import type { FromWebllm, ToWebllm } from "./webllm-protocol.ts";
import { untilLoaded } from "./webllm-tries.ts";

const post = (message: FromWebllm) => postMessage(message);

let engine: MLCEngine | null = null;

const parts = new CachesOrMemory("caches" in globalThis ? caches : undefined, (...asked) => fetch(...asked));
Object.defineProperty(globalThis, "caches", { value: parts, configurable: true });

/** WebLLM only logs it when the device is lost, and then waits for ever. */
function noticeLostDevices(): void {
  if (typeof GPUAdapter === "undefined") return;
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (this: GPUAdapter, ...wishes: Parameters<typeof request>) {
    const device = await request.apply(this, wishes);
    void device.lost.then(({ reason, message }) => {
      if (reason !== "destroyed") post({ kind: "failed", reason: "device_lost", message: message || "the graphics device was lost" });
    });
    return device;
  };
}

function recordOf(modelId: string, sourceUrl: string | null): ModelRecord {
  const record = prebuiltAppConfig.model_list.find((one) => one.model_id === modelId);
  if (!record) throw new EngineFailure("not_found", `WebLLM ${version} has no model called ${modelId}`);
  return sourceUrl === null ? record : { ...record, model: sourceUrl };
}

async function load(modelId: string, sourceUrl: string | null): Promise<void> {
  const record = recordOf(modelId, sourceUrl);
  const fresh = new MLCEngine({
    appConfig: { model_list: [record] },
    initProgressCallback: ({ progress, text }) => post({ kind: "progress", share: progress, text }),
    logLevel: "SILENT",
  });
  engine = fresh;
  await untilLoaded(() => fetchAndStart(fresh, record), { wait, onAgain: (note) => post({ kind: "again", note }) });
  parts.forget();
  post({ kind: "loaded", version, stored: !parts.refused });
}

const wait = (milliseconds: number) => new Promise<void>((resume) => setTimeout(resume, milliseconds));

async function fetchAndStart(engine: MLCEngine, { model_id, model }: ModelRecord): Promise<void> {
  try {
    await engine.reload(model_id);
  } catch (thrown) {
    throw (await isMissing(model)) ? new EngineFailure("not_found", `there is nothing at ${model}`) : thrown;
  }
}

/** The browser's cache says of a file that is not there only that it could not be added. */
async function isMissing(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/resolve/main/mlc-chat-config.json`, { method: "HEAD" })).status === 404;
  } catch {
    return false;
  }
}

async function generate({ messages, settings }: Extract<ToWebllm, { do: "generate" }>["prompt"]): Promise<void> {
  if (!engine) throw new EngineFailure("crashed", "no model is loaded");
  const stream = await engine.chat.completions.create({
    messages,
    stream: true,
    stream_options: { include_usage: true },
    temperature: settings.temperature,
    top_p: settings.top_p,
    max_tokens: settings.max_tokens,
    seed: settings.seed,
    // A model's own settings may punish repetition; the protocol does not.
    repetition_penalty: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    extra_body: { enable_thinking: settings.thinking },
  });
  // To the end in every case: a stream that is left breaks the next one.
  const usage = await passOn(stream);
  post(usage ? { kind: "end", usage } : { kind: "interrupted" });
}

async function passOn(stream: AsyncIterable<ChatCompletionChunk>): Promise<Usage | null> {
  let finish: string | null = null;
  let usage: Usage | null = null;
  for await (const chunk of stream) {
    const choice = chunk.choices[0];
    if (choice?.delta.content) post({ kind: "text", text: choice.delta.content });
    finish = choice?.finish_reason ?? finish;
    if (chunk.usage) {
      const { prompt_tokens, completion_tokens } = chunk.usage;
      usage = { finish: finish === "length" ? "length" : "stop", promptTokens: prompt_tokens, cachedTokens: null, outputTokens: completion_tokens };
    }
  }
  return finish === "abort" ? null : usage;
}

async function answer(asked: ToWebllm): Promise<void> {
  if (asked.do === "load") await load(asked.modelId, asked.sourceUrl);
  else if (asked.do === "generate") await generate(asked.prompt);
  else await engine?.interruptGenerate();
}

/** A connection that the page's policy forbids looks like any broken one, except here. */
addEventListener("securitypolicyviolation", ({ blockedURI }) => {
  post({ kind: "failed", reason: "blocked", message: `the page's policy forbids to connect to ${blockedURI}` });
});
noticeLostDevices();
onmessage = async ({ data }: MessageEvent<ToWebllm>) => {
  try {
    await answer(data);
  } catch (thrown) {
    const { reason, message } = failureFrom(thrown);
    post({ kind: "failed", reason, message });
  }
};
