// The choice of a model.

import type { Catalogue, CatalogueModel } from "../contract.ts";
import type { DeviceFacts, Gpu } from "../engine/device.ts";
import type { Chosen, Fitness } from "../engine/engine.ts";
import { buildFor, families, fitnessOnGpu, fitnessOnProcessor, GPU_SAYS, type ModelFamily } from "../engine/fitness.ts";
import { h } from "./dom.ts";
import { bytes, count } from "./numbers.ts";

interface Offer {
  model: CatalogueModel;
  fitness: Fitness;
  because: string | null;
}

/** The site takes names of a hundred bytes. */
const LONGEST_NAME = 100;

export function offers(catalogue: Catalogue, device: DeviceFacts): Offer[] {
  return families(catalogue.models).flatMap((family: ModelFamily) => {
    if (family.engine === "wllama" && !family.builds.some((model) => model.local || model.source_url !== null)) return [];
    const { model, because } = buildFor(family, device);
    const chosen: Chosen = { kind: "catalogue", model };
    return [{ model, because, fitness: model.engine === "webllm" ? fitnessOnGpu(chosen, device) : fitnessOnProcessor(chosen, device) }];
  });
}

/** The model to begin with: what the address names, else the smallest for a real graphics adapter, else the one this site has itself. */
export function firstChoice(all: readonly Offer[], named: string | null, gpu: Gpu["state"]): Offer | null {
  const can = all.filter(({ fitness }) => fitness.verdict !== "cannot_run");
  const onGpu = gpu === "real" ? can.filter(({ model }) => model.engine === "webllm") : [];
  const smallest = onGpu.reduce<Offer | null>((best, one) => (best === null || one.model.memory_mb < best.model.memory_mb ? one : best), null);
  return can.find(({ model }) => model.id === named) ?? smallest ?? can.find(({ model }) => model.local) ?? can[0] ?? null;
}

export class ModelChoice {
  readonly element: HTMLElement;
  readonly #offers: Offer[];
  readonly #file: HTMLInputElement;
  readonly #ownRadio: HTMLInputElement;
  readonly #gpu: Gpu["state"];
  #chosen: Chosen | null;

  constructor(catalogue: Catalogue, device: DeviceFacts, named: string | null, onChange: () => void) {
    this.#offers = offers(catalogue, device);
    this.#gpu = device.gpu.state;
    const first = firstChoice(this.#offers, named, device.gpu.state);
    this.#chosen = first ? { kind: "catalogue", model: first.model } : null;
    this.#file = h("input", { type: "file", id: "quiz-file", accept: ".gguf", change: () => this.#takeFile(onChange) });
    this.#ownRadio = h("input", { type: "radio", name: "model", id: "quiz-own", value: "own", change: () => this.#takeFile(onChange) });
    const option = (offer: Offer) => this.#option(offer, offer === first, onChange);
    const here = this.#offers.filter(({ model }) => model.engine === "wllama");
    const elsewhere = this.#offers.filter(({ model }) => model.engine === "webllm");
    const gpuWorks = device.gpu.state === "real";
    this.element = h(
      "fieldset",
      { class: "quiz-models" },
      h("legend", {}, "Model"),
      ...here.map(option),
      elsewhere.length > 0 &&
        h(
          "details",
          { class: "more", open: gpuWorks || first?.model.engine === "webllm" },
          h("summary", {}, `${count(elsewhere.length, "model")} for the graphics processor (WebLLM)`),
          !gpuWorks && h("p", { class: "fit may_not_fit" }, GPU_SAYS[device.gpu.state], device.gpu.state === "fallback" ? "" : " So none of these can run here."),
          h("p", { class: "fine" }, `Their files come from ${hostNames(catalogue)}, which then see your address, as any site you visit does. The page may connect there only after you have chosen such a model.`),
          h("div", { class: "quiz-many" }, ...elsewhere.map(option)),
        ),
      h(
        "div",
        { class: "quiz-model own" },
        this.#ownRadio,
        h("div", {}, h("label", { for: "quiz-own", class: "name" }, "A GGUF file from my disk"), h("p", { class: "fine" }, "It stays on this device. Its name goes to this site when questions are asked for; name and SHA-256 are shared with a run. Runs on the processor, in a table of its own."), h("p", {}, h("label", { for: "quiz-file", class: "unseen" }, "GGUF file"), this.#file)),
      ),
    );
  }

  get chosen(): Chosen | null {
    return this.#chosen;
  }

  #option({ model, fitness, because }: Offer, isFirst: boolean, onChange: () => void): HTMLElement {
    const id = `quiz-model-${model.id}`;
    const cannot = fitness.verdict === "cannot_run";
    const choose = () => {
      this.#chosen = { kind: "catalogue", model };
      onChange();
    };
    // What is said once above them all need not be said again.
    const said = [fitness.because === GPU_SAYS[this.#gpu] ? null : fitness.because, because].filter(Boolean).join(" ");
    const details = [
      downloadSize(model),
      `${model.memory_mb.toLocaleString("en")} MB of memory`,
      model.licence ?? "licence not known to us",
      model.engine === "wllama" ? "runs on the processor" : "runs on the graphics processor",
    ];
    return h(
      "div",
      { class: `quiz-model ${cannot ? "cannot" : ""}` },
      h("input", { type: "radio", name: "model", id, value: model.id, checked: isFirst, disabled: cannot, "aria-describedby": `${id}-about`, change: choose }),
      h(
        "div",
        {},
        h("label", { for: id, class: "name" }, model.name, " ", h("span", { class: "badge" }, model.quantisation)),
        h(
          "div",
          { id: `${id}-about`, class: "about" },
          h("p", {}, details.join(" · ")),
          said !== "" && h("p", { class: `fit ${fitness.verdict}` }, { fits: "✓ ", may_not_fit: "! ", cannot_run: "✗ " }[fitness.verdict], said),
          model.note && h("p", {}, model.note),
          h("p", { class: "quiet" }, model.runs === 0 ? "Nobody has shared a run of it here yet." : `${count(model.runs, "run")} shared here.`),
        ),
      ),
    );
  }

  #takeFile(onChange: () => void): void {
    const file = this.#file.files?.[0];
    this.#ownRadio.checked = true;
    this.#chosen = file ? { kind: "file", file, name: nameOf(file) } : null;
    onChange();
  }
}

/** What there is to download, and whether that is known, estimated or neither. */
export function downloadSize({ bytes: known, estimated_bytes: estimated, local }: CatalogueModel): string {
  if (known !== null) return `${bytes(known)} to download${local ? " from this site" : ""}`;
  return estimated === null ? "size of the download not known to us" : `about ${bytes(estimated)} to download (estimated from its parameters)`;
}

/** A file's name without its ending, as long as the site takes it, and without blanks around it, which the site cuts off. */
export function nameOf(file: Pick<File, "name">): string {
  const plain = file.name.replace(/\.gguf$/i, "").replace(/\p{Control}/gu, "").trim();
  let name = "";
  for (const character of plain) {
    if (new TextEncoder().encode(name + character).length > LONGEST_NAME) break;
    name += character;
  }
  return name.trimEnd() || "a file without a name";
}

function hostNames({ hosts }: Catalogue): string {
  const names = new Set(hosts.map((host) => host.replace(/^https:\/\/(\*\.)?/, "")));
  return [...names].join(", ");
}
