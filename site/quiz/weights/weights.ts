// The page's side of the worker that keeps weights.

import { EngineFailure } from "../engine/failure.ts";
import { startWorker } from "../start-worker.ts";
import type { FromWorker, StoredWeights, ToWorker, Wanted } from "./protocol.ts";

type Progress = Extract<FromWorker, { kind: "progress" }>;
type Asked = ToWorker extends infer One ? (One extends ToWorker ? Omit<One, "id"> : never) : never;

/** One question to a worker of its own, which is gone afterwards. To call it off is to end the worker: what it wrote stays. */
function ask<Kind extends FromWorker["kind"]>(asked: Asked, kind: Kind, signal?: AbortSignal, onProgress?: (progress: Progress) => void): Promise<Extract<FromWorker, { kind: Kind }>> {
  const worker = startWorker("./weights-worker.js");
  return new Promise<Extract<FromWorker, { kind: Kind }>>((resolve, reject) => {
    const abort = () => reject(new EngineFailure("aborted", "called off"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    worker.onerror = (event) => reject(new EngineFailure("crashed", event.message || "the worker for weights did not start"));
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "progress") onProgress?.(data);
      else if (data.kind === "failed") reject(new EngineFailure(data.reason, data.message));
      else if (data.kind === kind) resolve(data as Extract<FromWorker, { kind: Kind }>);
    };
    worker.postMessage({ ...asked, id: 1 });
  }).finally(() => worker.terminate());
}

export async function getWeights(wanted: Wanted, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<{ file: Blob; sha256: string; stored: boolean }> {
  const { file, sha256, stored } = await ask({ do: "fetch", wanted }, "fetched", signal, onProgress);
  return { file, sha256, stored };
}

export async function hashFile(file: File, signal: AbortSignal, onProgress: (done: number) => void): Promise<string> {
  const { sha256 } = await ask({ do: "hash", file }, "hashed", signal, ({ received }) => onProgress(received));
  return sha256;
}

export async function storedWeights(): Promise<StoredWeights[]> {
  return (await ask({ do: "list" }, "listed")).files;
}

export async function removeWeights(key: string): Promise<void> {
  await ask({ do: "remove", key }, "removed");
}
