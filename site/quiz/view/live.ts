// A run while it goes on: the question, every word as it comes, and the interval as it narrows.

import type { Accuracy, Answer, Derived, DerivedQuestion, Prompt, Question } from "../contract.ts";
import type { LoadProgress } from "../engine/engine.ts";
import { meanDecodeRate, Pace } from "../run/pace.ts";
import { canBeShared, distinctCount, givenAnswers, questionCount, type GivenAnswer, type RunRecord } from "../run/record.ts";
import type { Run } from "../run/run.ts";
import { isBusy, type State } from "../run/state.ts";
import { answeredQuestion, askedBeforeWords, choices, shown, verdictWord } from "./answer.ts";
import { button, facts, fold, h } from "./dom.ts";
import { intervalBar, narrowing, sayAccuracy } from "./interval.ts";
import { LoadView } from "./load-progress.ts";
import { count, duration, percent, range, rate } from "./numbers.ts";
import { GROUPS, PHASES } from "./words.ts";

export interface LiveNeeds {
  run(): Run;
  wilson(correct: number, n: number): Accuracy;
  halfWidth(n: number): number | null;
  read(question: Question, answer: Answer): DerivedQuestion;
  onShare(share: boolean): void;
}

/** Screen readers hear of downloads at these shares only. */
const HEARD_EVERY = 0.25;

export class LiveView {
  readonly element: HTMLElement;
  readonly #needs: LiveNeeds;
  readonly #title = h("h2", { id: "quiz-live", tabindex: -1 });
  readonly #status = h("p", { class: "unseen", role: "status" });
  readonly #buttons = h("div", { class: "quiz-buttons" });
  readonly #remarks = h("ul", { class: "quiz-remarks" });
  readonly #now = h("div", { class: "quiz-now" });
  readonly #side = h("div", { class: "quiz-side" });
  readonly #answered = h("div", { class: "quiz-list" });
  readonly #switch = h("p", { class: "quiz-switch" });
  readonly #share = h("input", { type: "checkbox", role: "switch", id: "quiz-share-live", change: () => this.#needs.onShare(this.#share.checked) });
  #load = new LoadView();
  #heardAt = 0;
  #heardNote: string | null = null;
  #raw: HTMLElement | null = null;
  #speed: HTMLElement | null = null;
  #pace = new Pace();
  #pieces = 0;
  #shownAnswers = 0;

