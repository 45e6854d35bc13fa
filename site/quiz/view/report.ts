// The report of a run.

import type { Accuracy, Answer, Derived, DerivedQuestion, Question } from "../contract.ts";
import { sourceOf } from "../run/new-record.ts";
import { meanDecodeRate, ratesOf } from "../run/pace.ts";
import { givenAnswers, isPartDone, isTooLate, submissionOf, type Part, type RunRecord } from "../run/record.ts";
import { answeredQuestion } from "./answer.ts";
import { letterChart, tierChart } from "./bars.ts";
import { button, download, facts, fold, h } from "./dom.ts";
import { intervalBar, narrowing } from "./interval.ts";
import { count, day, duration, percent, range, rate } from "./numbers.ts";
import { exportedForOthers } from "../run/record-check.ts";
import { SOURCES } from "./words.ts";
import { whatIsShared } from "./sharing.ts";

export interface ReportNeeds {
  wilson(correct: number, n: number): Accuracy;
  read(question: Question, answer: Answer): DerivedQuestion;
  canAskMore: boolean;
  shareProblem: string | null;
  onMore(count: number): void;
  onShare(): void;
  onWithdraw(part: Part): void;
  onBack(): void;
  onRemove(): void;
}

export const MORE = 10;

export function report(record: RunRecord, derived: Derived, needs: ReportNeeds): HTMLElement {
  const { accuracy } = derived;
  const { share, interval } = accuracy;
  return h(
    "section",
    { class: "quiz-report", "aria-labelledby": "quiz-report" },
    h("div", { class: "heading" }, h("h2", { id: "quiz-report", tabindex: -1 }, record.model_name, " ", h("span", { class: "badge" }, record.model.quantisation)), h("p", { class: "quiet" }, day(record.started_at))),
    h(
      "div",
      { class: "quiz-hero" },
      h("p", { class: "quiz-number large" }, h("strong", {}, share === null ? "–" : percent(share)), h("span", {}, `${accuracy.correct} of ${count(accuracy.n, "question")} right`)),
      h("div", {}, intervalBar(accuracy), h("p", {}, interval ? `95 % interval: ${range(interval.low, interval.high)}. ${meaning(accuracy)}` : "Nothing was answered.")),
    ),
    record.remarks.length > 0 && h("ul", { class: "quiz-remarks" }, ...record.remarks.map((remark) => h("li", {}, remark))),
    h(
      "div",
      { class: "quiz-buttons" },
      needs.canAskMore && button(`${MORE} more questions`, () => needs.onMore(MORE)),
      button("Download as JSON", () => download(`quiz-${record.id}.json`, exportedForOthers(record)), "plain"),
      button("Begin another", needs.onBack, "plain"),
      button("Delete from this browser", needs.onRemove, "danger"),
    ),
    sharing(record, needs),
    h(
      "div",
      { class: "quiz-charts" },
      h("section", { "aria-labelledby": "quiz-tiers" }, h("h3", { id: "quiz-tiers" }, "How the answers were found"), tierChart(derived), h("p", { class: "fine" }, `Strict accuracy, tier 1 only: ${derived.strict.share === null ? "–" : percent(derived.strict.share)} (${derived.strict.correct} of ${derived.strict.n}).`)),
      h("section", { "aria-labelledby": "quiz-letters" }, h("h3", { id: "quiz-letters" }, "Letters chosen against letters that are right"), letterChart(derived)),
      h("section", { "aria-labelledby": "quiz-narrow" }, h("h3", { id: "quiz-narrow" }, "How the interval narrowed"), narrowing(steps(derived, needs.wilson), accuracy.n, null)),
      h("section", { "aria-labelledby": "quiz-about" }, h("h3", { id: "quiz-about" }, "The run"), about(record)),
    ),
    h("section", { "aria-labelledby": "quiz-all" }, h("h3", { id: "quiz-all" }, "Every question, every word"), questions(record, needs)),
  );
}

/** What the interval says about chance, in words. */
export function meaning({ interval }: Accuracy): string {
  if (!interval) return "";
  if (interval.low > 0.25) return "Better than guessing, as far as this run can tell.";
  if (interval.high < 0.25) return "Worse than guessing, as far as this run can tell.";
  return "Guessing (25 %) lies inside it: this run cannot tell the model from chance.";
}

function steps(derived: Derived, wilson: (correct: number, n: number) => Accuracy): Accuracy[] {
  let correct = 0;
  return derived.questions.map((one, at) => wilson((correct += one.correct ? 1 : 0), at + 1));
}

