// What this browser and machine offer. Read once before a run; only the coarse part of it is ever shared.

import type { Device } from "../contract.ts";
import { browserOf, coresBucket, identifierOf, memoryBucket, osOf } from "./coarse.ts";

export interface Gpu {
  /** Missing: the browser has no WebGPU. None: it has, and finds no adapter. Fallback: a processor plays the part of one. */
  state: "missing" | "none" | "fallback" | "real";
  vendor: string | null;
  architecture: string | null;
  f16: boolean;
  /** The largest buffer it allows, and how much of one a computation may see at once, in bytes. */
  maxBuffer: number;
  maxBinding: number;
}

export interface DeviceFacts {
  gpu: Gpu;
  /** Whether threads may share memory. */
  isolated: boolean;
  cores: number;
  /** In gigabytes; browsers round it and stop at 8. */
  memory: number | null;
  shared: Device;
}

interface NavigatorHints {
  deviceMemory?: number;
  userAgentData?: { brands?: { brand: string; version: string }[]; platform?: string };
}

const NO_GPU: Omit<Gpu, "state"> = { vendor: null, architecture: null, f16: false, maxBuffer: 0, maxBinding: 0 };

async function readGpu(): Promise<Gpu> {
  // Absent outside secure contexts and in older browsers, whatever the types say.
  const gpu = (navigator as { gpu?: GPU }).gpu;
  if (!gpu) return { state: "missing", ...NO_GPU };
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) return { state: "none", ...NO_GPU };
  const { features, limits } = adapter;
  const { vendor = "", architecture = "", description = "", isFallbackAdapter } = infoOf(adapter);
  const isFallback = isFallbackAdapter || /swiftshader|llvmpipe|basic render/i.test(`${architecture} ${description}`);
  return {
    state: isFallback ? "fallback" : "real",
    vendor: vendor || null,
    architecture: architecture || null,
    f16: features.has("shader-f16"),
    maxBuffer: limits.maxBufferSize,
    maxBinding: limits.maxStorageBufferBindingSize,
  };
}

/** Chromium below 127 tells nothing but whether it is a software adapter, and that elsewhere. */
function infoOf(adapter: GPUAdapter): Partial<GPUAdapterInfo> {
  const { info, isFallbackAdapter } = adapter as { info?: GPUAdapterInfo; isFallbackAdapter?: boolean };
  return info ?? { isFallbackAdapter: isFallbackAdapter === true };
}

export async function readDevice(): Promise<DeviceFacts> {
  const hints = navigator as NavigatorHints;
  const gpu = await readGpu();
  const cores = Math.max(1, navigator.hardwareConcurrency || 1);
  const memory = hints.deviceMemory ?? null;
  return {
    gpu,
    isolated: globalThis.crossOriginIsolated === true,
    cores,
    memory,
    shared: {
      gpu_vendor: identifierOf(gpu.vendor),
      gpu_architecture: identifierOf(gpu.architecture),
      f16: gpu.state === "missing" || gpu.state === "none" ? null : gpu.f16,
      browser: browserOf(navigator.userAgent, hints.userAgentData?.brands ?? []),
      os: osOf(navigator.userAgent, hints.userAgentData?.platform ?? ""),
      cores_bucket: coresBucket(cores),
      memory_bucket: memoryBucket(memory),
    },
  };
}

export interface Room {
  used: number;
  quota: number;
}

/** How much may be stored here; nothing where the browser does not say. */
export async function readRoom(): Promise<Room | null> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? null : { used: usage, quota };
  } catch {
    return null;
  }
}