  constructor(needs: LiveNeeds) {
    this.#needs = needs;
    this.#switch.append(this.#share, h("label", { for: "quiz-share-live" }, "Share this run when it ends"));
    this.element = h(
      "section",
      { class: "quiz-live", "aria-labelledby": "quiz-live" },
      h("div", { class: "heading" }, this.#title, this.#buttons),
      this.#status,
      this.#remarks,
      h("div", { class: "quiz-columns" }, this.#now, this.#side),
      this.#switch,
      this.#answered,
    );
  }

  /** Empties it for a run that begins or goes on. */
  begin(share: boolean, mayBeShared = true): void {
    this.#load = new LoadView();
    this.#heardAt = 0;
    this.#shownAnswers = 0;
    this.#share.checked = share;
    this.#switch.hidden = !mayBeShared;
    this.#remarks.replaceChildren();
    this.#answered.replaceChildren();
    this.#side.replaceChildren();
    this.#now.replaceChildren(this.#load.element);
  }

  onState(state: State): void {
    const run = this.#needs.run();
    this.#title.textContent = run.isPausing ? "Pausing after this answer" : PHASES[state.phase];
    this.#status.textContent = this.#title.textContent;
    const cancel = button("Cancel", () => run.cancel(), "plain");
    if (state.phase === "running") this.#setButtons(run.isPausing ? button("Do not pause", () => run.resume(), "plain") : button("Pause", () => run.pause(), "plain"), cancel);
    else if (state.phase === "paused") this.#setButtons(button("Continue", () => run.resume()), cancel);
    else if (isBusy(state)) this.#setButtons(cancel);
    else this.#setButtons();
    if (state.phase === "checking") this.#load.show({ phase: "preparing", share: null, note: "Loading the engine." });
    if (state.phase === "checking" || state.phase === "downloading" || state.phase === "preparing") this.#now.replaceChildren(this.#load.element);
  }

  /** What had the focus keeps it, where it is still there. */
  #setButtons(...buttons: HTMLButtonElement[]): void {
    const had = this.#buttons.contains(document.activeElement) ? document.activeElement?.textContent : null;
    this.#buttons.replaceChildren(...buttons);
    if (had !== null) (buttons.find((one) => one.textContent === had) ?? buttons[0])?.focus();
  }

  onLoad(progress: LoadProgress): void {
    this.#load.show(progress);
    if (progress.phase !== "downloading") return;
    this.#sayNote(progress.note);
    if (!progress.total) return;
    const share = progress.received / progress.total;
    if (share < this.#heardAt + HEARD_EVERY) return;
    this.#heardAt = share;
    this.#status.textContent = `${percent(share)} downloaded`;
  }

  /** That a connection broke and is tried again is heard once, however often progress is shown. */
  #sayNote(note: string | null): void {
    if (note !== null && note !== this.#heardNote) this.#status.textContent = note;
    this.#heardNote = note;
  }

  onRemark(text: string): void {
    this.#remarks.append(h("li", {}, text));
  }

  onQuestion(question: Question, prompt: Prompt, record: RunRecord): void {
    const { answered, all } = questionCount(record);
    this.#raw = h("pre", { class: "quiz-raw streaming", tabindex: 0, role: "region", "aria-label": "What the model writes" });
    this.#speed = h("p", { class: "fine quiz-speed" }, "Reading the prompt.");
    [this.#pace, this.#pieces] = [new Pace(), 0];
    this.#title.textContent = `Question ${answered + 1} of ${all}`;
    this.#now.replaceChildren(
      h("p", { class: "quiz-origin" }, `${GROUPS[question.group] ?? question.group} · ${question.difficulty}`),
      h("p", { class: "quiz-question" }, question.question),
      choices(question, null),
      this.#raw,
      this.#speed,
      fold("The whole prompt", {}, ...prompt.messages.flatMap(({ role, content }) => [h("h4", {}, role), h("pre", { class: "quiz-json", tabindex: 0, role: "region", "aria-label": `The ${role} message` }, content)])),
    );
  }

  onPrefill(done: number, total: number): void {
    if (this.#speed && this.#pieces === 0) this.#speed.textContent = done < total ? `Reading the prompt: ${done} of ${total} tokens.` : "Read the prompt. Writing.";
  }

  onText(text: string): void {
    const raw = this.#raw;
    if (!raw) return;
    const atEnd = raw.scrollHeight - raw.scrollTop - raw.clientHeight < 40;
    raw.append(shown(text));
    if (atEnd) raw.scrollTop = raw.scrollHeight;
    this.#pieces += 1;
    this.#pace.add(this.#pieces, performance.now());
    if (this.#speed) this.#speed.textContent = `${count(this.#pieces, "token")}${this.#pace.perSecond === null ? "" : `, ${rate(this.#pace.perSecond)}`}`;
  }

  /** What was answered so far, newest first and opened. */
  onRecord(record: RunRecord, derived: Derived): void {
    const all = givenAnswers(record);
    this.#side.replaceChildren(...this.#sideOf(record, derived, all));
    this.#switch.hidden = !canBeShared(record, Date.now());
    for (const [at, given] of all.entries()) {
      if (at < this.#shownAnswers) continue;
      const one = this.#needs.read(given.question, given.answer);
      for (const opened of this.#answered.querySelectorAll("details[open].quiz-answered")) opened.removeAttribute("open");
      this.#answered.prepend(answeredQuestion({ ...given, derived: one, model: record.model }, at + 1, at === all.length - 1));
      this.#status.textContent = `Question ${at + 1}: ${verdictWord(one)}${askedBeforeWords(given)}. ${sayAccuracy(derived.accuracy)}`;
    }
    this.#shownAnswers = all.length;
  }

  #sideOf(record: RunRecord, derived: Derived, given: readonly GivenAnswer[]): HTMLElement[] {
    const { answered, all } = questionCount(record);
    const distinct = distinctCount(record);
    const answers = given.map(({ answer }) => answer);
    const { share, interval } = derived.accuracy;
    const seconds = answers.reduce((sum, { total_ms }) => sum + total_ms, 0) / 1000;
    const left = answers.length > 0 ? (seconds / answers.length) * Math.max(0, all - answered) : null;
    return [
      h("p", { class: "quiz-number" }, h("strong", {}, share === null ? "–" : percent(share)), h("span", {}, interval ? `95 % interval ${range(interval.low, interval.high)}` : "no answers yet")),
      intervalBar(derived.accuracy),
      narrowing(this.#steps(derived), distinct, this.#needs.halfWidth(distinct)),
      facts([
        ["Right", `${derived.accuracy.correct} of ${derived.accuracy.n}`],
        ["Writing", rate(meanDecodeRate(answers))],
        ["Time left", left === null ? "–" : left === 0 ? "done" : `about ${duration(left)}`],
      ]),
    ];
  }

  #steps(derived: Derived): Accuracy[] {
    let correct = 0;
    return derived.questions.map((one, at) => this.#needs.wilson((correct += one.correct ? 1 : 0), at + 1));
  }

  focus(): void {
    this.#title.focus();
  }
}
