// What WebLLM has stored: it keeps weights in the Cache API, one entry per part.

import type { Catalogue } from "../contract.ts";

const IS_WEBLLM = /^webllm\//;

/** The part of an address that all files of one model have in common. */
export function folderOf(url: string): string {
  return url.replace(/\/resolve\/.*$/, "").replace(/\/[^/]*\.wasm$/, "");
}

async function eachEntry(visit: (cache: Cache, request: Request) => Promise<void>): Promise<void> {
  if (!("caches" in globalThis)) return;
  for (const name of (await caches.keys()).filter((one) => IS_WEBLLM.test(one))) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) await visit(cache, request);
  }
}

async function bytesOf(cache: Cache, request: Request): Promise<number> {
  const kept = await cache.match(request);
  const said = Number(kept?.headers.get("content-length"));
  return said > 0 ? said : ((await kept?.blob())?.size ?? 0);
}

export async function storedByWebllm(catalogue: Catalogue): Promise<{ key: string; name: string; bytes: number }[]> {
  const sizes = new Map<string, number>();
  await eachEntry(async (cache, request) => {
    const key = folderOf(request.url);
    sizes.set(key, (sizes.get(key) ?? 0) + (await bytesOf(cache, request)));
  });
  return [...sizes].map(([key, bytes]) => ({ key, bytes, name: nameOf(key, catalogue) }));
}

function nameOf(key: string, catalogue: Catalogue): string {
  const model = catalogue.models.find((one) => one.source_url !== null && folderOf(one.source_url) === key);
  return model ? `${model.name} (${model.quantisation})` : (key.split("/").pop() ?? key);
}

export async function removeFromWebllm(key: string): Promise<void> {
  await eachEntry(async (cache, request) => {
    if (folderOf(request.url) === key) await cache.delete(request);
  });
}
