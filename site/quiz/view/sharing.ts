// Says exactly what is shared, before it is.

import type { Device, Submission } from "../contract.ts";
import { fold, h } from "./dom.ts";

export const SHARED_FIELDS: readonly string[] = [
  "which model, which build of it, and the SHA-256 of its file where it is one file; of a file from your disk its name",
  "for every question: the model’s raw output, word for word, how many tokens and milliseconds it took, why it stopped, which letter this page read, and whether the tab was hidden meanwhile",
  "the questions’ ids, the protocol, the seed, versions of engine, extractor and page, and whether the device repeated five words",
  "browser family and major version, family of the operating system",
  "graphics processor’s vendor and architecture as the browser gives them, and whether it has 16-bit numbers; processor cores, threads and memory as coarse ranges",
  "the day of the run, without the hour",
];

export const NOT_SHARED_FIELDS = "No account, no cookie, no name of yours, no address, no full browser string, nothing you typed.";

export function coarseDevice(device: Device): string {
  const { browser, os, cores_bucket, memory_bucket, gpu_vendor, gpu_architecture } = device;
  const parts = [
    browser && `${browser.family} ${browser.major}`,
    os,
    cores_bucket && `${cores_bucket} cores`,
    memory_bucket,
    gpu_vendor && `GPU ${gpu_vendor}${gpu_architecture ? ` ${gpu_architecture}` : ""}`,
  ];
  return parts.filter(Boolean).join(", ") || "nothing";
}

/** The list, and the very JSON. It is made when somebody looks. */
export function whatIsShared(device: Device, preview: () => Submission | Partial<Submission>): HTMLElement {
  const json = h("pre", { class: "quiz-json", tabindex: 0, role: "region", "aria-label": "The JSON that is sent" });
  const exact = fold("The exact JSON", { toggle: () => (json.textContent = JSON.stringify(preview(), null, 2)) }, json);
  return h(
    "div",
    { class: "quiz-shared-fields" },
    h("ul", {}, ...SHARED_FIELDS.map((field) => h("li", {}, field))),
    h("p", {}, "Of this device: ", h("b", {}, coarseDevice(device)), "."),
    h("p", {}, NOT_SHARED_FIELDS, " Anybody can read what is shared. You get a token with which you can delete it, kept in this browser."),
    exact,
  );
}
