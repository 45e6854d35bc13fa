import assert from "node:assert/strict";
import { test } from "node:test";
import { CachesOrMemory } from "../engine/webllm-cache.ts";

const PART = "https://models.example/part-1.bin";
const OTHER = "https://models.example/part-2.bin";

function refusal(name: string): Error {
  return Object.assign(new Error("no"), { name });
}

/** A browser's store that has room for so many parts. */
function browser(room: number, refuses = "QuotaExceededError") {
  const stored = new Map<string, string>();
  const asked: string[] = [];
  const fetchPart = (async (request: RequestInfo | URL) => {
    const address = request instanceof Request ? request.url : String(request);
    asked.push(address);
    return address.includes("absent") ? new Response("", { status: 404 }) : new Response(`bytes of ${address}`);
  }) as typeof fetch;
  const store = {
    match: async (request: RequestInfo | URL) => {
      const kept = stored.get((request as Request).url ?? String(request));
      return kept === undefined ? undefined : new Response(kept);
    },
    add: async (request: RequestInfo | URL) => {
      const response = await fetchPart(request);
      if (!response.ok) throw new TypeError("network error");
      if (stored.size >= room) throw refusal(refuses);
      stored.set((request as Request).url, await response.text());
    },
    put: async (request: RequestInfo | URL, response: Response) => {
      if (stored.size >= room) throw refusal(refuses);
      stored.set((request as Request).url ?? String(request), await response.text());
    },
    keys: async () => [...stored.keys()].map((address) => new Request(address)),
    delete: async (request: RequestInfo | URL) => stored.delete((request as Request).url ?? String(request)),
  };
  return { stored, asked, fetchPart, caches: { open: async () => store } };
}

const textOf = async (response: Response | undefined) => response?.text();

test("a browser that stores is left to it", async () => {
  const { caches, fetchPart, stored, asked } = browser(9);
  const ours = new CachesOrMemory(caches, fetchPart);
  const cache = await ours.open("webllm/model");
  await cache.add(new Request(PART));
  assert.equal(await textOf(await cache.match(new Request(PART))), `bytes of ${PART}`);
  assert.deepEqual([ours.refused, stored.size, asked.length], [false, 1, 1]);
});

test("when the disk is full the rest stays in memory, and is fetched once", async () => {
  const { caches, fetchPart, stored, asked } = browser(1);
  const ours = new CachesOrMemory(caches, fetchPart);
  const cache = await ours.open("webllm/model");
  for (const address of [PART, OTHER, `${OTHER}?3`]) await cache.add(new Request(address));
  assert.equal(await textOf(await cache.match(new Request(OTHER))), `bytes of ${OTHER}`);
  assert.equal(await textOf(await cache.match(new Request(OTHER))), `bytes of ${OTHER}`);
  assert.deepEqual((await cache.keys()).map((request) => request.url), [PART, OTHER, `${OTHER}?3`]);
  // The part that did not fit came twice, those after it once.
  assert.deepEqual([ours.refused, stored.size, asked.length], [true, 1, 4]);
  ours.forget();
  assert.equal(await cache.match(new Request(OTHER)), undefined);
});

for (const [name, caches] of [
  ["a page without the Cache API", undefined],
  ["a browser that blocks site data", { open: async () => Promise.reject(refusal("SecurityError")) }],
] as const) {
  test(`${name} loads into memory`, async () => {
    const { fetchPart, asked } = browser(0);
    const ours = new CachesOrMemory(caches, fetchPart);
    const cache = await ours.open("webllm/wasm");
    await cache.add(new Request(PART));
    await cache.put(new Request(OTHER), new Response("made here"));
    assert.equal(await textOf(await cache.match(new Request(PART))), `bytes of ${PART}`);
    assert.equal(await textOf(await cache.match(new Request(OTHER))), "made here");
    assert.deepEqual([ours.refused, asked.length, await cache.delete(new Request(PART))], [true, 1, true]);
  });
}

test("a part that is not there, and a broken connection, are no refusals", async () => {
  const { caches, fetchPart } = browser(9);
  const ours = new CachesOrMemory(caches, fetchPart);
  const cache = await ours.open("webllm/model");
  await assert.rejects(cache.add(new Request(`${PART}/absent`)), /network error/);
  assert.equal(ours.refused, false);
  const inMemory = await new CachesOrMemory(undefined, fetchPart).open("webllm/model");
  await assert.rejects(inMemory.add(new Request(`${PART}/absent`)), /HTTP 404/);
});
