// Fetches one large file in as many attempts as it takes, goes on where the last one ended, and proves that it is the right one.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { EngineFailure, failureFrom, tryingAgain } from "../engine/failure.ts";
import type { Place } from "./place.ts";
import type { Wanted } from "./protocol.ts";

export const ATTEMPTS = 6;
const FIRST_WAIT_MS = 1000;

export interface Fetching {
  fetch: typeof fetch;
  wait: (milliseconds: number) => Promise<void>;
  onProgress: (received: number, total: number | null, note: string | null) => void;
}

/** Fills the place with the file, and says its SHA-256. */
export async function fetchInto(place: Place, wanted: Wanted, how: Fetching): Promise<string> {
  const resumed = place.size > 0;
  let found = await fill(place, wanted, how);
  if (isWrong(found, wanted) && resumed) {
    // What was there from an earlier time may have been the beginning of another file.
    place.startOver();
    found = await fill(place, wanted, how);
  }
  if (!isWrong(found, wanted)) return found;
  place.startOver();
  throw new EngineFailure("wrong_file", `the file has the SHA-256 ${found}, not ${wanted.sha256}`);
}

function isWrong(found: string, wanted: Wanted): boolean {
  return wanted.sha256 !== null && wanted.sha256 !== found;
}

async function fill(place: Place, wanted: Wanted, how: Fetching): Promise<string> {
  if (wanted.bytes !== null && place.size > wanted.bytes) place.startOver();
  let hash = sha256.create();
  place.readAll((bytes) => hash.update(bytes));
  const startOver = () => {
    place.startOver();
    hash = sha256.create();
  };
  const take = (bytes: Uint8Array) => {
    place.append(bytes);
    hash.update(bytes);
  };
  for (let attempt = 1; wanted.bytes === null || place.size < wanted.bytes; attempt += 1) {
    const before = place.size;
    try {
      await oneAttempt(place, wanted, how, startOver, take);
      break;
    } catch (thrown) {
      const failure = failureFrom(thrown);
      if (place.size > before) attempt = 1;
      if (failure.reason !== "network" || attempt >= ATTEMPTS) throw failure;
      const pause = FIRST_WAIT_MS * 2 ** (attempt - 1);
      how.onProgress(place.size, wanted.bytes, tryingAgain(attempt, ATTEMPTS - 1, pause));
      await how.wait(pause);
    }
  }
  return bytesToHex(hash.digest());
}

async function oneAttempt(place: Place, wanted: Wanted, how: Fetching, startOver: () => void, take: (bytes: Uint8Array) => void): Promise<void> {
  const headers: Record<string, string> = place.size > 0 ? { range: `bytes=${place.size}-` } : {};
  const answer = await how.fetch(wanted.url, { headers, credentials: "omit" });
  if (answer.status === 404) throw new EngineFailure("not_found", `HTTP 404 for ${wanted.url}`);
  // There is nothing behind what is here already.
  if (answer.status === 416) return;
  if (!answer.ok || !answer.body) throw new EngineFailure("network", `HTTP ${answer.status} for ${wanted.url}`);
  // Whoever answers a range with everything knows no ranges.
  if (place.size > 0 && answer.status !== 206) startOver();
  const promised = answer.headers.get("content-length");
  const total = wanted.bytes ?? (promised === null ? null : place.size + Number(promised));
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    take(part.value);
    if (total !== null && place.size > total) throw new EngineFailure("wrong_file", "the file is longer than it should be");
    how.onProgress(place.size, total, null);
  }
  if (total !== null && place.size < total) throw new EngineFailure("network", `network error: ${place.size} of ${total} bytes came`);
}

/** The SHA-256 of a file from disk, in parts: it may be larger than memory. */
export async function hashOf(file: Blob, onProgress: (done: number) => void): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  let done = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    hash.update(part.value);
    done += part.value.length;
    onProgress(done);
  }
  return bytesToHex(hash.digest());
}
