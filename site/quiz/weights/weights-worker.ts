// The worker that fetches, checks, keeps and removes weights, so that the page stays quick. It ends with the page or by being ended:
// what it had written by then is still there the next time.

import { failureFrom } from "../engine/failure.ts";
import { hashOf, type Fetching } from "./fetching.ts";
import { fetchAndKeep } from "./keep.ts";
import { completeFile, listPlaces, placeOnDisk, removePlace } from "./place.ts";
import type { FromWorker, ToWorker, Wanted } from "./protocol.ts";

const PROGRESS_EVERY_MS = 200;

const post = (message: FromWorker) => postMessage(message);

/** Tells the page, but not for each of thousands of parts. */
function progressOf(id: number): Fetching["onProgress"] {
  let last = 0;
  let lastNote: string | null = null;
  return (received, total, note) => {
    const now = performance.now();
    if (note === lastNote && now - last < PROGRESS_EVERY_MS && received !== total) return;
    [last, lastNote] = [now, note];
    post({ id, kind: "progress", received, total, note });
  };
}

const wait = (milliseconds: number) => new Promise<void>((resume) => setTimeout(resume, milliseconds));

async function get(id: number, wanted: Wanted): Promise<FromWorker> {
  const onProgress = progressOf(id);
  const already = await completeFile(wanted.key);
  if (already && (wanted.bytes === null || already.size === wanted.bytes)) {
    // What lies on a disk for months may rot, and other pages of this origin may write there.
    const sha256 = await hashOf(already, (done) => onProgress(done, already.size, "Checking the stored file."));
    if (wanted.sha256 === null || wanted.sha256 === sha256) return { id, kind: "fetched", file: already, sha256, stored: true };
  }
  const how: Fetching = { fetch: fetch.bind(globalThis), wait, onProgress };
  return { id, kind: "fetched", ...(await fetchAndKeep(wanted, how, { open: placeOnDisk, remove: removePlace })) };
}

async function answer(asked: ToWorker): Promise<FromWorker> {
  const { id } = asked;
  switch (asked.do) {
    case "fetch":
      return get(id, asked.wanted);
    case "hash": {
      const tell = progressOf(id);
      return { id, kind: "hashed", sha256: await hashOf(asked.file, (done) => tell(done, asked.file.size, null)) };
    }
    case "list":
      return { id, kind: "listed", files: await listPlaces() };
    case "remove":
      await removePlace(asked.key);
      return { id, kind: "removed" };
  }
}

onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    post(await answer(data));
  } catch (thrown) {
    const { reason, message } = failureFrom(thrown);
    post({ id: data.id, kind: "failed", reason, message });
  }
};
