import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { EngineFailure } from "../engine/failure.ts";
import { ATTEMPTS, fetchInto, hashOf, type Fetching } from "../weights/fetching.ts";
import { fetchAndKeep } from "../weights/keep.ts";
import { InMemory } from "../weights/place.ts";
import type { Wanted } from "../weights/protocol.ts";

const FILE = new Uint8Array(100_000).map((_, at) => (at * 31) % 251);
const SHA256 = createHash("sha256").update(FILE).digest("hex");
const wanted: Wanted = { key: "k", url: "https://site.example/weights/k", bytes: FILE.length, sha256: SHA256 };

interface Server {
  /** How many bytes each answer sends before the connection breaks; the last one holds for all that follow. */
  cuts?: number[];
  knowsRanges?: boolean;
  status?: number;
  file?: Uint8Array;
}

function served({ cuts = [], knowsRanges = true, status = 200, file = FILE }: Server): { how: Fetching; asked: (string | null)[]; notes: string[]; waits: number[] } {
  const asked: (string | null)[] = [];
  const notes: string[] = [];
  const waits: number[] = [];
  const answer: typeof fetch = async (_, options) => {
    const range = new Headers(options?.headers).get("range");
    asked.push(range);
    if (status !== 200) return new Response("no", { status });
    const from = knowsRanges && range !== null ? Number(/\d+/.exec(range)?.[0]) : 0;
    const whole = file.slice(from);
    const cut = cuts.length > 0 ? cuts.shift() : undefined;
    const parts = cut === 0 ? [] : [whole.slice(0, cut)];
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else if (cut !== undefined && cut < whole.length) controller.error(new TypeError("network error"));
        else controller.close();
      },
    });
    return new Response(body, { status: from > 0 ? 206 : 200, headers: { "content-length": String(whole.length) } });
  };
  const how: Fetching = { fetch: answer, wait: async (milliseconds) => void waits.push(milliseconds), onProgress: (_, __, note) => note !== null && notes.push(note) };
  return { how, asked, notes, waits };
}

const failsWith = (reason: string) => (thrown: unknown) => thrown instanceof EngineFailure && thrown.reason === reason;

test("a file is fetched and its hash is told", async () => {
  const place = new InMemory();
  const { how, asked } = served({});
  assert.equal(await fetchInto(place, wanted, how), SHA256);
  assert.deepEqual(new Uint8Array(await (await place.finish()).arrayBuffer()), FILE);
  assert.deepEqual(asked, [null]);
});

test("what was there before is gone on with", async () => {
  const place = new InMemory();
  place.append(FILE.slice(0, 30_000));
  const { how, asked } = served({});
  assert.equal(await fetchInto(place, wanted, how), SHA256);
  assert.deepEqual(asked, ["bytes=30000-"]);
});

test("a broken connection is taken up where it broke, after a longer and longer wait", async () => {
  const place = new InMemory();
  const { how, asked, notes, waits } = served({ cuts: [10_000, 0, 0, 20_000] });
  assert.equal(await fetchInto(place, wanted, how), SHA256);
  assert.deepEqual(asked, [null, "bytes=10000-", "bytes=10000-", "bytes=10000-", "bytes=30000-"]);
  assert.deepEqual(waits, [1000, 2000, 4000, 1000]);
  assert.equal(notes.length, 4);
});

test("a connection that never holds ends in failure, and what came stays", async () => {
  const place = new InMemory();
  const { how, asked } = served({ cuts: [5000, 0, 0, 0, 0, 0, 0, 0] });
  await assert.rejects(fetchInto(place, wanted, how), failsWith("network"));
  assert.equal(place.size, 5000);
  assert.equal(asked.length, 1 + ATTEMPTS - 1);
});

test("a server without ranges sends everything again", async () => {
  const place = new InMemory();
  place.append(FILE.slice(0, 100));
  const { how } = served({ knowsRanges: false });
  assert.equal(await fetchInto(place, wanted, how), SHA256);
  assert.equal(place.size, FILE.length);
});

test("a beginning of another file is noticed, and the file fetched anew", async () => {
  const place = new InMemory();
  place.append(new Uint8Array(2000));
  const { how, asked } = served({});
  assert.equal(await fetchInto(place, wanted, how), SHA256);
  assert.deepEqual(asked, ["bytes=2000-", null]);
});

test("a file with another hash, or too long, or absent, is refused", async () => {
  const other = FILE.slice();
  other[500] = 1;
  const place = new InMemory();
  await assert.rejects(fetchInto(place, wanted, served({ file: other }).how), failsWith("wrong_file"));
  assert.equal(place.size, 0, "nothing of it is left to go on with");
  await assert.rejects(fetchInto(new InMemory(), { ...wanted, bytes: 500 }, served({}).how), failsWith("wrong_file"));
  await assert.rejects(fetchInto(new InMemory(), wanted, served({ status: 404 }).how), failsWith("not_found"));
});

test("without a known size the answer's own is believed", async () => {
  const place = new InMemory();
  assert.equal(await fetchInto(place, { ...wanted, bytes: null, sha256: null }, served({ cuts: [7, 100_000] }).how), SHA256);
});

test("a file from disk is hashed in parts", async () => {
  let done = 0;
  assert.equal(await hashOf(new Blob([FILE]), (so) => (done = so)), SHA256);
  assert.equal(done, FILE.length);
});

/** A disk that takes so many bytes and then no more, as Chromium over its quota does. */
class SmallDisk extends InMemory {
  override readonly stored = true;
  readonly #room: number;

  constructor(room: number) {
    super();
    this.#room = room;
  }

  override append(bytes: Uint8Array): void {
    if (this.size + bytes.length > this.#room) throw new DOMException("the disk did not take all of it", "QuotaExceededError");
    super.append(bytes);
  }
}

test("a file that fits is stored", async () => {
  const { how } = served({});
  const removed: string[] = [];
  const kept = await fetchAndKeep(wanted, how, { open: async () => new SmallDisk(FILE.length), remove: async (key) => void removed.push(key) });
  assert.deepEqual([kept.stored, kept.sha256, kept.file.size, removed], [true, SHA256, FILE.length, []]);
});

test("a disk that is full in the middle gives what it has to memory, and the rest is fetched", async () => {
  const { how, asked, notes } = served({ cuts: [40_000] });
  const removed: string[] = [];
  const kept = await fetchAndKeep(wanted, how, { open: async () => new SmallDisk(50_000), remove: async (key) => void removed.push(key) });
  assert.deepEqual([kept.stored, kept.sha256, kept.file.size, removed], [false, SHA256, FILE.length, ["k"]]);
  assert.deepEqual(asked, [null, "bytes=40000-", "bytes=40000-"]);
  assert.ok(notes.some((note) => note.includes("storage is full")), notes.join("; "));
});

test("a browser that stores nothing keeps the file in memory", async () => {
  const { how } = served({});
  const disk = { open: () => Promise.reject(new DOMException("no", "SecurityError")), remove: async () => undefined };
  const kept = await fetchAndKeep(wanted, how, disk);
  assert.deepEqual([kept.stored, kept.sha256], [false, SHA256]);
});
