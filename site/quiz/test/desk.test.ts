import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogueModel } from "../contract.ts";
import type { Core } from "../core.ts";
import { Desk } from "../desk.ts";
import { History } from "../run/history.ts";
import type { RunRecord } from "../run/record.ts";
import { Spare } from "../run/spare.ts";
import { SHARED_FIELDS } from "../view/sharing.ts";
import { Plain, putPage } from "./plain-page.ts";
import { catalogue, device, model, part, record, ticket } from "./samples.ts";
import { core, memory, noCellar, ScriptedEngine } from "./scripted.ts";

interface Stage {
  place: Plain;
  engine: ScriptedEngine;
  history: History;
  /** What the site was asked, as path and body. */
  asked: [string, unknown][];
}

const MODELS: CatalogueModel[] = [
  model({ id: "small", name: "Small", memory_mb: 300 }),
  model({ id: "middle", name: "Middle", memory_mb: 900 }),
  model({ id: "large", name: "Large", memory_mb: 2000 }),
];

const isDrawn = (body: unknown) => typeof body === "object" && body !== null && "quick" in body;

async function opened(past: readonly RunRecord[] = []): Promise<Stage> {
  const asked: Stage["asked"] = [];
  putPage((path, body) => {
    asked.push([path, body]);
    return path.endsWith("/tickets") ? ticket(["a", "b", "c"], isDrawn(body) ? 7 : null) : { id: "s", address: "/quiz/runs/s", state: "confirmed", reasons: [], delete_token: "secret" };
  });
  const shelf = memory();
  const history = new History(shelf, noCellar);
  for (const one of past) await history.write(one, 0);
  const place = new Plain("main");
  const engine = new ScriptedEngine();
  const whole = { ...core, wilson: (correct: number, n: number) => ({ correct, n, share: null, interval: null }), predictedHalfWidth: () => null };
  const desk = new Desk(place as unknown as HTMLElement, {
    core: whole as unknown as Core,
    catalogue: { ...catalogue([...MODELS, model({})]), protocols: ["one-message-1", "chat-turns-1"] },
    device: device(),
    room: null,
    history,
    spare: new Spare(shelf),
    app: "test",
    engineNamed: async () => engine,
  });
  await desk.open();
  return { place, engine, history, asked };
}

const submit = (place: Plain) => place.all().find(({ name }) => name === "form")?.dispatchEvent(new Event("submit", { cancelable: true }));

/** Waits for a button, and presses it. */
async function press(place: Plain, text: string): Promise<void> {
  (await shown(place, text)).dispatchEvent(new Event("click"));
}

async function shown(place: Plain, text: string): Promise<Plain> {
  for (;;) {
    const found = place.button(text);
    if (found) return found;
    await new Promise((resume) => setImmediate(resume));
  }
}

const tickets = ({ asked }: Stage) => asked.filter(([path]) => path.endsWith("/tickets")).map(([, body]) => body);

test("the smaller model that is offered is smaller than the one that was started, and is asked what that one was to be asked", async () => {
  const it = await opened();
  it.engine.loadFails = "out_of_memory";
  for (const value of ["large", "quick-3", "chat-turns-1"]) it.place.choose(value);
  submit(it.place);
  await shown(it.place, "Try Middle (q4_1) instead");
  it.engine.loadFails = null;
  await press(it.place, "Try Middle (q4_1) instead");
  await shown(it.place, "Download as JSON");
  assert.deepEqual(it.engine.models, ["large", "middle"]);
  assert.deepEqual(tickets(it), [{ quick: { source: "own", count: 3 }, model: "middle", protocol: "chat-turns-1" }]);
});

test("a load that failed or was called off is tried again as it was", async () => {
  for (const reason of ["network", "aborted"] as const) {
    const it = await opened();
    it.engine.loadFails = reason;
    for (const value of ["middle", "quick-3"]) it.place.choose(value);
    submit(it.place);
    await shown(it.place, "Try again");
    it.engine.loadFails = null;
    await press(it.place, "Try again");
    await shown(it.place, "Download as JSON");
    assert.deepEqual(it.engine.models, ["middle", "middle"]);
    assert.deepEqual(tickets(it), [{ quick: { source: "own", count: 3 }, model: "middle", protocol: "one-message-1" }]);
  }
});

test("what would fail again is not offered again", async () => {
  const it = await opened();
  it.engine.loadFails = "wrong_file";
  submit(it.place);
  await shown(it.place, "Begin another");
  assert.equal(it.place.button("Try again"), null);
});

