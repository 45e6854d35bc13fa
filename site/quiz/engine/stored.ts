// What each engine keeps in this browser. Asked of the stores themselves: no engine is loaded for it.

import type { Catalogue } from "../contract.ts";
import { removeWeights, storedWeights } from "../weights/weights.ts";
import type { Engine } from "./engine.ts";
import { removeFromWebllm, storedByWebllm } from "./webllm-files.ts";

export interface StoredFile {
  engine: Engine["name"];
  key: string;
  name: string;
  bytes: number;
  /** Whether it is whole: what is not is gone on with the next time. */
  complete: boolean;
}

/** The name a model's file is kept under. */
export const keyOf = (modelId: string): string => modelId.replace(/[^\w.-]/g, "_");

export async function storedFiles(catalogue: Catalogue): Promise<StoredFile[]> {
  const [weights, parts] = await Promise.all([storedWeights().catch(() => []), storedByWebllm(catalogue).catch(() => [])]);
  const nameOf = (key: string) => catalogue.models.find((model) => keyOf(model.id) === key)?.name ?? key;
  return [
    ...weights.map((file): StoredFile => ({ ...file, engine: "wllama", name: nameOf(file.key) })),
    ...parts.map((file): StoredFile => ({ ...file, engine: "webllm", complete: true })),
  ];
}

export function removeStored({ engine, key }: StoredFile): Promise<void> {
  return engine === "webllm" ? removeFromWebllm(key) : removeWeights(key);
}
