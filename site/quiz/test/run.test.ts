import assert from "node:assert/strict";
import { test } from "node:test";
import type { Selection, Submission } from "../contract.ts";
import { History } from "../run/history.ts";
import { MOST_PARTS, MOST_REMARKS, type RunRecord } from "../run/record.ts";
import { Run, type Order, type Surroundings, type Watcher } from "../run/run.ts";
import { Spare } from "../run/spare.ts";
import type { Phase } from "../run/state.ts";
import { Refused } from "../server.ts";
import { catalogue, device, model, part as samplePart, record as sampleRecord, shared, ticket } from "./samples.ts";
import { core, memory, noCellar, ScriptedEngine } from "./scripted.ts";

interface Stage {
  run: Run;
  engine: ScriptedEngine;
  phases: Phase[];
  remarks: string[];
  kept: RunRecord[];
  sent: Submission[];
  deleted: [string, string][];
  selections: Selection[];
  problems: string[];
  text: string;
}

function stage(more: Partial<Surroundings> = {}): Stage {
  const engine = new ScriptedEngine();
  const it: Stage = { run: undefined as unknown as Run, engine, phases: [], remarks: [], kept: [], sent: [], deleted: [], selections: [], problems: [], text: "" };
  const around: Surroundings = {
    core,
    history: { read: async () => null, write: async (one) => (it.kept.push(structuredClone(one)), true) },
    spare: { keep: () => undefined, find: () => null },
    catalogue: catalogue(),
    device: device(),
    app: "test",
    engine: async () => engine,
    getTicket: async (selection) => {
      it.selections.push(selection);
      return "quick" in selection ? ticket(["d", "e"].slice(0, selection.quick.count), 9) : ticket(["a", "b", "c"]);
    },
    shareRun: async (submission) => {
      it.sent.push(structuredClone(submission));
      return { id: `shared-${it.sent.length}`, address: "/quiz/runs/1", state: "confirmed", reasons: [], delete_token: "secret" };
    },
    deleteShared: async (id, token) => void it.deleted.push([id, token]),
    readRoom: async () => null,
    takeRunLock: async () => () => undefined,
    keepAwake: () => () => undefined,
    watchHidden: () => ({ wasHidden: () => false, end: () => undefined }),
    now: () => Date.UTC(2026, 10, 17),
    newId: () => "run-1",
    ...more,
  };
  const watcher: Watcher = {
    onState: ({ phase }) => it.phases.at(-1) !== phase && it.phases.push(phase),
    onLoad: () => undefined,
    onRemark: (text) => it.remarks.push(text),
    onQuestion: () => undefined,
    onPrefill: () => undefined,
    onText: (text) => (it.text += text),
    onAnswer: () => undefined,
    onRecord: () => undefined,
    onShareProblem: (text) => it.problems.push(text),
  };
  it.run = new Run(around, watcher);
  return it;
}

const order = (more: Partial<Order> = {}): Order => ({ chosen: { kind: "catalogue", model: model({}) }, selection: { set: "own-12" }, protocol: "one-message-1", share: true, ...more });

test("a run goes from the check to the board, and every word is passed on", async () => {
  const it = stage();
  it.engine.lines.push({ says: "Well. ANSWER: B" }, { says: "ANSWER: C" }, { says: "no idea" });
  await it.run.start(order());
  assert.deepEqual(it.phases, ["checking", "downloading", "preparing", "running", "finished", "shared"]);
  assert.equal(it.text, "Well. ANSWER: BANSWER: Cno idea");
  const [sent] = it.sent;
  assert.deepEqual(sent?.answers.map(({ question_id, output, client, prompt_sha256 }) => [question_id, output, client?.letter, prompt_sha256]), [["a", "Well. ANSWER: B", "B", "hash of a/0"], ["b", "ANSWER: C", "C", "hash of b/0"], ["c", "no idea", null, "hash of c/0"]]);
  assert.deepEqual([sent?.self_test, sent?.set, sent?.quick, sent?.model.catalogue_id], ["passed", "own-12", null, "small-q4_1"]);
  assert.deepEqual(it.run.record?.parts[0]?.examples, {}, "examples are no longer needed");
});

