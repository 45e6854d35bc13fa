// What this device offers, in words.

import type { DeviceFacts, Room } from "../engine/device.ts";
import { GPU_SAYS, threadsFor } from "../engine/fitness.ts";
import { facts, h } from "./dom.ts";
import { bytes, count } from "./numbers.ts";

export function deviceCard(device: DeviceFacts, room: Room | null): HTMLElement {
  const { gpu } = device;
  const adapter = gpu.state === "real" ? [gpu.vendor, gpu.architecture].filter(Boolean).join(" ") || "an adapter that does not say its name" : null;
  const threads = threadsFor(device);
  return h(
    "aside",
    { class: "quiz-device", "aria-labelledby": "quiz-device" },
    h("h2", { id: "quiz-device" }, "This device"),
    facts([
      ["Graphics", adapter ? `WebGPU: ${adapter}` : GPU_SAYS[gpu.state]],
      gpu.state === "real" || gpu.state === "fallback" ? ["Half precision", gpu.f16 ? "yes" : "no (shader-f16 is missing): single-precision builds are used"] : null,
      ["Processor", `${count(threads, "thread")} of ${count(device.cores, "core")}${device.isolated ? "" : " (the page is not isolated, so only one)"}`],
      ["Memory", device.memory === null ? "the browser does not say" : device.memory >= 8 ? "8 GB or more" : `${device.memory} GB`],
      ["Storage", room ? `${bytes(Math.max(0, room.quota - room.used))} free for this site` : "the browser does not say"],
    ]),
    gpu.state !== "real" && h("p", { class: "fine" }, "So models run on the processor here: slower, and in any browser."),
  );
}
