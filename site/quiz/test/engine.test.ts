import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogueModel } from "../contract.ts";
import { browserOf, coresBucket, identifierOf, memoryBucket, osOf } from "../engine/coarse.ts";
import { readDevice, type DeviceFacts } from "../engine/device.ts";
import { failureFrom, worthAnotherTry, type Reason } from "../engine/failure.ts";
import { buildFor, families, fitnessOnGpu, fitnessOnProcessor, nextSmaller, threadsFor } from "../engine/fitness.ts";
import { folderOf } from "../engine/webllm-files.ts";
import { progressFrom } from "../engine/webllm-progress.ts";
import { untilLoaded } from "../engine/webllm-tries.ts";
import { downloadSize, firstChoice, nameOf, offers } from "../view/models.ts";
import { ruleWords } from "../view/words.ts";
import { catalogue, device, model } from "./samples.ts";

test("what engines and browsers say is understood", () => {
  const said: [string | Error, Reason][] = [
    [new DOMException("Quota exceeded.", "QuotaExceededError"), "quota"],
    [new TypeError("Failed to fetch"), "network"],
    ["TypeError: Failed to execute 'add' on 'Cache': Request failed", "network"],
    ["The WebGPU device was lost while loading the model. This issue often occurs due to running out of memory (OOM).", "device_lost"],
    ["RangeError: Array buffer allocation failed", "out_of_memory"],
    ["(ABORT) failed to allocate buffer of size 1073741824", "out_of_memory"],
    ["This model requires feature shader-f16, which is not yet supported by this browser.", "no_f16"],
    ["Cannot find WebGPU in the environment", "no_webgpu"],
    ["CompileError: WebAssembly.instantiate(): expected magic word 00 61 73 6d", "wrong_file"],
    ["HTTP 404 for /quiz/weights/a.gguf", "not_found"],
    ["unknown model architecture: 'zebra'", "unsupported"],
    [new DOMException("signal is aborted without reason", "AbortError"), "aborted"],
    ["memory access out of bounds", "out_of_memory"],
    ["wllama has crashed, please reload the module", "crashed"],
  ];
  for (const [thrown, reason] of said) assert.equal(failureFrom(thrown).reason, reason, String(thrown));
});

test("only what may pass is tried again", () => {
  assert.ok(worthAnotherTry("device_lost") && worthAnotherTry("silent") && worthAnotherTry("crashed"));
  assert.ok(!worthAnotherTry("out_of_memory") && !worthAnotherTry("quota") && !worthAnotherTry("aborted"));
});

test("of a browser only its family and major version remain", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  const safari = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15";
  const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0";
  assert.deepEqual(browserOf(chrome, []), { family: "chromium", major: 156 });
  assert.deepEqual(browserOf(`${chrome} Edg/155.0.0.0`, []), { family: "edge", major: 155 });
  assert.deepEqual(browserOf(chrome, [{ brand: "Not A;Brand", version: "99" }, { brand: "Microsoft Edge", version: "155" }]), { family: "edge", major: 155 });
  assert.deepEqual(browserOf(safari, []), { family: "safari", major: 18 });
  assert.deepEqual(browserOf(firefox, []), { family: "firefox", major: 139 });
  assert.equal(browserOf("something else", []), null);
  assert.deepEqual([chrome, safari, firefox, "Mozilla/5.0 (Linux; Android 15)"].map((agent) => osOf(agent, "")), ["linux", "macos", "windows", "android"]);
});

test("cores and memory become ranges", () => {
  assert.deepEqual([null, "", "nvidia", "gen-12lp", "Apple M2 (Metal)", "x".repeat(99)].map(identifierOf), [null, null, "nvidia", "gen-12lp", "apple-m2-metal", "x".repeat(32)]);
  assert.deepEqual([1, 2, 3, 8, 9, 32].map(coresBucket), ["1-2", "1-2", "3-4", "5-8", "9-16", "17+"]);
  assert.deepEqual([null, 0.5, 4, 8, 16].map(memoryBucket), [null, "2 GB or less", "4 GB", "8 GB or more", "8 GB or more"]);
});

test("threads: all cores but one, both of two, one without isolation", () => {
  const threads = (cores: number, isolated = true) => threadsFor({ cores, isolated });
  assert.deepEqual([1, 2, 3, 8].map((cores) => threads(cores)), [1, 2, 2, 7]);
  assert.equal(threads(8, false), 1);
});

/** What is read of a browser whose only adapter this is. */
async function readWith(adapter: object): Promise<DeviceFacts> {
  const gpu = { requestAdapter: async () => ({ features: new Set(["shader-f16"]), limits: { maxBufferSize: 1024, maxStorageBufferBindingSize: 512 }, ...adapter }) };
  Object.defineProperty(navigator, "gpu", { value: gpu, configurable: true });
  return readDevice().finally(() => Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true }));
}

