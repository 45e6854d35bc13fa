// What is kept in this browser, and how to be rid of it: runs and model files.

import type { Catalogue } from "./contract.ts";
import type { Core } from "./core.ts";
import { readRoom } from "./engine/device.ts";
import { removeStored, storedFiles, type StoredFile } from "./engine/stored.ts";
import { MOST_RUNS, type History } from "./run/history.ts";
import { exported, imported } from "./run/record-check.ts";
import { distinctAnswers, type RunRecord } from "./run/record.ts";
import { download, h } from "./view/dom.ts";
import { count } from "./view/numbers.ts";
import { past, type Said } from "./view/past.ts";
import { stored } from "./view/stored.ts";

export interface ShelvesNeeds {
  core: Pick<Core, "derive">;
  catalogue: Catalogue;
  history: History;
}

export class Shelves {
  readonly element: HTMLElement;
  readonly #needs: ShelvesNeeds;
  readonly #onRemoved: () => void;
  readonly #runs = h("div", {});
  readonly #models = h("div", {});
  #said: Said | null = null;

  constructor(needs: ShelvesNeeds, onRemoved: () => void) {
    this.#needs = needs;
    this.#onRemoved = onRemoved;
    this.element = h("div", { class: "quiz-shelves" }, this.#runs, this.#models);
  }

  async show(): Promise<void> {
    this.#showRuns();
    await this.#showModels();
  }

  #showRuns(): void {
    const element = past(this.#needs.history.list(), this.#said, {
      onOpen: (id) => (location.hash = `#run=${id}`),
      onRemove: (id) => void this.removeRun(id),
      onRemoveAll: () => void this.#removeAllRuns(),
      onExportAll: () => void this.#exportAll(),
      onImport: (text) => void this.#import(text),
    });
    this.#runs.replaceChildren(element);
  }

  async removeRun(id: string): Promise<void> {
    const isShared = this.#needs.history.list().some((run) => run.id === id && run.shared);
    if (isShared && !confirm("Delete this run from this browser? It stays on the board, and can then no longer be deleted there.")) return;
    await this.#needs.history.remove(id);
    this.#showRuns();
    this.#onRemoved();
  }

  async #removeAllRuns(): Promise<void> {
    if (!confirm("Delete all runs from this browser? Shared ones stay on the board, and can then no longer be deleted.")) return;
    await this.#needs.history.removeAll();
    this.#showRuns();
    this.#onRemoved();
  }

  async #exportAll(): Promise<void> {
    const { history } = this.#needs;
    const records = await Promise.all(history.list().map(({ id }) => history.read(id)));
    download("quiz-runs.json", exported(records.filter((record) => record !== null)));
  }

  async #import(text: string): Promise<void> {
    try {
      const left = await this.#takeIn(imported(text));
      this.#said = left === "" ? null : { text: left, isProblem: false };
    } catch (thrown) {
      this.#said = { text: thrown instanceof Error ? thrown.message : String(thrown), isProblem: true };
    }
    this.#showRuns();
  }

  /** Says what it left out. A run that is here may hold the token that deletes it from the board, so no file replaces one or pushes one out. */
  async #takeIn(records: readonly RunRecord[]): Promise<string> {
    const { history, core } = this.#needs;
    let [known, tooMany] = [0, 0];
    for (const record of records) {
      const runs = history.list();
      const isKnown = runs.some(({ id }) => id === record.id);
      if (isKnown) known += 1;
      else if (runs.length >= MOST_RUNS) tooMany += 1;
      else {
        const { answers, questions } = distinctAnswers(record);
        await history.write(record, core.derive(answers, questions).accuracy.correct);
      }
    }
    return leftOut(known, tooMany);
  }

  async #showModels(): Promise<void> {
    const isKept = navigator.storage?.persisted?.().catch(() => false) ?? false;
    const [files, room, isPersistent] = await Promise.all([storedFiles(this.#needs.catalogue), readRoom(), isKept]);
    const element = stored({
      files,
      room,
      isPersistent,
      onRemove: (file) => void this.#removeModels([file]),
      onRemoveAll: () => void this.#removeModels(files),
      onPersist: () => void navigator.storage.persist().then(() => this.#showModels()),
    });
    this.#models.replaceChildren(element);
  }

  async #removeModels(files: readonly StoredFile[]): Promise<void> {
    for (const file of files) await removeStored(file);
    await this.#showModels();
  }
}

function leftOut(known: number, tooMany: number): string {
  const here = known === 1 ? "One run of the file is here already, and stays as it is." : `${known} runs of the file are here already, and stay as they are.`;
  const full = `${count(tooMany, "run")} of the file found no room: delete some here first.`;
  return [known > 0 && here, tooMany > 0 && full].filter(Boolean).join(" ");
}