test("a run whose ticket has ended says before it goes on that it can no longer be shared, and does not promise it", async () => {
  const it = await opened([record({ parts: [part(["a", "b", "c"], 1, { expires_at: 1 })] })]);
  const shareSwitch = () => it.place.all().find((one) => one.getAttribute("class") === "quiz-switch" && one.textContent.includes("Share this run when it ends"));
  let isHidden: boolean | undefined;
  it.engine.onAsked = () => (isHidden = shareSwitch()?.hidden);
  await shown(it.place, "Continue this run");
  assert.match(it.place.textContent, /can no longer be shared/);
  await press(it.place, "Continue this run");
  while (!it.history.list()[0]?.finished) await new Promise((resume) => setImmediate(resume));
  assert.equal(isHidden, true);
  await shown(it.place, "Download as JSON");
  assert.deepEqual([it.asked, it.place.button("Share this run")], [[], null]);
});

test("a run that can still be shared says nothing of the kind", async () => {
  const it = await opened([record({ parts: [part(["a", "b", "c"], 1)] })]);
  await shown(it.place, "Continue this run");
  assert.doesNotMatch(it.place.textContent, /can no longer be shared/);
  assert.equal(it.place.button("Try again"), null, "a run that has begun is continued, not begun again");
});

/** The lines of a list of answers, as they are closed. */
const lines = (place: Plain) => place.all().filter(({ name }) => name === "summary").map(({ textContent }) => textContent).filter((text) => text.includes("What is"));

test("of ten more questions, those that had been asked before streamed by and were gone", async () => {
  const it = await opened();
  let live: string[] = [];
  it.engine.onAsked = () => (live = lines(it.place));
  it.place.choose("quick-3");
  submit(it.place);
  await press(it.place, "10 more questions");
  while (it.engine.asked < 6) await new Promise((resume) => setImmediate(resume));
  await shown(it.place, "10 more questions");
  const [named, marked] = [(line: string) => /(\d)\.What is (.)\?/.exec(line)?.slice(1).join(" "), (line: string) => line.includes("asked before, counts once")];
  assert.deepEqual(live.map(named), ["5 b", "4 a", "3 c", "2 b", "1 a"]);
  assert.deepEqual(live.map(marked), [true, true, false, false, false]);
  const report = lines(it.place);
  assert.deepEqual(report.map(named), ["1 a", "2 b", "3 c", "4 a", "5 b", "6 c"]);
  assert.deepEqual(report.map(marked), [false, false, false, true, true, true]);
  assert.match(it.place.textContent, /3 of 3 questions right/);
  const [summary] = it.history.list();
  assert.deepEqual([summary?.correct, summary?.answered, summary?.all], [3, 3, 3]);
});

/** The names of all values, as `answers.client.tier`. Entries of a list have the same. */
function fieldsOf(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [path.join(".")];
  const below = Array.isArray(value) ? value.flatMap((one) => fieldsOf(one, path)) : Object.entries(value).flatMap(([name, one]) => fieldsOf(one, [...path, name]));
  return [...new Set(below)].sort();
}

/** The JSON that the page shows before a run of three questions, and what that run then sends. */
async function shownAndSent(): Promise<{ shown: unknown; sent: unknown }> {
  const it = await opened();
  it.place.choose("quick-3");
  const exact = it.place.all().find((one) => one.name === "details" && one.textContent.startsWith("The exact JSON"));
  exact?.dispatchEvent(new Event("toggle"));
  const json = exact?.all().find(({ name }) => name === "pre")?.textContent ?? "";
  submit(it.place);
  await shown(it.place, "Delete it from the board");
  return { shown: JSON.parse(json), sent: it.asked.find(([path]) => path.endsWith("/runs"))?.[1] };
}

test("the list of what is shared left out fields that are sent", async () => {
  const { sent } = await shownAndSent();
  const told = SHARED_FIELDS.flatMap((field) => field.of);
  assert.deepEqual([...told].sort(), fieldsOf(sent));
});

test("the JSON before the start showed no answer, and so not what is sent of one", async () => {
  const { shown: json, sent } = await shownAndSent();
  assert.deepEqual(fieldsOf(json), fieldsOf(sent));
  assert.match(JSON.stringify(json), /"output":"<every word/, "nobody takes it for an answer");
});

test("a page over plain http in a local network failed after the download, as such a page has no randomUUID", async () => {
  Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
  try {
    const it = await opened();
    submit(it.place);
    await shown(it.place, "Download as JSON");
    assert.match(it.history.list()[0]?.id ?? "", /^[0-9a-f]{32}$/);
  } finally {
    Reflect.deleteProperty(crypto, "randomUUID");
  }
});