test("an adapter that says nothing of itself kept the page from opening", async () => {
  const { gpu: silent, shared: told } = await readWith({});
  assert.deepEqual([silent.state, silent.vendor, silent.architecture, silent.f16, silent.maxBuffer], ["real", null, null, true, 1024]);
  assert.deepEqual([told.gpu_vendor, told.gpu_architecture, told.f16], [null, null, true]);
  assert.equal((await readWith({ isFallbackAdapter: true })).gpu.state, "fallback");
});

test("an adapter is called what it calls itself, and a software one is told", async () => {
  const info = { vendor: "acme", architecture: "one", description: "", isFallbackAdapter: false };
  const { gpu: real } = await readWith({ info });
  assert.deepEqual([real.state, real.vendor, real.architecture], ["real", "acme", "one"]);
  assert.equal((await readWith({ info: { ...info, isFallbackAdapter: true } })).gpu.state, "fallback");
  assert.equal((await readWith({ info: { ...info, architecture: "swiftshader" } })).gpu.state, "fallback");
});

const GIB = 1024 ** 3;
const gpu = (state: DeviceFacts["gpu"]["state"], f16 = true, maxBuffer = 2 * GIB, maxBinding = GIB): DeviceFacts => device({ gpu: { state, vendor: "acme", architecture: "one", f16, maxBuffer, maxBinding } });
const webllm = (quantisation: string, more: Partial<CatalogueModel> = {}) => model({ id: `m-${quantisation}`, name: "M", engine: "webllm", quantisation, memory_mb: 1000, source_url: "https://models.example/m", local: false, file: null, ...more });

test("a model on WebGPU says why it cannot run", () => {
  const check = (facts: DeviceFacts, quantisation: string) => fitnessOnGpu({ kind: "catalogue", model: webllm(quantisation) }, facts);
  assert.equal(check(gpu("real"), "q4f16_1").verdict, "fits");
  assert.match(check(gpu("missing"), "q4f16_1").because, /no WebGPU/);
  assert.match(check(gpu("none"), "q4f16_1").because, /no graphics adapter/);
  assert.match(check(gpu("real", false), "q4f16_1").because, /shader-f16/);
  assert.equal(check(gpu("real", false), "q4f32_1").verdict, "fits");
  assert.deepEqual(["q4f16_1", "q4f32_1"].map((build) => check(gpu("fallback", false), build).verdict), ["cannot_run", "may_not_fit"]);
  assert.equal(fitnessOnGpu({ kind: "catalogue", model: webllm("q4f32_1", { memory_mb: 5000 }) }, { ...gpu("real"), memory: 4 }).verdict, "may_not_fit");
});

test("an adapter with small buffers is not told that every model fits", () => {
  const check = (facts: DeviceFacts, small_buffers: boolean) => fitnessOnGpu({ kind: "catalogue", model: webllm("q4f16_1", { small_buffers }) }, facts);
  assert.equal(check(gpu("real"), false).verdict, "fits");
  for (const small of [gpu("real", true, GIB / 2, GIB), gpu("real", true, 4 * GIB, GIB / 8)]) {
    assert.deepEqual([check(small, false).verdict, check(small, true).verdict], ["may_not_fit", "fits"]);
  }
  assert.match(check(gpu("real", true, 4 * GIB, GIB / 8), false).because, /only 128 MB in one buffer/);
});

test("the size of a download is known, estimated or said to be unknown", () => {
  assert.equal(downloadSize(model({ bytes: 98_362_432 })), "98 MB to download from this site");
  assert.equal(downloadSize(webllm("q4f16_1", { bytes: null, estimated_bytes: 695_145_600 })), "about 695 MB to download (estimated from its parameters)");
  assert.match(downloadSize(webllm("q4f16_1", { bytes: null })), /not known to us/);
});

test("half or single precision is chosen by the adapter", () => {
  const [family] = families([webllm("q4f16_1"), webllm("q4f32_1")]);
  assert.ok(family);
  assert.equal(buildFor(family, gpu("real")).model.quantisation, "q4f16_1");
  const without = buildFor(family, gpu("real", false));
  assert.equal(without.model.quantisation, "q4f32_1");
  assert.match(without.because ?? "", /shader-f16/);
});

