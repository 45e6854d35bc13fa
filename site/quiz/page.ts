import { readDevice } from "./engine/device.ts";
(globalThis as Record<string, unknown>)["probe"] = {
  readDevice,
  wllama: async () => new (await import("./engine/wllama.ts")).WllamaEngine(),
  webllm: async () => new (await import("./engine/webllm.ts")).WebllmEngine(),
};