test("the run is kept after every answer", async () => {
  const it = stage();
  await it.run.start(order({ share: false }));
  const counts = it.kept.map((one) => one.parts[0]?.answers.length);
  assert.deepEqual([...new Set(counts)], [0, 1, 2, 3]);
  assert.deepEqual(it.phases.at(-1), "finished");
  assert.equal(it.sent.length, 0, "nobody wanted it shared");
});

test("an engine that breaks is no wrong answer: it is loaded again, and the question asked again", async () => {
  const it = stage();
  it.engine.lines.push({ says: "ANSWER: B" }, { fails: "device_lost" }, { says: "ANSWER: B" }, { says: "ANSWER: B" });
  await it.run.start(order());
  assert.equal(it.engine.loads.length, 2);
  assert.equal(it.run.record?.parts[0]?.answers.length, 3);
  assert.match(it.remarks.join(), /asked again/);
  assert.equal(it.phases.at(-1), "shared");
});

test("an engine that keeps breaking ends the run, and what was answered stays", async () => {
  const it = stage();
  it.engine.lines.push({ says: "ANSWER: B" }, { fails: "crashed" }, { fails: "crashed" }, { fails: "crashed" });
  await it.run.start(order());
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "crashed");
  assert.equal(it.run.record?.parts[0]?.answers.length, 1);
  assert.equal(it.sent.length, 0, "only finished runs are shared");
  assert.ok(it.engine.unloads > 0, "everything was freed");
});

test("what was lost is asked when the run goes on", async () => {
  const it = stage();
  it.engine.lines.push({ says: "ANSWER: B" }, { fails: "out_of_memory" });
  await it.run.start(order());
  const { record, state } = it.run;
  assert.ok(record && state.phase === "failed");
  await it.run.goOn(record, order().chosen);
  assert.equal(it.run.state.phase, "shared");
  assert.deepEqual(it.sent[0]?.answers.map(({ question_id }) => question_id), ["a", "b", "c"]);
  assert.equal(it.selections.length, 1, "on the same ticket");
});

test("a run of another file does not go on", async () => {
  const it = stage();
  const begun = sampleRecord({ model: { catalogue_id: null, custom_name: "mine", quantisation: "q4_1", file_sha256: "00" } });
  await it.run.show(begun);
  await it.run.goOn(begun, order().chosen);
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "wrong_file");
});

test("a failed load names its reason", async () => {
  for (const reason of ["quota", "network", "out_of_memory", "no_webgpu"] as const) {
    const it = stage();
    it.engine.loadFails = reason;
    await it.run.start(order());
    assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, reason);
    assert.equal(it.kept.length, 0, "there is nothing to keep");
  }
});

test("a run that is cancelled keeps what was answered and counts nothing else", async () => {
  const it = stage();
  it.engine.onAsked = () => it.engine.asked === 2 && it.run.cancel();
  await it.run.start(order());
  assert.equal(it.run.state.phase, "cancelled");
  assert.equal(it.run.record?.parts[0]?.answers.length, 1);
  assert.equal(it.sent.length, 0);
});

test("a pause comes after the answer that is being written", async () => {
  const it = stage();
  it.engine.onAsked = () => {
    if (it.engine.asked !== 2) return;
    it.run.pause();
    assert.ok(it.run.isPausing);
  };
  const done = it.run.start(order());
  while (it.run.state.phase !== "paused") await new Promise((resume) => setImmediate(resume));
  assert.equal(it.run.record?.parts[0]?.answers.length, 2);
  it.run.resume();
  await done;
  assert.equal(it.run.state.phase, "shared");
  assert.equal(it.run.record?.parts[0]?.answers.length, 3);
});

test("a paused run can be cancelled", async () => {
  const it = stage();
  it.engine.onAsked = () => it.run.pause();
  const done = it.run.start(order());
  while (it.run.state.phase !== "paused") await new Promise((resume) => setImmediate(resume));
  it.run.cancel();
  await done;
  assert.equal(it.run.state.phase, "cancelled");
});

