// Conducts a run: check, load, test the device, ask one question after another, keep each answer at once, share at the end.

import type { Answer, Catalogue, Derived, Prompt, Protocol, Question, Selection, Shared, Submission, Ticket } from "../contract.ts";
import type { Core } from "../core.ts";
import type { DeviceFacts, Room } from "../engine/device.ts";
import type { Chosen, Engine, Loaded, LoadProgress } from "../engine/engine.ts";
import { EngineFailure, failureFrom, worthAnotherTry } from "../engine/failure.ts";
import { Refused } from "../server.ts";
import { ask } from "./asking.ts";
import type { History } from "./history.ts";
import { newRecord, sourceOf } from "./new-record.ts";
import { distinctAnswers, isPartDone, isTooLate, MOST_PARTS, MOST_REMARKS, nextQuestion, partFrom, runSeed, submissionOf, type Part, type RunRecord } from "./record.ts";
import { Seat } from "./seat.ts";
import { judge } from "./self-test.ts";
import type { Spare } from "./spare.ts";
import { follow, isBusy, mayFollow, type State } from "./state.ts";

export interface Order {
  chosen: Chosen;
  selection: Selection;
  protocol: Protocol;
  share: boolean;
}

/** Everything outside that a run needs, so that tests can bring their own. */
export interface Surroundings {
  core: Pick<Core, "about" | "prompt" | "extract" | "derive">;
  history: Pick<History, "read" | "write">;
  spare: Pick<Spare, "keep" | "find">;
  catalogue: Catalogue;
  device: DeviceFacts;
  app: string;
  engine(name: Engine["name"]): Promise<Engine>;
  getTicket(selection: Selection, model: string, protocol: Protocol): Promise<Ticket>;
  shareRun(submission: Submission): Promise<Shared>;
  deleteShared(id: string, token: string): Promise<void>;
  readRoom(): Promise<Room | null>;
  takeRunLock(): Promise<(() => void) | null>;
  keepAwake(): () => void;
  watchHidden(): { wasHidden(): boolean; end(): void };
  now(): number;
  newId(): string;
}

export interface Watcher {
  onState(state: State): void;
  onLoad(progress: LoadProgress): void;
  onRemark(text: string): void;
  onQuestion(question: Question, prompt: Prompt): void;
  onPrefill(done: number, total: number): void;
  onText(text: string): void;
  onAnswer(question: Question, answer: Answer): void;
  /** The record has changed and was kept, or could not be. */
  onRecord(record: RunRecord, derived: Derived, kept: boolean): void;
  onShareProblem(text: string): void;
}

/** How often an engine that broke is loaded again for one question. */
const MOST_RELOADS = 2;
const AND_MORE = "… and more of the kind.";
const WITHOUT_TICKET = "This site could not be reached, so the questions it gave out last are asked again. The run stays in this browser: without a ticket of its own it cannot be shared.";

export class Run {
  readonly #around: Surroundings;
  readonly #watcher: Watcher;
  readonly #seat: Seat;
  #state: State = { phase: "idle" };
  #record: RunRecord | null = null;
  /** What the visitor wants before there is a record that could say it. */
  #wantsShared = false;
  #ending = new AbortController();
  #pausing: { resume: () => void; until: Promise<void> } | null = null;
  #hidden: ReturnType<Surroundings["watchHidden"]> | null = null;
  /** Records of which the browser did not keep the newest: it is here alone. */
  readonly #unkept = new WeakSet<RunRecord>();

