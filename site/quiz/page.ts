// The quiz page: brings the parts together once everything they need is there.

import { Core } from "./core.ts";
import { readDevice, readRoom } from "./engine/device.ts";
import type { Engine } from "./engine/engine.ts";
import { cellar, shelf } from "./run/cellar.ts";
import { History } from "./run/history.ts";
import { Spare } from "./run/spare.ts";
import { Desk } from "./desk.ts";
import { getCatalogue } from "./server.ts";
import { h } from "./view/dom.ts";

const engines = new Map<Engine["name"], Engine>();

/** Each engine is loaded when it is first needed: they weigh megabytes. */
async function engineNamed(name: Engine["name"]): Promise<Engine> {
  const known = engines.get(name);
  if (known) return known;
  const engine: Engine = name === "webllm" ? new (await import("./engine/webllm.ts")).WebllmEngine() : new (await import("./engine/wllama.ts")).WllamaEngine();
  engines.set(name, engine);
  return engine;
}

async function open(place: HTMLElement): Promise<void> {
  const core = Core.load(new URL("./quiz.wasm", import.meta.url).href);
  const kept = shelf();
  const parts = await Promise.all([core, getCatalogue(), readDevice(), readRoom()]);
  const desk = new Desk(place, {
    core: parts[0],
    catalogue: parts[1],
    device: parts[2],
    room: parts[3],
    history: new History(kept, cellar),
    spare: new Spare(kept),
    app: place.dataset["app"] ?? "unknown",
    engineNamed,
  });
  await desk.open();
}

const place = document.getElementById("quiz");
if (place) {
  place.setAttribute("aria-busy", "true");
  open(place)
    .catch((thrown: unknown) => {
      const said = thrown instanceof Error ? thrown.message : String(thrown);
      place.replaceChildren(h("p", { class: "error", role: "alert" }, `The quiz could not be opened: ${said}. Load the page again in a moment.`));
    })
    .finally(() => place.removeAttribute("aria-busy"));
}