test("another tab's run is not disturbed", async () => {
  const it = stage({ takeRunLock: async () => null });
  await it.run.start(order());
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "other_tab");
  assert.equal(it.engine.loads.length, 0);
});

test("a device that computes garbage is found before the first question, and marked", async () => {
  const it = stage();
  it.engine.selfTest = "!!!!!!!!!!!!!!!!";
  await it.run.start(order());
  assert.equal(it.sent[0]?.self_test, "failed");
  assert.match(it.remarks.join(), /garbage/);
});

test("a device that computes garbage after it was lost is found when the engine is loaded again, and stays marked", async () => {
  const it = stage();
  it.engine.lines.push({ says: "ANSWER: B" }, { fails: "device_lost" });
  it.engine.onAsked = () => (it.engine.selfTest = it.engine.asked === 2 ? "harbour seven of blue lesson" : "one two three four five");
  await it.run.start(order());
  assert.equal(it.engine.loads.length, 2);
  assert.equal(it.sent[0]?.self_test, "failed");
});

test("a run that is gone on the site is no longer shared", async () => {
  for (const status of [404, 410]) {
    const it = stage({ deleteShared: async () => Promise.reject(new Refused(status, "gone", "taken down")) });
    await it.run.start(order());
    const part = it.run.record?.parts[0];
    assert.ok(part?.shared);
    await it.run.withdraw(part);
    assert.deepEqual([part.shared, it.problems], [null, []]);
  }
});

test("a model of many files is held against the room there is, by the memory it needs", async () => {
  const it = stage({ readRoom: async () => ({ quota: 100e6, used: 0 }) });
  await it.run.start(order({ chosen: { kind: "catalogue", model: model({ bytes: null, memory_mb: 900 }) } }));
  assert.match(it.remarks.join(), /too little room/);
});

test("a site that gives out no questions is no fault of the engine", async () => {
  const it = stage({ getTicket: async () => Promise.reject(new Refused(429, "rate", "too many")) });
  await it.run.start(order());
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "no_questions");
});

test("more questions come on a ticket of their own, with the model that is loaded", async () => {
  const it = stage();
  await it.run.start(order());
  await it.run.more(2);
  assert.equal(it.engine.loads.length, 1);
  assert.deepEqual(it.selections, [{ set: "own-12" }, { quick: { source: "own", count: 2 } }]);
  assert.deepEqual(it.sent.map(({ quick, answers }) => [quick?.seed ?? null, answers.length]), [[null, 3], [9, 2]]);
  assert.equal(it.sent[1]?.answers[0]?.prompt_sha256, "hash of d/9", "with the seed of the draw");
});

test("a share that failed can be tried again, and a shared run can be deleted", async () => {
  let broken = true;
  const it = stage();
  const sharing = stage({
    shareRun: async () => {
      if (broken) throw new TypeError("Failed to fetch");
      return { id: "s", address: "/quiz/runs/s", state: "confirmed", reasons: [], delete_token: "secret" };
    },
    deleteShared: async (id, token) => void it.deleted.push([id, token]),
  });
  await sharing.run.start(order());
  const phase = () => sharing.run.state.phase;
  assert.equal(phase(), "finished");
  assert.match(sharing.problems.join(), /could not be sent/);
  broken = false;
  await sharing.run.share();
  assert.equal(phase(), "shared");
  const part = sharing.run.record?.parts[0];
  assert.ok(part?.shared);
  await sharing.run.withdraw(part);
  assert.deepEqual(it.deleted, [["s", "secret"]]);
  assert.equal(phase(), "finished");
  await sharing.run.share();
  assert.equal(part.shared, null, "what was deleted is not sent again");
});

test("withholding in the middle of a run is enough", async () => {
  const it = stage();
  it.engine.onAsked = () => it.engine.asked === 2 && void it.run.setShare(false);
  await it.run.start(order());
  assert.equal(it.run.state.phase, "finished");
  assert.equal(it.sent.length, 0);
});

