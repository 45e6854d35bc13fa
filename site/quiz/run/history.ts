// Runs of this browser, in localStorage: a list, and each run's record under a key of its own. What does not fit goes to IndexedDB.

import { distinctAnswers, distinctCount, type RunRecord } from "./record.ts";
import { isRecord } from "./record-check.ts";

const PREFIX = "benchwright.quiz.1.";
const INDEX = `${PREFIX}runs`;
const SETTINGS = `${PREFIX}settings`;
export const MOST_RUNS = 50;

/** A run in short. A question that was asked again counts once. */
export interface Summary {
  id: string;
  started_at: number;
  model_name: string;
  quantisation: string;
  correct: number;
  answered: number;
  all: number;
  finished: boolean;
  shared: boolean;
  seconds: number;
  place: "shelf" | "cellar";
}

/** localStorage, or what takes its place. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** For what does not fit on the shelf. */
export interface Cellar {
  get(id: string): Promise<unknown>;
  put(id: string, record: RunRecord): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface Settings {
  share: boolean;
}

export class History {
  readonly #shelf: Shelf;
  readonly #cellar: Cellar;

  constructor(shelf: Shelf, cellar: Cellar) {
    this.#shelf = shelf;
    this.#cellar = cellar;
  }

  /** Newest first. */
  list(): Summary[] {
    const kept = this.#read<Summary[]>(INDEX);
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.id === "string") : [];
  }

  async read(id: string): Promise<RunRecord | null> {
    const place = this.list().find((one) => one.id === id)?.place;
    const kept = place === "cellar" ? await this.#cellar.get(id).catch(() => null) : this.#read(keyOf(id));
    return isRecord(kept) ? kept : null;
  }

  /** Says whether it could be kept at all. */
  async write(record: RunRecord, correct: number): Promise<boolean> {
    const place = await this.#place(record);
    if (place === null) return false;
    const others = this.list().filter((one) => one.id !== record.id);
    const list = [summaryOf(record, correct, place), ...others].sort((a, b) => b.started_at - a.started_at);
    const gone = tooMany(list, record.id);
    for (const one of gone) await this.#removeBody(one);
    return this.#put(INDEX, list.filter((one) => !gone.includes(one)));
  }

  async #place(record: RunRecord): Promise<Summary["place"] | null> {
    // A run that had to go to the cellar once stays there: it only grows.
    const isBelow = this.list().find((one) => one.id === record.id)?.place === "cellar";
    if (!isBelow && this.#put(keyOf(record.id), record)) return "shelf";
    this.#shelf.removeItem(keyOf(record.id));
    try {
      await this.#cellar.put(record.id, record);
      return "cellar";
    } catch {
      return null;
    }
  }

  async remove(id: string): Promise<void> {
    const list = this.list();
    for (const one of list.filter((run) => run.id === id)) await this.#removeBody(one);
    this.#put(INDEX, list.filter((one) => one.id !== id));
  }

  async removeAll(): Promise<void> {
    for (const one of this.list()) await this.#removeBody(one);
    this.#shelf.removeItem(INDEX);
  }

  settings(): Settings {
    const kept = this.#read<Partial<Settings>>(SETTINGS);
    return { share: kept?.share !== false };
  }

  keepSettings(settings: Settings): void {
    this.#put(SETTINGS, settings);
  }

  async #removeBody({ id, place }: Summary): Promise<void> {
    this.#shelf.removeItem(keyOf(id));
    if (place === "cellar") await this.#cellar.remove(id).catch(() => undefined);
  }

  #read<T>(key: string): T | null {
    try {
      return JSON.parse(this.#shelf.getItem(key) ?? "null") as T | null;
    } catch {
      return null;
    }
  }

  #put(key: string, value: unknown): boolean {
    try {
      this.#shelf.setItem(key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }
}

/** The oldest go first. A shared run holds the token that deletes it from the board, so it goes after all others; the one that is being written stays. */
function tooMany(newestFirst: readonly Summary[], written: string): Summary[] {
  const others = newestFirst.filter(({ id }) => id !== written).reverse();
  const inTurn = [...others.filter(({ shared }) => !shared), ...others.filter(({ shared }) => shared)];
  return inTurn.slice(0, Math.max(0, newestFirst.length - MOST_RUNS));
}

/** Whether the next run takes the place of one that only its token can delete from the board. */
export const isFullOfShared = (runs: readonly Summary[]): boolean => runs.length >= MOST_RUNS && runs.every(({ shared }) => shared);

const keyOf = (id: string) => `${PREFIX}run.${id}`;

function summaryOf(record: RunRecord, correct: number, place: Summary["place"]): Summary {
  const { answers } = distinctAnswers(record);
  return {
    id: record.id,
    started_at: record.started_at,
    model_name: record.model_name,
    quantisation: record.model.quantisation,
    correct,
    answered: answers.length,
    all: distinctCount(record),
    finished: record.finished,
    shared: record.parts.some((part) => part.shared !== null),
    seconds: answers.reduce((sum, answer) => sum + answer.total_ms, 0) / 1000,
    place,
  };
}
