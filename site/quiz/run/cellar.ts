// IndexedDB for records that localStorage has no room for.

import type { Cellar, Shelf } from "./history.ts";

const DATABASE = "benchwright-quiz";
const STORE = "runs";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

export const cellar: Cellar = {
  get: (id) => within<unknown>("readonly", (store) => store.get(id)),
  put: async (id, record) => {
    await within("readwrite", (store) => store.put(record, id));
  },
  remove: async (id) => {
    await within("readwrite", (store) => store.delete(id));
  },
};

/** localStorage, or a place that forgets with the page where the browser forbids it. */
export function shelf(): Shelf {
  try {
    localStorage.getItem("");
    return localStorage;
  } catch {
    const kept = new Map<string, string>();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) };
  }
}
