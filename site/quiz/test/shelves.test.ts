import assert from "node:assert/strict";
import { test } from "node:test";
import { History, MOST_RUNS } from "../run/history.ts";
import { exported, exportedForOthers } from "../run/record-check.ts";
import type { RunRecord } from "../run/record.ts";
import { Shelves } from "../shelves.ts";
import { Plain, putPage } from "./plain-page.ts";
import { catalogue, part, record, shared } from "./samples.ts";
import { core, memory, noCellar } from "./scripted.ts";

const sharedRun = (number: number): RunRecord => record({ id: `run-${number}`, started_at: 1_000_000 + number, finished: true, parts: [part(["a"], 1, { shared: shared() })] });

async function kept(runs: readonly RunRecord[]): Promise<{ history: History; place: Plain }> {
  putPage(() => null);
  const history = new History(memory(), noCellar);
  for (const run of runs) await history.write(run, 0);
  const shelves = new Shelves({ core, catalogue: catalogue(), history }, () => undefined);
  await shelves.show();
  return { history, place: shelves.element as unknown as Plain };
}

/** Chooses a file to import, and waits until the list is shown anew. */
async function take(place: Plain, text: string): Promise<void> {
  const input = () => place.all().find((one) => one.getAttribute("id") === "quiz-import");
  const before = input();
  assert.ok(before);
  Object.assign(before, { files: [new Blob([text])] });
  before.dispatchEvent(new Event("change"));
  while (input() === before) await new Promise((resume) => setImmediate(resume));
}

test("importing one's own download took away the token that deletes the run from the board", async () => {
  const { history, place } = await kept([sharedRun(1)]);
  await take(place, exportedForOthers(sharedRun(1)));
  assert.equal((await history.read("run-1"))?.parts[0]?.shared?.delete_token, "secret");
  assert.match(place.textContent, /One run of the file is here already/);
});

test("what is not here yet is taken in beside what is", async () => {
  const { history, place } = await kept([sharedRun(1)]);
  await take(place, exported([sharedRun(1), sharedRun(2)]));
  assert.deepEqual(history.list().map(({ id }) => id), ["run-2", "run-1"]);
  await take(place, exported([sharedRun(3)]));
  assert.doesNotMatch(place.textContent, /here already/, "that was said of another file");
});

test("a file pushes no run out", async () => {
  const { history, place } = await kept(Array.from({ length: MOST_RUNS }, (_, at) => sharedRun(at)));
  await take(place, exported([sharedRun(MOST_RUNS)]));
  assert.ok(await history.read("run-0"));
  assert.match(place.textContent, /1 run of the file found no room/);
});

test("a file that holds no runs is a problem, and says so", async () => {
  const { place } = await kept([]);
  await take(place, "{}");
  const alert = place.all().find((one) => one.getAttribute("role") === "alert");
  assert.match(alert?.textContent ?? "", /no runs/);
});

test("a shared run went without a word: that the next one pushes it out is said before", async () => {
  const runs = Array.from({ length: MOST_RUNS }, (_, at) => sharedRun(at));
  const said = /All of them are shared: the next run takes the place of the oldest/;
  assert.match((await kept(runs)).place.textContent, said);
  assert.doesNotMatch((await kept(runs.slice(1))).place.textContent, said);
});