test("too little room is said before the download", async () => {
  const it = stage({ readRoom: async () => ({ used: 900, quota: 1000 }) });
  await it.run.start(order());
  assert.match(it.remarks.join(), /too little room/);
});

test("a file of the visitor's that is one of the catalogue's is known by its hash", async () => {
  const it = stage();
  const file = new File(["GGUF"], "renamed.gguf");
  await it.run.start(order({ chosen: { kind: "file", file, name: "renamed" } }));
  assert.deepEqual(it.sent[0]?.model, { catalogue_id: "small-q4_1", custom_name: null, quantisation: "q4_1", file_sha256: "ab".repeat(32) });
  const other = stage({ catalogue: catalogue([]) });
  await other.run.start(order({ chosen: { kind: "file", file, name: "mine.Q8_0" } }));
  assert.deepEqual(other.sent[0]?.model, { catalogue_id: null, custom_name: "mine.Q8_0", quantisation: "q8_0", file_sha256: "ab".repeat(32) });
});

test("an answer during which the page was hidden says so, and no other", async () => {
  // Each question asks once before and once after; only the second question's page was hidden.
  const seen = [false, false, false, true, false, false];
  let ended = 0;
  const it = stage({ watchHidden: () => ({ wasHidden: () => seen.shift() ?? false, end: () => void (ended += 1) }) });
  await it.run.start(order());
  assert.deepEqual(it.sent[0]?.answers.map(({ hidden }) => hidden), [false, true, false]);
  assert.equal(ended, 1);
});

test("the screen is kept on for as long as a run goes, also when it breaks", async () => {
  for (const lines of [[], [{ fails: "out_of_memory" as const }]]) {
    const calls: string[] = [];
    const it = stage({ keepAwake: () => (calls.push("on"), () => void calls.push("off")) });
    it.engine.lines.push(...lines);
    await it.run.start(order());
    assert.deepEqual(calls, ["on", "off"], it.phases.at(-1));
  }
});

test("withholding while the model is being loaded is enough", async () => {
  const it: Stage = stage({ takeRunLock: async () => (void it.run.setShare(false), () => undefined) });
  await it.run.start(order({ share: true }));
  assert.equal(it.run.state.phase, "finished");
  assert.deepEqual([it.run.record?.share, it.sent.length], [false, 0]);
});

test("more questions on a later day are shared with the day of their own ticket", async () => {
  let now = Date.UTC(2026, 10, 17, 23);
  const it = stage({ now: () => now });
  await it.run.start(order());
  now = Date.UTC(2026, 10, 21, 9);
  await it.run.more(2);
  assert.deepEqual(it.sent.map(({ day }) => day), ["2026-11-17", "2026-11-21"]);
});

test("a run whose ticket has ended is finished, and not sent", async () => {
  const old = sampleRecord({ parts: [samplePart(["a", "b"], 1, { expires_at: Date.UTC(2026, 10, 16) })] });
  const it = stage();
  await it.run.show(old);
  assert.equal(old.parts[0]?.shareable, false);
  await it.run.goOn(old, order().chosen);
  assert.deepEqual([it.run.state.phase, old.finished, it.sent.length, it.problems], ["finished", true, 0, []]);
});

test("a ticket that ends in the middle of a run is not sent either", async () => {
  let now = 0;
  const it = stage({ now: () => now });
  it.engine.onAsked = () => (now = 25 * 3_600_000);
  await it.run.start(order());
  assert.deepEqual([it.run.state.phase, it.run.record?.parts[0]?.shareable, it.sent.length], ["finished", false, 0]);
});

/** A site that gives out one ticket and is then out of reach. */
function goneAfterOne(): Partial<Surroundings> {
  const kept = new Map<string, string>();
  const spare = new Spare({ getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) });
  let given = 0;
  const getTicket: Surroundings["getTicket"] = async () => {
    given += 1;
    if (given > 1) throw new TypeError("Failed to fetch");
    return ticket(["a", "b", "c"]);
  };
  return { spare, getTicket };
}

