// The questions that the site gave out last, so that a run can begin while the site cannot be reached.

import type { Selection } from "../contract.ts";
import type { Shelf } from "./history.ts";
import { isPart } from "./record-check.ts";
import type { Part } from "./record.ts";

const KEY = "benchwright.quiz.1.questions";

export class Spare {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Keeps the questions of a part that begins. */
  keep(part: Part): void {
    try {
      this.#shelf.setItem(KEY, JSON.stringify({ ...part, ticket: "", shareable: false }));
    } catch {
      // Without room there is nothing to fall back on, and runs go on as ever.
    }
  }

  /** The same questions once more, for a run that has no ticket and cannot be shared; nothing where others are wanted. */
  find(selection: Selection): Part | null {
    try {
      const kept: unknown = JSON.parse(this.#shelf.getItem(KEY) ?? "null");
      return isPart(kept) && isSame(kept, selection) ? kept : null;
    } catch {
      return null;
    }
  }
}

function isSame({ set, quick }: Part, wanted: Selection): boolean {
  if ("set" in wanted) return set === wanted.set;
  return quick !== null && quick.source === wanted.quick.source && quick.count === wanted.quick.count;
}