  constructor(around: Surroundings, watcher: Watcher) {
    this.#around = around;
    this.#watcher = watcher;
    this.#seat = new Seat((name) => around.engine(name), around.device, (progress) => {
      this.#become({ phase: progress.phase });
      watcher.onLoad(progress);
    });
  }

  get state(): State {
    return this.#state;
  }

  get record(): RunRecord | null {
    return this.#record;
  }

  /** A pause was asked for, and the answer before it is not at its end. */
  get isPausing(): boolean {
    return this.#pausing !== null && this.#state.phase === "running";
  }

  /** Whether more questions can be asked at once: the model is still there, and the record has room. */
  get canAskMore(): boolean {
    return this.#seat.chosen !== null && (this.#record?.parts.length ?? 0) < MOST_PARTS;
  }

  start(order: Order): Promise<void> {
    this.#record = null;
    this.#wantsShared = order.share;
    return this.#conduct(order.chosen, async (loaded) => {
      const { catalogue, device, app, core } = this.#around;
      const record = newRecord({ ...order, share: this.#wantsShared, id: this.#around.newId(), now: this.#around.now(), loaded, catalogue, device, extractor: core.about.extractor, app });
      this.#record = record;
      await this.#testDevice(record);
      await this.#addPart(record, order.selection);
    });
  }

  /** Goes on with a run that was interrupted, cancelled or failed. Answers that are there stay. */
  goOn(record: RunRecord, chosen: Chosen): Promise<void> {
    this.#record = record;
    const begin = async (loaded: Loaded) => {
      const wanted = record.model.file_sha256;
      if (wanted !== null && wanted !== loaded.fileSha256) throw new EngineFailure("wrong_file", "this is not the file the run was begun with");
      record.engine = loaded.used;
      await this.#testDevice(record);
      await this.#keep(record);
    };
    // Another tab may have brought it to its end.
    return this.#conduct(chosen, begin, () => !record.finished || nextQuestion(record) !== null);
  }

  /** More questions for the same run, on a ticket of their own. */
  more(count: number): Promise<void> {
    const [record, chosen] = [this.#record, this.#seat.chosen];
    if (!record || !chosen) return Promise.resolve();
    return this.#conduct(chosen, () => this.#addPart(record, { quick: { source: sourceOf(record), count } }), () => this.canAskMore);
  }

  /** After the answer that is being written. */
  pause(): void {
    if (this.#pausing) return;
    let resume: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (resume = resolve));
    this.#pausing = { resume, until };
    this.#watcher.onState(this.#state);
  }

  resume(): void {
    this.#pausing?.resume();
    this.#pausing = null;
    this.#watcher.onState(this.#state);
  }

  /** Ends what is going on. What was answered stays. */
  cancel(): void {
    this.#ending.abort();
    this.resume();
  }

  /** Frees all memory, to begin something else. */
  async leave(): Promise<void> {
    await this.#seat.leave();
    this.#record = null;
    this.#become({ phase: "idle" });
  }

  /** Shows a run of the past. */
  async show(record: RunRecord): Promise<void> {
    await this.#seat.leave();
    this.#record = record;
    this.#forgetTickets(record);
    this.#state = { phase: record.finished ? phaseAtEnd(record) : "interrupted" };
    this.#watcher.onState(this.#state);
    this.#watcher.onRecord(record, this.#derive(record), true);
  }

  async share(): Promise<void> {
    const record = this.#record;
    if (!record?.finished) return;
    await this.#catchUp(record);
    await this.#keep(record);
    try {
      for (const part of record.parts.filter((one) => isPartDone(one) && one.shareable && !one.shared)) {
        const shared = await this.#around.shareRun(submissionOf(record, part));
        await this.#catchUp(record);
        const now = record.parts.find(({ ticket }) => ticket === part.ticket) ?? part;
        now.shared = shared;
        await this.#keep(record);
      }
      this.#settle(record);
    } catch (thrown) {
      this.#watcher.onShareProblem(thrown instanceof Refused ? `The site did not take it: ${thrown.message}` : "It could not be sent. The run is kept here; try again later.");
    }
  }

  async withdraw({ shared }: Part): Promise<void> {
    const record = this.#record;
    if (!record || !shared) return;
    try {
      await this.#around.deleteShared(shared.id, shared.delete_token);
    } catch (thrown) {
      // Gone already is as good.
      const isGone = thrown instanceof Refused && (thrown.status === 404 || thrown.status === 410);
      if (!isGone) return this.#watcher.onShareProblem(thrown instanceof Refused ? `The site did not delete it: ${thrown.message}` : "The site could not be reached. Try again later.");
    }
    await this.#catchUp(record);
    const part = record.parts.find((one) => one.shared?.id === shared.id);
    if (part) [part.shared, part.shareable] = [null, false];
    await this.#keep(record);
    this.#settle(record);
  }

  /** The same as `#refresh`, unless it is this tab that goes on with the record. */
  async #catchUp(record: RunRecord): Promise<void> {
    if (!isBusy(this.#state)) await this.#refresh(record);
  }

  /** Takes over what another tab has done with the record since: answers, questions, receipts. What could not be kept is known here alone. */
  async #refresh(record: RunRecord): Promise<void> {
    const kept = this.#unkept.has(record) ? null : await this.#around.history.read(record.id);
    if (kept) Object.assign(record, kept);
    this.#forgetTickets(record);
  }

  /** Says whether it is shared, unless the page has to say first why something else did not work. */
  #settle(record: RunRecord): void {
    const phase = phaseAtEnd(record);
    if (mayFollow(this.#state.phase, phase)) this.#become({ phase });
  }

  /** Tickets end, and the site takes nothing on them from then on. */
  #forgetTickets(record: RunRecord): void {
    const now = this.#around.now();
    for (const part of record.parts) if (isTooLate(part, now)) part.shareable = false;
  }

  async setShare(share: boolean): Promise<void> {
    this.#wantsShared = share;
    if (!this.#record) return;
    this.#record.share = share;
    await this.#keep(this.#record);
  }

  /** The whole of a run, from the lock to the last answer. `isWanted` is asked when nobody else can go on with it any more. */
  async #conduct(chosen: Chosen, begin: (loaded: Loaded) => Promise<void>, isWanted: () => boolean = () => true): Promise<void> {
    this.#become({ phase: "checking" });
    const release = await this.#around.takeRunLock();
    if (!release) return this.#become({ phase: "failed", trouble: "other_tab", message: "another tab has the lock" });
    this.#ending = new AbortController();
    this.#pausing = null;
    this.#hidden = this.#around.watchHidden();
    const sleepAgain = this.#around.keepAwake();
    try {
      if (this.#record) await this.#refresh(this.#record);
      if (this.#record && !isWanted()) return await this.show(this.#record);
      await this.#warnAboutRoom(chosen);
      const loaded = await this.#seat.load(chosen, this.#ending.signal);
      this.#become({ phase: "preparing" });
      loaded.remarks.forEach((remark) => this.#watcher.onRemark(remark));
      await begin(loaded);
      await this.#askAll();
    } catch (thrown) {
      await this.#giveUp(thrown);
    } finally {
      release();
      sleepAgain();
      this.#hidden.end();
    }
    if (this.#state.phase === "finished" && this.#record?.share) await this.share();
  }

  async #giveUp(thrown: unknown): Promise<void> {
    await this.#seat.leave();
    if (this.#record) await this.#keep(this.#record);
    const failure = failureFrom(thrown);
    if (this.#ending.signal.aborted || failure.reason === "aborted") return this.#become({ phase: "cancelled" });
    const trouble = thrown instanceof Refused ? "no_questions" : failure.reason;
    this.#become({ phase: "failed", trouble, message: failure.message });
  }

  async #warnAboutRoom(chosen: Chosen): Promise<void> {
    if (chosen.kind !== "catalogue") return;
    // Where nobody knows what there is to store: most of the memory a model needs are its weights.
    const bytes = chosen.model.bytes ?? chosen.model.estimated_bytes ?? chosen.model.memory_mb * 1e6;
    const room = await this.#around.readRoom();
    if (!room || room.quota - room.used > bytes) return;
    this.#watcher.onRemark("The browser has too little room to store this model. It may still run from memory, and is then gone with this page.");
  }

  async #testDevice(record: RunRecord): Promise<void> {
    const { output, loaded, remark } = await this.#seat.test(this.#ending.signal);
    record.engine = loaded.used;
    if (remark) this.#remark(record, remark);
    const passed = judge(output, record.model.catalogue_id !== null) === "passed";
    // Once garbage, some answers may be garbage, whatever the device does later.
    record.self_test = passed && record.self_test !== "failed" ? "passed" : "failed";
    if (passed) return;
    this.#remark(record, `This device computes garbage: asked to repeat five words, the model wrote “${output.slice(0, 80)}”. The run will be marked; it says nothing about the model.`);
  }

  async #addPart(record: RunRecord, selection: Selection): Promise<void> {
    const part = await this.#newPart(record, selection);
    this.#ending.signal.throwIfAborted();
    record.parts.push(part);
    record.finished = false;
    await this.#keep(record);
  }

  /** On a ticket. Where the site cannot be reached a run may begin without, with questions that are here; more of them there are not. */
  async #newPart(record: RunRecord, selection: Selection): Promise<Part> {
    const { getTicket, now, spare } = this.#around;
    try {
      const part = partFrom(await getTicket(selection, record.model.catalogue_id ?? record.model.custom_name ?? "", record.protocol), now());
      spare.keep(part);
      return part;
    } catch (thrown) {
      const again = thrown instanceof Refused || record.parts.length > 0 ? null : spare.find(selection);
      if (!again) throw thrown;
      this.#remark(record, WITHOUT_TICKET);
      return again;
    }
  }

  async #askAll(): Promise<void> {
    const record = this.#record;
    if (!record) return;
    for (let next = nextQuestion(record); next; next = nextQuestion(record)) {
      await this.#waitWhilePaused();
      this.#become({ phase: "running" });
      const { part, question } = next;
      const answer = await this.#askUntilAnswered(record, part, question);
      part.answers.push(answer);
      if (isPartDone(part)) part.examples = {};
      this.#watcher.onAnswer(question, answer);
      await this.#keep(record);
    }
    record.finished = true;
    this.#forgetTickets(record);
    await this.#keep(record);
    this.#become({ phase: "finished" });
  }

  async #waitWhilePaused(): Promise<void> {
    if (this.#pausing) {
      this.#become({ phase: "paused" });
      await this.#pausing.until;
    }
    this.#ending.signal.throwIfAborted();
  }

  /** An engine that breaks is no wrong answer: it is loaded again, and the question asked again. */
  async #askUntilAnswered(record: RunRecord, part: Part, question: Question): Promise<Answer> {
    for (let reloads = 0; ; reloads += 1) {
      try {
        return await this.#askOnce(record, part, question);
      } catch (thrown) {
        const failure = failureFrom(thrown);
        if (this.#ending.signal.aborted || !worthAnotherTry(failure.reason) || reloads === MOST_RELOADS) throw failure;
        this.#remark(record, `The engine broke (${failure.message.slice(0, 120)}). It was loaded again, and the question asked again.`);
        await this.#seat.reload(this.#ending.signal);
        await this.#testDevice(record);
        this.#become({ phase: "running" });
      }
    }
  }

  async #askOnce(record: RunRecord, part: Part, question: Question): Promise<Answer> {
    const { core } = this.#around;
    const prompt = core.prompt(record.protocol, record.template, part.examples[question.subject] ?? [], question, runSeed(part));
    this.#watcher.onQuestion(question, prompt);
    this.#hidden?.wasHidden();
    const { output, usage, firstTokenMs, totalMs } = await ask(this.#seat.engine, prompt, this.#watcher, this.#ending.signal);
    const { letter, tier } = core.extract(output, question.choices);
    return {
      question_id: question.id,
      prompt_sha256: prompt.sha256,
      output,
      finish: usage.finish,
      prompt_tokens: usage.promptTokens,
      cached_tokens: usage.cachedTokens,
      output_tokens: usage.outputTokens,
      first_token_ms: firstTokenMs === null ? null : tenths(firstTokenMs),
      total_ms: tenths(totalMs),
      hidden: this.#hidden?.wasHidden() ?? false,
      client: { letter, tier },
    };
  }

  #remark(record: RunRecord, text: string): void {
    const { remarks } = record;
    if (remarks.length < MOST_REMARKS) remarks.push(remarks.length === MOST_REMARKS - 1 ? AND_MORE : text);
    this.#watcher.onRemark(text);
  }

  async #keep(record: RunRecord): Promise<void> {
    await this.#takeReceipts(record);
    const derived = this.#derive(record);
    // A run without questions is nothing to keep.
    const kept = record.parts.length === 0 || (await this.#around.history.write(record, derived.accuracy.correct));
    if (kept) this.#unkept.delete(record);
    else this.#unkept.add(record);
    this.#watcher.onRecord(record, derived, kept);
  }

  /** Another tab may share a part while this one asks more. Without the token in its receipt nobody could delete it from the board. */
  async #takeReceipts(record: RunRecord): Promise<void> {
    const open = record.parts.filter((part) => isPartDone(part) && part.shareable && !part.shared);
    const kept = open.length > 0 ? await this.#around.history.read(record.id) : null;
    for (const part of open) part.shared ??= kept?.parts.find(({ ticket }) => ticket === part.ticket)?.shared ?? null;
  }

  #derive(record: RunRecord): Derived {
    const { answers, questions } = distinctAnswers(record);
    return this.#around.core.derive(answers, questions);
  }

  #become(state: State): void {
    if (state.phase === this.#state.phase && state.phase !== "failed") return;
    this.#state = follow(this.#state, state);
    this.#watcher.onState(this.#state);
  }
}

const tenths = (milliseconds: number) => Math.round(milliseconds * 10) / 10;

const phaseAtEnd = (record: RunRecord) => (record.parts.some((part) => part.shared) ? "shared" : "finished");
