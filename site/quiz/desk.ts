// What stands on the page in which state, and what its buttons do.

import type { Answer, Catalogue, CatalogueModel, Derived, DerivedQuestion, Question, Selection } from "./contract.ts";
import type { Core } from "./core.ts";
import { readRoom, type DeviceFacts, type Room } from "./engine/device.ts";
import type { Chosen, Engine } from "./engine/engine.ts";
import { nextSmaller } from "./engine/fitness.ts";
import { openPageFor, takePending } from "./pending.ts";
import type { History } from "./run/history.ts";
import { keepAwake, takeRunLock, watchHidden } from "./run/keeping.ts";
import { newId, newRecord } from "./run/new-record.ts";
import { canBeShared, isTooLate, nextQuestion, questionCount, submissionOf, type Part, type RunRecord } from "./run/record.ts";
import { Run, type Order, type Watcher } from "./run/run.ts";
import type { Spare } from "./run/spare.ts";
import { canContinue, isBusy, type State } from "./run/state.ts";
import { deleteShared, getTicket, shareRun } from "./server.ts";
import { Shelves } from "./shelves.ts";
import { h } from "./view/dom.ts";
import { LiveView } from "./view/live.ts";
import { report } from "./view/report.ts";
import { Setup } from "./view/setup.ts";
import { previewOf, type Preview } from "./view/sharing.ts";
import { troubleCard } from "./view/trouble.ts";

export interface DeskNeeds {
  core: Core;
  catalogue: Catalogue;
  device: DeviceFacts;
  room: Room | null;
  history: History;
  spare: Spare;
  app: string;
  engineNamed(name: Engine["name"]): Promise<Engine>;
}

export class Desk {
  readonly #place: HTMLElement;
  readonly #needs: DeskNeeds;
  readonly #run: Run;
  readonly #live: LiveView;
  readonly #top = h("div", {});
  readonly #shelves: Shelves;
  readonly #named = new URLSearchParams(location.search).get("model");
  /** Whether this page's policy names the hosts of models from elsewhere. */
  readonly #reachesOut = new URLSearchParams(location.search).get("engine") === "webllm";
  /** What was started last: the model that could not be loaded, and what it was to be asked. */
  #order: Order | null = null;
  #derived: Derived | null = null;
  #shareProblem: string | null = null;

  constructor(place: HTMLElement, needs: DeskNeeds) {
    this.#place = place;
    this.#needs = needs;
    const { core, history, spare, catalogue, device, app } = needs;
    const around = { core, history, spare, catalogue, device, app, engine: needs.engineNamed, getTicket, shareRun, deleteShared, readRoom, takeRunLock, keepAwake, watchHidden, now: () => Date.now(), newId };
    this.#run = new Run(around, this.#watcher());
    this.#shelves = new Shelves(needs, () => void this.#onRemoved());
    this.#live = new LiveView({ run: () => this.#run, wilson: (correct, n) => core.wilson(correct, n), halfWidth: (n) => core.predictedHalfWidth(n), read: (question, answer) => this.#read(question, answer), onShare: (share) => void this.#setShare(share) });
  }

