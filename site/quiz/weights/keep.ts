// Fetches a file to the disk as far as the browser lets it, and into memory from there on.

import { failureFrom } from "../engine/failure.ts";
import { fetchInto, type Fetching } from "./fetching.ts";
import { InMemory, type Place } from "./place.ts";
import type { Wanted } from "./protocol.ts";

export interface Disk {
  /** Fails where the browser stores nothing. */
  open(key: string): Promise<Place>;
  remove(key: string): Promise<void>;
}

export interface Kept {
  file: Blob;
  sha256: string;
  stored: boolean;
}

const FULL = "The browser's storage is full: kept in memory.";

export async function fetchAndKeep(wanted: Wanted, how: Fetching, disk: Disk): Promise<Kept> {
  const place = await disk.open(wanted.key).catch(() => new InMemory());
  try {
    return await fetched(place, wanted, how);
  } catch (thrown) {
    const failure = failureFrom(thrown);
    if (failure.reason !== "quota" || !place.stored) {
      place.close();
      throw failure;
    }
    const memory = moveToMemory(place);
    await disk.remove(wanted.key);
    return fetched(memory, wanted, { ...how, onProgress: (received, total, said) => how.onProgress(received, total, said ?? FULL) });
  }
}

/** The disk is full, or the browser says so: what is there is in the way, and memory may still do. */
function moveToMemory(place: Place): Place {
  const memory = new InMemory();
  place.readAll((bytes) => memory.append(bytes));
  place.close();
  return memory;
}

async function fetched(place: Place, wanted: Wanted, how: Fetching): Promise<Kept> {
  const sha256 = await fetchInto(place, wanted, how);
  return { file: await place.finish(), sha256, stored: place.stored };
}
