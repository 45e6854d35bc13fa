import assert from "node:assert/strict";
import { test } from "node:test";
import { cellar, shelf } from "../run/cellar.ts";
import { History, type Shelf } from "../run/history.ts";
import { record } from "./samples.ts";

type Listener = (() => void) | null;
type Change = (kept: Map<string, unknown>) => void;

/** A transaction of one request: all of it happens at the end, or nothing. */
class Transaction {
  oncomplete: Listener = null;
  onerror: Listener = null;
  onabort: Listener = null;
  error: DOMException | null = null;
  readonly #disk: Disk;
  readonly #mode: string;

  constructor(disk: Disk, mode: string) {
    this.#disk = disk;
    this.#mode = mode;
  }
  objectStore() {
    return {
      get: (id: string) => this.#request((kept) => kept.get(id)),
      put: (value: unknown, id: string) => this.#change((kept) => kept.set(id, structuredClone(value))),
      delete: (id: string) => this.#change((kept) => kept.delete(id)),
    };
  }
  #change(change: Change) {
    if (this.#mode !== "readwrite") throw new DOMException("read only", "ReadOnlyError");
    return this.#request(change);
  }
  #request(work: (kept: Map<string, unknown>) => unknown): { result: unknown } {
    const request = { result: undefined as unknown };
    setImmediate(() => {
      const draft = new Map(this.#disk.kept);
      request.result = work(draft);
      if (JSON.stringify([...draft]).length > this.#disk.room) {
        this.error = new DOMException("full", "QuotaExceededError");
        this.onabort?.();
        return;
      }
      this.#disk.kept = draft;
      this.oncomplete?.();
    });
    return request;
  }
}

/** As much of IndexedDB as the cellar needs. It outlives the page, and knows who left a connection open. */
class Disk {
  kept = new Map<string, unknown>();
  room = Number.POSITIVE_INFINITY;
  isForbidden = false;
  connections = 0;
  #isMade = false;

  constructor() {
    Object.defineProperty(globalThis, "indexedDB", { value: this, configurable: true });
  }
  open() {
    const request = { result: this.#connection(), error: null as DOMException | null, onupgradeneeded: null as Listener, onsuccess: null as Listener, onerror: null as Listener };
    setImmediate(() => {
      if (this.isForbidden) {
        request.error = new DOMException("denied", "SecurityError");
        return request.onerror?.();
      }
      this.connections += 1;
      if (!this.#isMade) request.onupgradeneeded?.();
      request.onsuccess?.();
    });
    return request;
  }
  #connection() {
    return {
      createObjectStore: () => (this.#isMade = true),
      transaction: (_: string, mode: string) => {
        if (!this.#isMade) throw new DOMException("no such store", "NotFoundError");
        return new Transaction(this, mode);
      },
      close: () => (this.connections -= 1),
    };
  }
}

/** A shelf with room for the list of runs, and for none of them. */
function smallShelf(): Shelf {
  const kept = new Map<string, string>();
  const setItem = (key: string, value: string) => {
    if (value.length > 400) throw new DOMException("full", "QuotaExceededError");
    kept.set(key, value);
  };
  return { getItem: (key) => kept.get(key) ?? null, setItem, removeItem: (key) => void kept.delete(key) };
}

test("a run in the cellar is there for the next page, until it is deleted", async () => {
  const disk = new Disk();
  const place = smallShelf();
  assert.ok(await new History(place, cellar).write(record(), 1));
  const next = new History(place, cellar);
  assert.deepEqual([next.list()[0]?.place, await next.read("run-1")], ["cellar", record()]);
  await next.remove("run-1");
  assert.deepEqual([disk.kept.size, await next.read("run-1")], [0, null]);
  assert.equal(disk.connections, 0, "an open one would keep a later version of the page from changing the store");
});

test("a cellar without room says so, keeps what it had, and leaves nothing open", async () => {
  const disk = new Disk();
  await cellar.put("run-1", record());
  disk.room = 100;
  await assert.rejects(cellar.put("run-2", record({ id: "run-2" })), { name: "QuotaExceededError" });
  assert.deepEqual([[...disk.kept.keys()], disk.connections], [["run-1"], 0]);
  assert.equal(await new History(smallShelf(), cellar).write(record({ id: "run-2" }), 1), false);
});

test("a cellar that the browser locks is no room, and no crash", async () => {
  const disk = new Disk();
  const place = smallShelf();
  await new History(place, cellar).write(record(), 1);
  disk.isForbidden = true;
  const history = new History(place, cellar);
  assert.deepEqual([await history.read("run-1"), await history.write(record(), 1)], [null, false]);
  await history.removeAll();
  assert.deepEqual(history.list(), []);
});

test("where the browser forbids localStorage, runs are kept as long as the page", () => {
  const get = () => {
    throw new DOMException("denied", "SecurityError");
  };
  Object.defineProperty(globalThis, "localStorage", { get, configurable: true });
  const place = shelf();
  place.setItem("a", "1");
  assert.equal(place.getItem("a"), "1");
  place.removeItem("a");
  assert.equal(place.getItem("a"), null);
});