function about(record: RunRecord): HTMLElement {
  const answers = givenAnswers(record).map(({ answer }) => answer);
  const seconds = answers.reduce((sum, { total_ms }) => sum + total_ms, 0) / 1000;
  const firsts = answers.map(({ first_token_ms }) => first_token_ms).filter((one) => one !== null);
  const prefills = answers.map((answer) => ratesOf(answer).prefill).filter((one) => one !== null);
  const { engine, model, device } = record;
  const sets = record.parts.map(({ set, quick }) => set ?? (quick ? `${quick.count} drawn by seed ${quick.seed}` : "")).join(", then ");
  return facts([
    ["Questions", `${SOURCES[sourceOf(record)] ?? ""}: ${sets}`],
    ["Protocol", h("code", {}, record.protocol)],
    ["Engine", `${engine.name} ${engine.version} on ${engine.backend === "webgpu" ? "WebGPU" : `the processor${engine.threads ? `, ${count(engine.threads, "thread")}` : ""}`}`],
    ["Device", [device.browser && `${device.browser.family} ${device.browser.major}`, device.os, device.cores_bucket && `${device.cores_bucket} cores`, device.gpu_vendor].filter(Boolean).join(", ")],
    ["Writing", rate(meanDecodeRate(answers))],
    ["Reading", rate(median(prefills))],
    ["First word after", firsts.length > 0 ? `${duration(median(firsts)! / 1000)} (median)` : "–"],
    ["Time in all", duration(seconds)],
    ["Self-test", { passed: "passed", failed: "failed: this device computes garbage", not_run: "not run" }[record.self_test] ?? record.self_test],
    model.file_sha256 ? ["SHA-256 of the weights", h("code", { class: "quiz-hash" }, model.file_sha256)] : null,
  ]);
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function questions(record: RunRecord, { read }: ReportNeeds): HTMLElement {
  const rows = givenAnswers(record).map((given, at) => answeredQuestion({ ...given, derived: read(given.question, given.answer), model: record.model }, at + 1, false));
  return h("div", { class: "quiz-list" }, ...rows);
}

const STATES: Readonly<Record<string, string>> = {
  confirmed: "counts on the board",
  unconfirmed: "visible, and unranked until others agree",
  flagged: "visible, and unranked for the reason below",
};

function sharing(record: RunRecord, needs: ReportNeeds): HTMLElement {
  const open = record.parts.filter((part) => isPartDone(part) && part.shareable && !part.shared);
  const rows = record.parts.map((part) => sharedPart(part, needs)).filter((row) => row !== null);
  const first = open[0];
  return h(
    "div",
    { class: "quiz-sharing" },
    ...rows,
    needs.shareProblem && h("p", { class: "error", role: "alert" }, needs.shareProblem),
    first && h("p", {}, button(rows.length > 0 ? "Share the rest" : "Share this run", needs.onShare, rows.length > 0 ? "plain" : ""), " It stays in this browser only, until you share it."),
    record.parts.some((part) => isPartDone(part) && isTooLate(part, Date.now())) && h("p", { class: "fine" }, "The site takes answers for a day after it gave out the questions: what is not shared by now can no longer be."),
    first && fold("What exactly is shared", {}, whatIsShared(record.device, () => submissionOf(record, first))),
  );
}

function sharedPart(part: Part, needs: ReportNeeds): HTMLElement | null {
  const { shared } = part;
  if (!shared) return null;
  return h(
    "div",
    { class: `quiz-part ${shared.state}` },
    h("p", {}, h("b", {}, "Shared: "), `${STATES[shared.state] ?? shared.state}. `, h("a", { href: localAddress(shared.address) }, "See it on the board")),
    shared.reasons.length > 0 && h("ul", {}, ...shared.reasons.map(({ text }) => h("li", {}, text))),
    h("p", { class: "quiz-buttons" }, button("Delete it from the board", () => needs.onWithdraw(part), "danger")),
    fold("The token that deletes it", {}, h("p", { class: "fine" }, "It is kept in this browser. Whoever has it can delete the shared run, and nothing else."), h("code", { class: "quiz-hash" }, shared.delete_token)),
  );
}

/** Only ever an address of this site, whatever a record from a file says. */
export function localAddress(address: string): string {
  try {
    const url = new URL(address, location.origin);
    return url.origin === location.origin ? url.pathname + url.search : "/quiz/board";
  } catch {
    return "/quiz/board";
  }
}