  /** What one answer comes to. */
  #read(question: Question, answer: Answer): DerivedQuestion {
    return this.#needs.core.derive([answer], [question]).questions[0]!;
  }

  async open(): Promise<void> {
    this.#place.replaceChildren(this.#top, this.#shelves.element);
    addEventListener("hashchange", () => void this.#openHash());
    void this.#shelves.show();
    const pending = takePending(this.#named);
    const model = this.#model(pending?.model ?? null);
    if (pending?.do === "start" && model) return this.#start({ ...pending, chosen: { kind: "catalogue", model } });
    if (pending?.do === "go_on") return this.#goOn(pending.run);
    if (await this.#openHash()) return;
    const interrupted = await this.#interrupted();
    if (interrupted) await this.#run.show(interrupted);
    else this.#show();
  }

  #model(id: string | null): CatalogueModel | null {
    return this.#needs.catalogue.models.find((model) => model.id === id) ?? null;
  }

  /** A run that nobody finished and no other tab is at. */
  async #interrupted(): Promise<RunRecord | null> {
    const newest = this.#needs.history.list()[0];
    if (!newest || newest.finished) return null;
    const release = await takeRunLock();
    release?.();
    return release ? this.#needs.history.read(newest.id) : null;
  }

  /** `#run=<id>` shows a run of this browser. */
  async #openHash(): Promise<boolean> {
    const id = /^#run=([\w-]+)$/.exec(location.hash)?.[1];
    if (id === undefined || isBusy(this.#run.state) || this.#run.record?.id === id) return false;
    const record = await this.#needs.history.read(id);
    if (record) await this.#run.show(record);
    return record !== null;
  }

  #watcher(): Watcher {
    return {
      onState: (state) => this.#onState(state),
      onLoad: (progress) => this.#live.onLoad(progress),
      onRemark: (text) => this.#live.onRemark(text),
      onQuestion: (question, prompt) => this.#run.record && this.#live.onQuestion(question, prompt, this.#run.record),
      onPrefill: (done, total) => this.#live.onPrefill(done, total),
      onText: (text) => this.#live.onText(text),
      onAnswer: () => undefined,
      onRecord: (record, derived, kept) => this.#onRecord(record, derived, kept),
      onShareProblem: (text) => {
        this.#shareProblem = text;
        this.#show();
      },
    };
  }

  #onState(state: State): void {
    this.#shelves.element.hidden = isBusy(state);
    if (isBusy(state)) {
      if (!this.#live.element.isConnected) {
        this.#top.replaceChildren(this.#live.element);
        this.#live.focus();
      }
      this.#live.onState(state);
      return;
    }
    this.#show();
    void this.#shelves.show();
  }

  #onRecord(record: RunRecord, derived: Derived, kept: boolean): void {
    this.#derived = derived;
    if (!kept) this.#live.onRemark("This browser would not keep the run: it is gone when the page is closed.");
    if (isBusy(this.#run.state)) this.#live.onRecord(record, derived);
    else this.#show();
  }

  /** What stands on top when nothing is going on. */
  #show(): void {
    const { state, record } = this.#run;
    const derived = this.#derived;
    if (isBusy(state)) return;
    if (state.phase === "idle") return this.#showSetup();
    const card = canContinue(state) ? [troubleCard(state, this.#waysOn(record))] : [];
    const answered = record && derived && derived.accuracy.n > 0 ? [this.#report(record, derived)] : [];
    this.#top.replaceChildren(...card, ...answered);
    if (record && record.parts.length > 0) history.replaceState(null, "", `#run=${record.id}`);
    if (!canContinue(state)) this.#top.querySelector<HTMLElement>("#quiz-report")?.focus();
  }

  #showSetup(): void {
    const { catalogue, device, room, history: kept, core } = this.#needs;
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    const setup = new Setup({
      catalogue,
      device,
      room,
      settings: kept.settings(),
      past: kept.list(),
      named: this.#named,
      halfWidth: (n) => core.predictedHalfWidth(n),
      preview: (order) => this.#preview(order),
      onShare: (share) => kept.keepSettings({ share }),
      onStart: (order) => void this.#start(order),
    });
    this.#top.replaceChildren(setup.element);
  }

  /** What would be sent. Words stand for what only the run will know. */
  #preview(order: Order): Preview {
    const { catalogue, device, app, core } = this.#needs;
    const engine = order.chosen.kind === "file" ? "wllama" : order.chosen.model.engine;
    const loaded = { used: { name: engine, version: "<known when it is loaded>", backend: engine === "webllm" ? ("webgpu" as const) : ("wasm" as const), threads: null }, fileSha256: order.chosen.kind === "catalogue" ? order.chosen.model.sha256 : "<known when it is loaded>", systemInUser: null, remarks: [] };
    const record = newRecord({ ...order, id: "", now: Date.now(), loaded, catalogue, device, extractor: core.about.extractor, app });
    const set = "set" in order.selection ? order.selection.set : null;
    const quick = "quick" in order.selection ? { seed: 0, ...order.selection.quick } : null;
    const part: Part = { ticket: "<given out when the run begins>", expires_at: 0, set, quick, questions: [], examples: {}, answers: [], shared: null, shareable: true };
    return previewOf(submissionOf(record, part));
  }

  async #start(order: Order): Promise<void> {
    const { chosen, selection, protocol, share } = order;
    if (chosen.kind === "catalogue" && this.#needsAnotherPage(chosen.model)) return openPageFor({ do: "start", model: chosen.model.id, selection, protocol, share });
    this.#order = order;
    this.#shareProblem = null;
    this.#live.begin(share);
    await this.#run.start(order);
  }

  #needsAnotherPage(model: CatalogueModel): boolean {
    if (model.source_url === null || this.#reachesOut) return false;
    return new URL(model.source_url, location.href).origin !== location.origin;
  }

  async #goOn(id: string): Promise<void> {
    const record = this.#run.record?.id === id ? this.#run.record : await this.#needs.history.read(id);
    if (!record) return this.#show();
    const model = this.#model(record.model.catalogue_id);
    const chosen: Chosen | null = model ? { kind: "catalogue", model } : await chooseFile(record.model_name);
    if (!chosen) return;
    if (chosen.kind === "catalogue" && this.#needsAnotherPage(chosen.model)) return openPageFor({ do: "go_on", model: chosen.model.id, run: id });
    if (this.#run.record !== record) await this.#run.show(record);
    this.#live.begin(record.share, canBeShared(record, Date.now()));
    await this.#run.goOn(record, chosen);
  }

  #waysOn(record: RunRecord | null): Parameters<typeof troubleCard>[1] {
    const { answered, all } = record ? questionCount(record) : { answered: 0, all: 0 };
    const next = record && nextQuestion(record);
    const order = record && record.parts.length > 0 ? this.#orderOf(record) : this.#order;
    const { catalogue, device } = this.#needs;
    return {
      answered,
      all,
      onContinue: record && next ? () => void this.#goOn(record.id) : null,
      tooLate: next !== null && isTooLate(next.part, Date.now()),
      onAgain: order && all === 0 ? () => void this.#start(order) : null,
      smaller: order?.chosen.kind === "catalogue" ? nextSmaller(order.chosen.model, catalogue.models, device) : null,
      onSmaller: (model) => order && void this.#start({ ...order, chosen: { kind: "catalogue", model } }),
      onBack: () => void this.#run.leave(),
    };
  }

  /** What would ask the same again; questions that were drawn are drawn anew. Nothing for a file that only its owner has. */
  #orderOf({ model, parts, protocol, share }: RunRecord): Order | null {
    const [known, part] = [this.#model(model.catalogue_id), parts[0]];
    const drawn = part?.quick && { quick: { source: part.quick.source, count: part.quick.count } };
    const selection: Selection | null = part?.set ? { set: part.set } : (drawn ?? null);
    return known && selection && { chosen: { kind: "catalogue", model: known }, selection, protocol, share };
  }

  #report(record: RunRecord, derived: Derived): HTMLElement {
    return report(record, derived, {
      wilson: (correct, n) => this.#needs.core.wilson(correct, n),
      read: (question, answer) => this.#read(question, answer),
      canAskMore: record.finished && this.#run.canAskMore,
      shareProblem: this.#shareProblem,
      onMore: (count) => {
        this.#live.begin(record.share);
        void this.#run.more(count);
      },
      onShare: () => {
        this.#shareProblem = null;
        void this.#run.share();
      },
      onWithdraw: (part: Part) => void this.#run.withdraw(part),
      onBack: () => void this.#run.leave(),
      onRemove: () => void this.#shelves.removeRun(record.id),
    });
  }

  async #setShare(share: boolean): Promise<void> {
    this.#needs.history.keepSettings({ share });
    if (this.#order) this.#order = { ...this.#order, share };
    await this.#run.setShare(share);
  }

  /** A run was deleted below, perhaps the one that is shown. */
  async #onRemoved(): Promise<void> {
    const { record, state } = this.#run;
    if (!record || isBusy(state)) return;
    if (!this.#needs.history.list().some(({ id }) => id === record.id)) await this.#run.leave();
  }
}

/** The same file again: a page may not keep one. */
function chooseFile(name: string): Promise<Chosen | null> {
  return new Promise((resolve) => {
    const input = h("input", { type: "file", accept: ".gguf" });
    input.addEventListener("change", () => resolve(input.files?.[0] ? { kind: "file", file: input.files[0], name } : null));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}