test("a real graphics adapter begins with its smallest model, everything else with the processor's", () => {
  const all = catalogue([model({ id: "here" }), webllm("q4f16_1", { id: "large", name: "Large", memory_mb: 900 }), webllm("q4f16_1", { id: "small" })].map((one) => (one.id === "small" ? { ...one, memory_mb: 300 } : one)));
  const first = (facts: DeviceFacts, named: string | null) => firstChoice(offers(all, facts), named, facts.gpu.state)?.model.id;
  assert.equal(first(gpu("real"), null), "small");
  assert.equal(first(gpu("real"), "large"), "large");
  for (const state of ["missing", "none", "fallback"] as const) assert.equal(first(gpu(state, false), null), "here");
});

test("every rule is said in words", () => {
  assert.equal(ruleWords("answer_in_chinese"), "the word for answer in Chinese");
  assert.equal(ruleWords("bold"), "a letter in bold");
});

test("a model whose weights nobody has cannot run", () => {
  const gone = model({ local: false });
  assert.equal(fitnessOnProcessor({ kind: "catalogue", model: gone }, device()).verdict, "cannot_run");
  assert.equal(fitnessOnProcessor({ kind: "catalogue", model: model({}) }, device()).verdict, "fits");
});

test("where memory was short the next smaller model that runs is offered", () => {
  const models = [model({ id: "small", memory_mb: 500 }), webllm("q4f32_1", { id: "middle", memory_mb: 900 }), webllm("q4f16_1", { id: "large", memory_mb: 2000 })];
  const large = models[2];
  assert.ok(large);
  assert.equal(nextSmaller(large, models, gpu("real"))?.id, "middle");
  assert.equal(nextSmaller(large, models, gpu("none"))?.id, "small");
  assert.equal(nextSmaller(model({ memory_mb: 100 }), models, gpu("real")), null);
});

test("WebLLM's prose about its progress is read", () => {
  const text = "Fetching param cache[3/24]: 96MB fetched. 12% completed, 5 secs elapsed. It can take a while";
  assert.deepEqual(progressFrom(0.12, text), { phase: "downloading", received: 96 * 1048576, total: Math.round((96 * 1048576) / 0.12), note: null });
  assert.deepEqual(progressFrom(0.5, "Loading model from cache[12/24]: 400MB loaded. 50% completed, 2 secs elapsed."), { phase: "preparing", share: 0.5, note: "Loading the model onto the graphics processor." });
  assert.equal(progressFrom(0.1, "Loading GPU shader modules[10/100]: 10% completed, 1 secs elapsed.").phase, "preparing");
  assert.equal(progressFrom(0, "Start to fetch params").phase, "downloading");
  assert.equal(progressFrom(1, "Finish loading on WebGPU - acme").phase, "preparing");
});

test("a download of WebLLM that broke is tried again after longer and longer waits, and says so", async () => {
  const tried = async (...fails: (string | null)[]) => {
    const notes: string[] = [];
    const waits: number[] = [];
    let loads = 0;
    const load = async () => {
      loads += 1;
      const said = fails.shift() ?? null;
      if (said !== null) throw new TypeError(said);
    };
    const ended = await untilLoaded(load, { wait: async (pause) => void waits.push(pause), onAgain: (note) => notes.push(note) }).catch((thrown: unknown) => failureFrom(thrown).reason);
    return { ended: ended ?? "loaded", loads, notes, waits };
  };
  const broke = "Failed to fetch";
  assert.deepEqual(await tried(broke, null), { ended: "loaded", loads: 2, notes: ["The connection broke. Trying again in 1 s (1 of 2)."], waits: [1000] });
  const never = await tried(broke, broke, broke, broke);
  assert.deepEqual([never.ended, never.loads, never.waits, never.notes.at(-1)], ["network", 3, [1000, 4000], "The connection broke. Trying again in 4 s (2 of 2)."]);
  assert.deepEqual(await tried("QuotaExceededError"), { ended: "quota", loads: 1, notes: [], waits: [] });
});

test("stored parts of a model belong together", () => {
  const base = "https://models.example/mlc/M-q4f16_1-MLC";
  assert.equal(folderOf(`${base}/resolve/main/params_shard_3.bin`), base);
  assert.equal(folderOf(base), base);
  assert.equal(folderOf("https://code.example/libs/v1/M-webgpu.wasm"), "https://code.example/libs/v1");
});

test("a file's name that was cut at a blank made a run that could not be shared", () => {
  const long = "x".repeat(99);
  const names: [string, string][] = [
    ["model.Q4_1.gguf", "model.Q4_1"],
    [" two words .GGUF", "two words"],
    [`${long} and more.gguf`, long],
    [" \u0007.gguf", "a file without a name"],
    [`${"模".repeat(40)}.gguf`, "模".repeat(33)],
  ];
  for (const [name, wanted] of names) assert.equal(nameOf({ name }), wanted, name);
});
