// Reads what WebLLM says while it loads: it reports in prose.

import type { LoadProgress } from "./engine.ts";

const MEGABYTE = 1024 * 1024;
const FETCHING = /^Fetching param cache\[\d+\/\d+\]: (\d+)MB fetched/;
const FROM_CACHE = /^Loading model from cache\[(\d+)\/(\d+)\]/;
const SHADERS = /^Loading GPU shader modules\[(\d+)\/(\d+)\]/;

export function progressFrom(share: number, text: string): LoadProgress {
  const fetched = FETCHING.exec(text)?.[1];
  if (fetched !== undefined) {
    const received = Number(fetched) * MEGABYTE;
    return { phase: "downloading", received, total: share > 0 ? Math.max(received, Math.round(received / share)) : null, note: null };
  }
  if (/^Start to fetch/.test(text)) return { phase: "downloading", received: 0, total: null, note: null };
  if (FROM_CACHE.test(text)) return { phase: "preparing", share, note: "Loading the model onto the graphics processor." };
  if (SHADERS.test(text)) return { phase: "preparing", share, note: "Compiling shaders." };
  return { phase: "preparing", share: null, note: "Getting ready." };
}
