import assert from "node:assert/strict";
import { test } from "node:test";
import { History, isFullOfShared, MOST_RUNS, type Cellar, type Shelf } from "../run/history.ts";
import type { RunRecord } from "../run/record.ts";
import { part, record, shared } from "./samples.ts";

/** A shelf with room for so many characters, as localStorage has. */
function shelf(room = Number.POSITIVE_INFINITY): Shelf & { keys(): string[] } {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem: (key, value) => {
      const others = [...kept].reduce((sum, [one, text]) => (one === key ? sum : sum + text.length), 0);
      if (others + value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
    keys: () => [...kept.keys()],
  };
}

function cellar(works = true): Cellar & { kept: Map<string, RunRecord> } {
  const kept = new Map<string, RunRecord>();
  return {
    kept,
    get: async (id) => kept.get(id),
    put: async (id, one) => {
      if (!works) throw new Error("no room");
      kept.set(id, structuredClone(one));
    },
    remove: async (id) => void kept.delete(id),
  };
}

const at = (number: number) => record({ id: `run-${number}`, started_at: 1_000_000 + number });

test("a run is kept, listed and read again", async () => {
  const history = new History(shelf(), cellar());
  assert.ok(await history.write(record(), 1));
  assert.deepEqual(await history.read("run-1"), record());
  const [summary] = history.list();
  assert.deepEqual([summary?.correct, summary?.answered, summary?.all, summary?.finished, summary?.seconds], [1, 2, 3, false, 4]);
});

test("a question that was asked again counted as answered twice, and as right once", async () => {
  const history = new History(shelf(), cellar());
  await history.write(record({ parts: [part(["a", "b"], 2), part(["b", "c", "d"], 2)] }), 3);
  const [summary] = history.list();
  assert.deepEqual([summary?.correct, summary?.answered, summary?.all, summary?.seconds], [3, 3, 4, 6]);
});

test("writing a run again replaces it", async () => {
  const history = new History(shelf(), cellar());
  await history.write(record(), 1);
  await history.write(record({ finished: true }), 2);
  assert.deepEqual(history.list().map(({ finished, correct }) => [finished, correct]), [[true, 2]]);
});

test("the oldest run goes when there are too many", async () => {
  const place = shelf();
  const history = new History(place, cellar());
  for (let number = 0; number <= MOST_RUNS; number += 1) await history.write(at(number), 0);
  assert.equal(history.list().length, MOST_RUNS);
  assert.equal(history.list()[0]?.id, `run-${MOST_RUNS}`);
  assert.equal(await history.read("run-0"), null);
  assert.ok(!place.keys().some((key) => key.endsWith("run-0")), "nothing of it is left");
});

const sharedAt = (number: number) => ({ ...at(number), parts: [part(["a"], 1, { shared: shared() })] });

test("a shared run went, and its token with it, while runs that nobody shared stayed", async () => {
  const history = new History(shelf(), cellar());
  for (let number = 0; number < MOST_RUNS; number += 1) await history.write(number === 3 ? at(number) : sharedAt(number), 0);
  assert.equal(isFullOfShared(history.list()), false);
  await history.write(sharedAt(MOST_RUNS), 0);
  assert.equal(await history.read("run-3"), null);
  assert.equal((await history.read("run-0"))?.parts[0]?.shared?.delete_token, "secret");
});

test("where all are shared the oldest goes, and not the one that is just being written", async () => {
  const history = new History(shelf(), cellar());
  for (let number = 0; number < MOST_RUNS; number += 1) await history.write(sharedAt(number), 0);
  assert.equal(isFullOfShared(history.list()), true);
  await history.write(at(MOST_RUNS), 0);
  assert.equal(await history.read("run-0"), null);
  assert.ok(await history.read(`run-${MOST_RUNS}`));
  assert.equal(history.list().length, MOST_RUNS);
});

test("what does not fit goes below, and stays there", async () => {
  const below = cellar();
  const place = shelf(900);
  const history = new History(place, below);
  assert.ok(await history.write(record(), 1));
  assert.deepEqual([...below.kept.keys()], ["run-1"]);
  assert.deepEqual(await history.read("run-1"), record());
  await history.remove("run-1");
  assert.deepEqual([[...below.kept.keys()], history.list()], [[], []]);
});

test("that nothing could be kept is said", async () => {
  const history = new History(shelf(300), cellar(false));
  assert.equal(await history.write(record(), 1), false);
});

test("a damaged record is none, and a damaged list is empty", async () => {
  const place = shelf();
  const history = new History(place, cellar());
  await history.write(record(), 1);
  const key = place.keys().find((one) => one.endsWith("run-1"));
  assert.ok(key);
  place.setItem(key, "{\"format\":1}");
  assert.equal(await history.read("run-1"), null);
  place.setItem("benchwright.quiz.1.runs", "nonsense");
  assert.deepEqual(history.list(), []);
});

test("sharing is on until somebody turns it off", () => {
  const history = new History(shelf(), cellar());
  assert.equal(history.settings().share, true);
  history.keepSettings({ share: false });
  assert.equal(history.settings().share, false);
});

test("everything can be deleted at once", async () => {
  const place = shelf();
  const history = new History(place, cellar());
  await history.write(at(1), 0);
  await history.write(at(2), 0);
  await history.removeAll();
  assert.deepEqual(place.keys(), []);
});