test("a site that cannot be reached lets a run begin with the questions that are here, and says that it cannot be shared", async () => {
  const it = stage(goneAfterOne());
  await it.run.start(order());
  assert.equal(it.sent.length, 1);
  await it.run.start(order());
  const [part] = it.run.record?.parts ?? [];
  assert.deepEqual([it.run.state.phase, part?.ticket, part?.shareable, part?.answers.length], ["finished", "", false, 3]);
  assert.match(it.remarks.join(), /could not be reached/);
  assert.equal(it.sent.length, 1, "nothing is sent without a ticket");
});

test("out of reach there are neither other questions nor more of them, and what was finished stays so", async () => {
  const it = stage(goneAfterOne());
  await it.run.start(order({ share: false }));
  await it.run.more(2);
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "network");
  assert.deepEqual([it.run.record?.finished, it.run.record?.parts.length], [true, 1]);
  await it.run.share();
  assert.deepEqual([it.sent.length, it.problems], [1, []], "it can still be shared");
  await it.run.start(order({ selection: { set: "own-36" } }));
  assert.deepEqual(it.run.state.phase === "failed" && it.run.state.trouble, "network");
});

test("a site that refuses is not out of reach", async () => {
  const away = goneAfterOne();
  const it = stage(away);
  await it.run.start(order());
  const refusing = stage({ ...away, getTicket: async () => Promise.reject(new Refused(429, "rate", "too many")) });
  await refusing.run.start(order());
  assert.deepEqual(refusing.run.state.phase === "failed" && refusing.run.state.trouble, "no_questions");
});

/** What a browser keeps for all its tabs, and a tab that shows a run of it. */
const browser = () => new History(memory(), noCellar);

async function tabWith(history: History, more: Partial<Surroundings> = {}): Promise<Stage> {
  const tab = stage({ history, ...more });
  const kept = await history.read("run-1");
  assert.ok(kept);
  await tab.run.show(kept);
  return tab;
}

const keptParts = async (history: History) => (await history.read("run-1"))?.parts.map(({ answers, shared }) => [answers.length, shared?.delete_token ?? null]);

test("a stale tab that went on overwrote the finished run, and its delete token was lost", async () => {
  const history = browser();
  const first = stage({ history });
  first.engine.lines.push({ says: "ANSWER: B" }, { fails: "out_of_memory" });
  await first.run.start(order());
  const second = await tabWith(history);
  await first.run.goOn(first.run.record!, order().chosen);
  await second.run.goOn(second.run.record!, order().chosen);
  assert.deepEqual([second.run.state.phase, second.engine.loads.length, second.sent.length], ["shared", 0, 0]);
  assert.deepEqual(await keptParts(history), [[3, "secret"]]);
});

test("a stale tab goes on where the other one stopped", async () => {
  const history = browser();
  const first = stage({ history });
  first.engine.lines.push({ fails: "out_of_memory" }, { says: "ANSWER: B" }, { fails: "out_of_memory" });
  await first.run.start(order());
  const second = await tabWith(history);
  await first.run.goOn(first.run.record!, order().chosen);
  await second.run.goOn(second.run.record!, order().chosen);
  assert.equal(second.engine.asked, 2, "one of three has its answer");
  assert.deepEqual(await keptParts(history), [[3, "secret"]]);
});

test("a stale tab sent a run again that was shared, and forgot what was asked since", async () => {
  const history = browser();
  const first = stage({ history });
  await first.run.start(order({ share: false }));
  const second = await tabWith(history);
  await first.run.more(2);
  await first.run.share();
  await second.run.share();
  assert.deepEqual([second.run.state.phase, second.sent.length], ["shared", 0]);
  assert.deepEqual(await keptParts(history), [[3, "secret"], [2, "secret"]]);
});

