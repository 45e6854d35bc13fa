// Says exactly what is shared, before it is.

import type { Answer, Device, Submission } from "../contract.ts";
import { fold, h } from "./dom.ts";

interface SharedField {
  says: string;
  /** The fields of the JSON it speaks of; a test holds them against what is sent. */
  of: readonly string[];
}

export const SHARED_FIELDS: readonly SharedField[] = [
  {
    says: "which model, which build of it, and the SHA-256 of its file where it is one file; of a file from your disk its name",
    of: ["model.catalogue_id", "model.custom_name", "model.quantisation", "model.file_sha256"],
  },
  {
    says: "for every question: its id, the hash of the prompt, the model’s raw output, word for word, how many tokens and milliseconds it took, why it stopped, which letter this page read and by which tier, and whether the tab was hidden meanwhile",
    of: [
      ...["question_id", "prompt_sha256", "output", "prompt_tokens", "cached_tokens", "output_tokens"].map((name) => `answers.${name}`),
      ...["first_token_ms", "total_ms", "finish", "client.letter", "client.tier", "hidden"].map((name) => `answers.${name}`),
    ],
  },
  {
    says: "the ticket of the run, the set of questions or how many were drawn from where by which seed, and the protocol",
    of: ["ticket", "set", "quick.source", "quick.count", "quick.seed", "protocol"],
  },
  {
    says: "whether the system text stood in the user’s message, and whether the model was let think",
    of: ["template.system_in_user", "template.thinking"],
  },
  {
    says: "which engine, on the graphics or the main processor; versions of engine, extractor, page and this format; and whether the device repeated five words",
    of: ["engine.name", "engine.backend", "engine.version", "extractor", "app", "format", "self_test"],
  },
  { says: "browser family and major version, family of the operating system", of: ["device.browser.family", "device.browser.major", "device.os"] },
  {
    says: "graphics processor’s vendor and architecture as the browser gives them, and whether it has 16-bit numbers; processor cores, threads and memory as coarse ranges",
    of: ["device.gpu_vendor", "device.gpu_architecture", "device.f16", "device.cores_bucket", "engine.threads", "device.memory_bucket"],
  },
  { says: "the day of the run, without the hour", of: ["day"] },
];

/** What is shown before a run: every field that will be sent, with words for values that are not known yet. */
export type Preview = Record<keyof Submission, unknown>;

/** Stands for the answers that only the run will know. */
const SAMPLE_ANSWER: Record<keyof Answer, unknown> = {
  question_id: "<the question’s id>",
  prompt_sha256: "<the hash of the prompt>",
  output: "<every word the model wrote; one entry like this for each question>",
  finish: "<stop, or length>",
  prompt_tokens: "<how many>",
  cached_tokens: "<how many of them were still there from before>",
  output_tokens: "<how many>",
  first_token_ms: "<milliseconds>",
  total_ms: "<milliseconds>",
  hidden: "<whether the tab was hidden>",
  client: { letter: "<the letter this page read>", tier: "<1 to 5>" },
};

/** Puts words where only the run will know the value. */
export function previewOf(sent: Submission): Preview {
  const quick = sent.quick && { ...sent.quick, seed: "<chosen by the site>" };
  const engine = { ...sent.engine, threads: "<known when it is loaded>" };
  return { ...sent, quick, engine, self_test: "<passed, or failed>", answers: [SAMPLE_ANSWER] };
}

export const NOT_SHARED_FIELDS = "No account, no cookie, no name of yours, no address, no full browser string, nothing you typed.";

export function coarseDevice(device: Device): string {
  const { browser, os, cores_bucket, memory_bucket, gpu_vendor, gpu_architecture, f16 } = device;
  const parts = [
    browser && `${browser.family} ${browser.major}`,
    os,
    cores_bucket && `${cores_bucket} cores`,
    memory_bucket,
    gpu_vendor && `GPU ${gpu_vendor}${gpu_architecture ? ` ${gpu_architecture}` : ""}`,
    f16 !== null && `${f16 ? "with" : "without"} 16-bit numbers`,
  ];
  return parts.filter(Boolean).join(", ") || "nothing";
}

/** The list, and the very JSON. It is made when somebody looks. */
export function whatIsShared(device: Device, preview: () => Partial<Preview>): HTMLElement {
  const json = h("pre", { class: "quiz-json", tabindex: 0, role: "region", "aria-label": "The JSON that is sent" });
  const exact = fold("The exact JSON", { toggle: () => (json.textContent = JSON.stringify(preview(), null, 2)) }, json);
  return h(
    "div",
    { class: "quiz-shared-fields" },
    h("ul", {}, ...SHARED_FIELDS.map(({ says }) => h("li", {}, says))),
    h("p", {}, "Of this device: ", h("b", {}, coarseDevice(device)), "."),
    h("p", {}, NOT_SHARED_FIELDS, " Anybody can read what is shared. You get a token with which you can delete it, kept in this browser."),
    exact,
  );
}
