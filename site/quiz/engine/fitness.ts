// Whether a model can run on a device, as far as a browser lets one know before trying.

import type { CatalogueModel } from "../contract.ts";
import type { DeviceFacts, Gpu } from "./device.ts";
import type { Chosen, Fitness } from "./engine.ts";

/** A page gets about this share of the memory a machine has before the browser ends it. */
const SHARE_OF_MEMORY = 0.6;
/** What a GGUF file needs beside itself: context, buffers, the engine. */
const BESIDE_THE_FILE_MB = 350;
const NEEDS_F16 = /f16/;
const MIB = 1024 ** 2;
/** WebLLM asks an adapter for buffers of this size; with the least that WebGPU allows, only some of its models run. */
const WANTED_BUFFER = 1024 * MIB;

export const GPU_SAYS: Readonly<Record<Gpu["state"], string>> = {
  missing: "This browser has no WebGPU.",
  none: "This browser has WebGPU but finds no graphics adapter to use.",
  fallback: "The only WebGPU adapter here is a software one: a model would take minutes per word.",
  real: "WebGPU works here.",
};

export function fitnessOnGpu(chosen: Chosen, device: DeviceFacts): Fitness {
  const { state, f16 } = device.gpu;
  if (chosen.kind === "file") return { verdict: "cannot_run", because: "GGUF files run on the processor." };
  if (state === "missing" || state === "none") return { verdict: "cannot_run", because: GPU_SAYS[state] };
  if (needsF16(chosen.model) && !f16) {
    return { verdict: "cannot_run", because: "It computes in half precision (shader-f16), which this adapter or browser does not offer." };
  }
  if (state === "fallback") return { verdict: "may_not_fit", because: GPU_SAYS.fallback };
  return doubtOfBuffers(chosen.model, device.gpu) ?? roomFor(chosen.model.memory_mb, device.memory);
}

function doubtOfBuffers({ small_buffers }: CatalogueModel, { maxBuffer, maxBinding }: Gpu): Fitness | null {
  const most = Math.min(maxBuffer, maxBinding);
  if (small_buffers || most >= WANTED_BUFFER) return null;
  const allows = `This adapter allows only ${Math.floor(most / MIB).toLocaleString("en")} MB in one buffer`;
  return { verdict: "may_not_fit", because: `${allows}, and WebLLM does not list this model among those for small buffers.` };
}

export function fitnessOnProcessor(chosen: Chosen, device: DeviceFacts): Fitness {
  const needed = chosen.kind === "file" ? chosen.file.size / 1e6 + BESIDE_THE_FILE_MB : chosen.model.memory_mb;
  if (chosen.kind === "catalogue" && !chosen.model.local && chosen.model.source_url === null) {
    return { verdict: "cannot_run", because: "This site does not have its weights." };
  }
  return roomFor(needed, device.memory);
}

function roomFor(megabytes: number, memory: number | null): Fitness {
  const needs = `Needs about ${Math.round(megabytes).toLocaleString("en")} MB of memory`;
  if (memory === null) return { verdict: "fits", because: `${needs}; this browser does not say how much there is.` };
  const there = memory >= 8 ? "8 GB or more" : `${memory} GB`;
  // 8 means 8 or more, so only what no page could get is doubted.
  const most = memory >= 8 ? 12_000 : memory * 1024 * SHARE_OF_MEMORY;
  return megabytes <= most
    ? { verdict: "fits", because: `${needs}; this device has ${there}.` }
    : { verdict: "may_not_fit", because: `${needs}; this device has ${there}, of which a page gets a part.` };
}

export function needsF16(model: CatalogueModel): boolean {
  return model.engine === "webllm" && NEEDS_F16.test(model.quantisation);
}

/** The builds of one model for one engine. */
export interface ModelFamily {
  name: string;
  engine: CatalogueModel["engine"];
  builds: CatalogueModel[];
}

export function families(models: readonly CatalogueModel[]): ModelFamily[] {
  const found = new Map<string, ModelFamily>();
  for (const model of models) {
    const key = `${model.engine}/${model.name}`;
    const family = found.get(key) ?? { name: model.name, engine: model.engine, builds: [] };
    family.builds.push(model);
    found.set(key, family);
  }
  return [...found.values()];
}

/** The build this device should use, and why when that is not the usual one. */
export function buildFor(family: ModelFamily, device: DeviceFacts): { model: CatalogueModel; because: string | null } {
  const [first] = family.builds;
  if (!first) throw new Error(`the catalogue has no build of ${family.name}`);
  if (family.engine !== "webllm" || device.gpu.state === "missing" || device.gpu.state === "none") return { model: first, because: null };
  if (device.gpu.f16) return { model: family.builds.find(needsF16) ?? first, because: null };
  const full = family.builds.find((model) => !needsF16(model));
  return full
    ? { model: full, because: "The single-precision build, because this adapter or browser offers no half precision (shader-f16)." }
    : { model: first, because: null };
}

/** What may work where a model did not fit: the next smaller one that can run. */
export function nextSmaller(failed: CatalogueModel, models: readonly CatalogueModel[], device: DeviceFacts): CatalogueModel | null {
  const runs = (model: CatalogueModel) => {
    const chosen: Chosen = { kind: "catalogue", model };
    const fitness = model.engine === "webllm" ? fitnessOnGpu(chosen, device) : fitnessOnProcessor(chosen, device);
    return fitness.verdict !== "cannot_run";
  };
  const smaller = models.filter((model) => model.memory_mb < failed.memory_mb && runs(model));
  return smaller.reduce<CatalogueModel | null>((best, model) => (best === null || model.memory_mb > best.memory_mb ? model : best), null);
}

/** Threads for the processor: all cores but one, and both where there are two. Without isolation there is only one. */
export function threadsFor(device: Pick<DeviceFacts, "isolated" | "cores">): number {
  if (!device.isolated || device.cores < 2) return 1;
  return Math.max(2, device.cores - 1);
}
