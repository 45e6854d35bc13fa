// Where bytes of a file go while it is fetched: the origin's private file system, or memory where the browser refuses that.

import type { StoredWeights } from "./protocol.ts";

const FOLDER = "benchwright-weights";
/** A file without this one beside it was not fetched to its end, or not checked. */
const DONE = ".done";

interface SyncHandle {
  write(bytes: Uint8Array, options: { at: number }): number;
  read(bytes: Uint8Array, options: { at: number }): number;
  getSize(): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

type FileHandle = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncHandle> };

export interface Place {
  readonly stored: boolean;
  /** Bytes that are already there from an earlier, interrupted time. */
  readonly size: number;
  readAll(take: (bytes: Uint8Array) => void): void;
  append(bytes: Uint8Array): void;
  startOver(): void;
  /** The whole file; it is complete and was checked. */
  finish(): Promise<Blob>;
  close(): void;
}

const READ_AT_ONCE = 4 * 1024 * 1024;
const TRIES_FOR_A_HANDLE = 50;

class OnDisk implements Place {
  readonly stored = true;
  readonly #folder: FileSystemDirectoryHandle;
  readonly #file: FileHandle;
  readonly #handle: SyncHandle;
  #size: number;
  #isOpen = true;

  constructor(folder: FileSystemDirectoryHandle, file: FileHandle, handle: SyncHandle) {
    this.#folder = folder;
    this.#file = file;
    this.#handle = handle;
    this.#size = handle.getSize();
  }

  get size(): number {
    return this.#size;
  }

  readAll(take: (bytes: Uint8Array) => void): void {
    const buffer = new Uint8Array(READ_AT_ONCE);
    for (let at = 0; at < this.#size; ) {
      const read = this.#handle.read(buffer, { at });
      if (read === 0) throw new Error("a stored file ended early");
      take(buffer.subarray(0, read));
      at += read;
    }
  }

  append(bytes: Uint8Array): void {
    const written = this.#handle.write(bytes, { at: this.#size });
    // Chromium over its quota throws nothing, and says it wrote a number of bytes that cannot be.
    if (written !== bytes.length) throw new DOMException("the disk did not take all of it", "QuotaExceededError");
    this.#size += written;
  }

  startOver(): void {
    this.#handle.truncate(0);
    this.#size = 0;
  }

  async finish(): Promise<Blob> {
    this.close();
    await this.#folder.getFileHandle(this.#file.name + DONE, { create: true });
    return this.#file.getFile();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#handle.flush();
    this.#handle.close();
  }
}

export class InMemory implements Place {
  readonly stored: boolean = false;
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  readAll(take: (bytes: Uint8Array) => void): void {
    this.#parts.forEach(take);
  }

  append(bytes: Uint8Array): void {
    this.#parts.push(new Uint8Array(bytes));
    this.#size += bytes.length;
  }

  startOver(): void {
    this.#parts = [];
    this.#size = 0;
  }

  finish(): Promise<Blob> {
    return Promise.resolve(new Blob(this.#parts));
  }

  close(): void {
    this.#parts = [];
  }
}

async function folder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

/** A file that is complete, or nothing. */
export async function completeFile(key: string): Promise<File | null> {
  try {
    const within = await folder();
    await within.getFileHandle(key + DONE);
    return await (await within.getFileHandle(key)).getFile();
  } catch {
    return null;
  }
}

/** Fails where the browser has no private file system, or lets nobody write to it (private windows). */
export async function placeOnDisk(key: string): Promise<Place> {
  const within = await folder();
  await within.removeEntry(key + DONE).catch(() => undefined);
  const file = (await within.getFileHandle(key, { create: true })) as FileHandle;
  return new OnDisk(within, file, await handleOf(file));
}

/** A worker that was ended a moment ago may still hold the file. */
async function handleOf(file: FileHandle): Promise<SyncHandle> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await file.createSyncAccessHandle();
    } catch (thrown) {
      const isHeld = thrown instanceof DOMException && thrown.name === "NoModificationAllowedError";
      if (!isHeld || attempt === TRIES_FOR_A_HANDLE) throw thrown;
      await new Promise<void>((resume) => setTimeout(resume, 100));
    }
  }
}

export async function listPlaces(): Promise<StoredWeights[]> {
  const within = await folder().catch(() => null);
  if (!within) return [];
  const sizes = new Map<string, number>();
  const done = new Set<string>();
  for await (const [name, handle] of within as unknown as AsyncIterable<[string, FileSystemHandle]>) {
    if (handle.kind !== "file") continue;
    if (name.endsWith(DONE)) done.add(name.slice(0, -DONE.length));
    else sizes.set(name, (await (handle as FileSystemFileHandle).getFile()).size);
  }
  // A file of which nothing came yet is nothing to tell of.
  return [...sizes].filter(([, bytes]) => bytes > 0).map(([key, bytes]) => ({ key, bytes, complete: done.has(key) }));
}

export async function removePlace(key: string): Promise<void> {
  const within = await folder();
  for (const name of [key + DONE, key]) await within.removeEntry(name).catch(() => undefined);
}