test("a stale tab that deletes a run from the board keeps what was asked since", async () => {
  const history = browser();
  const first = stage({ history });
  await first.run.start(order());
  const second = await tabWith(history);
  await first.run.more(2);
  await second.run.withdraw(second.run.record!.parts[0]!);
  assert.deepEqual(second.deleted, [["shared-1", "secret"]]);
  assert.deepEqual(await keptParts(history), [[3, null], [2, "secret"]]);
});

test("a tab that asked more forgot what another one had shared meanwhile, and its token", async () => {
  const history = browser();
  const first = stage({ history });
  await first.run.start(order({ share: false }));
  const second = await tabWith(history);
  const sharing: Promise<void>[] = [];
  first.engine.onAsked = () => void sharing.push(second.run.share());
  await first.run.more(2);
  await Promise.all(sharing);
  assert.deepEqual([second.sent.length, first.sent.length], [1, 0]);
  assert.deepEqual(await keptParts(history), [[3, "secret"], [2, null]]);
});

test("a tab whose upload took long overwrote what was asked and answered meanwhile", async () => {
  const history = browser();
  const first = stage({ history });
  await first.run.start(order({ share: false }));
  const second = await tabWith(history, { shareRun: async () => (await first.run.more(2), shared()) });
  await second.run.share();
  assert.deepEqual(await keptParts(history), [[3, "secret"], [2, null]]);
});

test("a tab that only shows a run changes nothing of it", async () => {
  const history = browser();
  const first = stage({ history });
  await first.run.start(order({ share: false }));
  const before = await history.read("run-1");
  assert.ok(before);
  const watching = stage({ history });
  const showing = watching.run.show(structuredClone(before));
  await history.write({ ...before, model_name: "changed meanwhile" }, 0);
  await showing;
  assert.equal((await history.read("run-1"))?.model_name, "changed meanwhile");
});

test("what the browser would not keep is not replaced by what it did keep", async () => {
  const history = browser();
  let isFull = false;
  const it = stage({ history: { read: (id) => history.read(id), write: async (one, correct) => !isFull && history.write(one, correct) } });
  it.engine.onAsked = () => (isFull = it.engine.asked > 1);
  await it.run.start(order());
  assert.deepEqual(await keptParts(history), [[1, null]]);
  assert.deepEqual([it.run.record?.parts[0]?.answers.length, it.sent[0]?.answers.length], [3, 3]);
});

test("a run that is shared while more is asked in the same tab keeps its token", async () => {
  const history = browser();
  let send = () => undefined as void;
  const sending = new Promise<void>((resume) => (send = resume));
  const it: Stage = stage({ history, shareRun: async (one) => (await sending, { id: `of ${one.ticket}`, address: "/quiz/runs/s", state: "confirmed", reasons: [], delete_token: one.ticket }) });
  const started = it.run.start(order());
  while (it.run.state.phase !== "finished") await new Promise((resume) => setImmediate(resume));
  const asked = it.run.more(2);
  while (it.run.record?.parts[1]?.answers.length !== 2) await new Promise((resume) => setImmediate(resume));
  send();
  await Promise.all([started, asked]);
  assert.deepEqual(await keptParts(history), [[3, "ticket-a-b-c"], [2, "ticket-d-e"]]);
});

test("a run with very many remarks and parts was kept, and could not be read again", async () => {
  const history = browser();
  const ids = Array.from({ length: MOST_REMARKS + 10 }, (_, at) => `q${at}`);
  const it = stage({ history, getTicket: async (selection) => ("quick" in selection ? ticket(["d"], 9) : ticket(ids)) });
  it.engine.lines.push(...ids.flatMap(() => [{ fails: "device_lost" as const }, { says: "ANSWER: B" }]));
  await it.run.start(order({ share: false }));
  while (it.run.canAskMore) await it.run.more(1);
  const kept = await history.read("run-1");
  assert.deepEqual([kept?.remarks.length, kept?.parts.length], [MOST_REMARKS, MOST_PARTS]);
  assert.match(kept?.remarks.at(-1) ?? "", /and more/);
  await it.run.more(1);
  assert.equal((await history.read("run-1"))?.parts.length, MOST_PARTS);
});
