import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { keepAwake, takeRunLock, watchHidden } from "../run/keeping.ts";
import { putPage } from "./plain-page.ts";

const lend = (name: string, value: unknown) => Object.defineProperty(navigator, name, { value, configurable: true });
const settled = () => new Promise((resume) => setImmediate(resume));

afterEach(() => {
  for (const name of ["locks", "wakeLock"]) lend(name, undefined);
});

/** The locks of a browser, which all its tabs see. */
class Locks {
  readonly #held = new Set<string>();
  async request(name: string, _: { ifAvailable: true }, work: (lock: object | null) => Promise<void> | undefined): Promise<void> {
    if (this.#held.has(name)) return work(null);
    this.#held.add(name);
    await work({ name });
    this.#held.delete(name);
  }
}

test("a second tab may not run until the first has ended", async () => {
  lend("locks", new Locks());
  const first = await takeRunLock();
  assert.ok(first);
  assert.equal(await takeRunLock(), null);
  first();
  await settled();
  assert.ok(await takeRunLock());
});

test("a browser without locks lets every tab run", async () => {
  assert.ok(await takeRunLock());
});

test("a browser that forbids locks kept the run waiting for ever", async () => {
  lend("locks", { request: async () => Promise.reject(new DOMException("denied", "SecurityError")) });
  assert.ok(await takeRunLock());
});

function become(visibilityState: "visible" | "hidden"): void {
  Object.assign(document, { visibilityState });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** A screen that is let sleep when the page is hidden, as browsers do it. */
class Screen {
  asked = 0;
  readonly held = new Set<object>();
  constructor() {
    putPage(() => null);
    lend("wakeLock", this);
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.held.clear());
  }
  async request(): Promise<{ release(): Promise<void> }> {
    this.asked += 1;
    const sentinel = { release: async () => void this.held.delete(sentinel) };
    this.held.add(sentinel);
    return sentinel;
  }
}

test("the screen stays on, also after the page was hidden, until the run ends", async () => {
  const screen = new Screen();
  const end = keepAwake();
  await settled();
  assert.equal(screen.held.size, 1);
  become("hidden");
  await settled();
  assert.deepEqual([screen.asked, screen.held.size], [1, 0], "a hidden page is not given it");
  become("visible");
  await settled();
  assert.equal(screen.held.size, 1);
  end();
  become("hidden");
  become("visible");
  await settled();
  assert.deepEqual([screen.asked, screen.held.size], [2, 0], "nobody asks after the end");
});

test("a screen that is given after the end is given back", async () => {
  const screen = new Screen();
  keepAwake()();
  await settled();
  assert.deepEqual([screen.asked, screen.held.size], [1, 0]);
});

test("a screen that is refused, or that nobody can keep on, stops no run", async () => {
  putPage(() => null);
  for (const wakeLock of [undefined, { request: async () => Promise.reject(new DOMException("low battery", "NotAllowedError")) }]) {
    lend("wakeLock", wakeLock);
    const end = keepAwake();
    await settled();
    assert.doesNotThrow(end);
  }
});

test("a page that was hidden for a moment was hidden, and the next answer starts anew", () => {
  putPage(() => null);
  const watch = watchHidden();
  assert.equal(watch.wasHidden(), false);
  become("hidden");
  become("visible");
  assert.deepEqual([watch.wasHidden(), watch.wasHidden()], [true, false]);
});

test("a page that stays hidden is hidden for every answer", () => {
  putPage(() => null);
  become("hidden");
  const watch = watchHidden();
  assert.deepEqual([watch.wasHidden(), watch.wasHidden()], [true, true]);
  become("visible");
  assert.deepEqual([watch.wasHidden(), watch.wasHidden()], [true, false], "it was, until just now");
});

test("after the end nobody watches", () => {
  putPage(() => null);
  const watch = watchHidden();
  watch.end();
  become("hidden");
  become("visible");
  assert.equal(watch.wasHidden(), false);
});
