// One question with what the model wrote: every character of it, and the place that decided.

import { LETTERS, type Answer, type DerivedQuestion, type ModelUnderTest, type Question } from "../contract.ts";
import { ratesOf } from "../run/pace.ts";
import type { GivenAnswer } from "../run/record.ts";
import { repeatsItself } from "../run/repeats.ts";
import { button, facts, h } from "./dom.ts";
import { duration, rate } from "./numbers.ts";
import { ANSWER_STATES, FLAGS, GROUPS, ruleWords, TIERS } from "./words.ts";

/** The raw output, with the decisive span marked. Control characters are shown as their pictures, so that none can play tricks. */
export function rawOutput(output: string, span: readonly [number, number] | null): HTMLElement {
  const box = h("pre", { class: "quiz-raw", tabindex: 0, role: "region", "aria-label": "What the model wrote" });
  if (output === "") box.append(h("span", { class: "quiet" }, "(nothing)"));
  else if (span) box.append(shown(output.slice(0, span[0])), h("mark", {}, shown(output.slice(...span))), shown(output.slice(span[1])));
  else box.append(shown(output));
  return box;
}

export function shown(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, (control) => String.fromCodePoint(0x2400 + control.charCodeAt(0))).replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\uFFFD");
}

/** The four choices. What was right and what was chosen is only said once there is an answer. */
export function choices(question: Question, derived: DerivedQuestion | null): HTMLElement {
  const rows = LETTERS.map((letter, at) => {
    const isRight = derived !== null && letter === question.answer;
    const isChosen = derived !== null && letter === derived.extraction.letter;
    const said = [isRight ? "right" : null, isChosen ? "the model’s" : null].filter(Boolean).join(", ");
    const kind = `${isRight ? "right" : ""} ${isChosen ? "chosen" : ""}`.trim();
    return h("li", { class: kind }, h("b", {}, letter), h("span", {}, question.choices[at] ?? ""), said && h("em", {}, said));
  });
  return h("ol", { class: "quiz-choices" }, ...rows);
}

export function verdictWord(derived: DerivedQuestion): string {
  if (derived.correct) return "right";
  return derived.extraction.letter === null ? "no answer" : "wrong";
}

/** How the letter was found. */
export function decision(derived: DerivedQuestion, answer: Answer): HTMLElement {
  const { extraction, gold, state } = derived;
  const { letter, tier, rule, flags } = extraction;
  const found = letter === null ? `No letter: ${ANSWER_STATES[state]}. It counts as wrong.` : `Read as ${letter} by ${ruleWords(rule)}. ${letter === gold ? "That is right." : `Right would be ${gold}.`}`;
  const badges = [
    ...flags.map((flag) => FLAGS[flag] ?? flag),
    answer.finish === "length" ? "ran to the limit of 400 tokens" : null,
    repeatsItself(answer.output) ? "repeats itself" : null,
    answer.hidden ? "page was hidden: times unreliable" : null,
  ].filter((text) => text !== null);
  return h(
    "div",
    { class: "quiz-decision" },
    h("p", {}, h("span", { class: `badge tier-${tier}` }, `Tier ${tier}`), ` ${TIERS[tier] ?? ""}. `, found),
    badges.length > 0 && h("ul", { class: "quiz-flags" }, ...badges.map((text) => h("li", {}, text))),
  );
}

export interface Answered extends GivenAnswer {
  derived: DerivedQuestion;
  model: ModelUnderTest;
}

/** What is said of an answer to a question that was answered before. */
export const askedBeforeWords = ({ askedBefore }: GivenAnswer): string => (askedBefore ? " · asked before, counts once" : "");

export function answeredQuestion(answered: Answered, number: number, isOpen: boolean): HTMLDetailsElement {
  const { question, answer, derived } = answered;
  const word = verdictWord(derived);
  const { decode, prefill } = ratesOf(answer);
  const summary = h(
    "summary",
    {},
    h("span", { class: `quiz-mark ${word.replace(" ", "-")}` }, h("span", { "aria-hidden": "true" }, MARKS[word] ?? ""), h("span", { class: "unseen" }, word)),
    h("span", { class: "number" }, `${number}.`),
    h("span", { class: "text" }, question.question),
    h("span", { class: "aside" }, `${derived.extraction.letter ?? "–"} / ${derived.gold} · tier ${derived.extraction.tier} · ${duration(answer.total_ms / 1000)}${askedBeforeWords(answered)}`),
  );
  const cached = answer.cached_tokens === null ? "" : ` (${answer.cached_tokens} still there from before)`;
  return h(
    "details",
    { class: "quiz-answered", open: isOpen },
    summary,
    h(
      "div",
      { class: "quiz-answered-body" },
      h("p", { class: "quiz-origin" }, `${GROUPS[question.group] ?? question.group} · ${question.difficulty} · `, h("code", {}, question.id)),
      h("p", { class: "quiz-question" }, question.question),
      choices(question, derived),
      rawOutput(answer.output, derived.extraction.utf16_span),
      decision(derived, answer),
      facts([
        ["Time", duration(answer.total_ms / 1000)],
        ["To the first word", answer.first_token_ms === null ? "–" : duration(answer.first_token_ms / 1000)],
        ["Read", `${answer.prompt_tokens} tokens${cached}${prefill === null ? "" : `, ${rate(prefill)}`}`],
        ["Wrote", `${answer.output_tokens} tokens, ${rate(decode)}`],
      ]),
      disagree(answered),
    ),
  );
}

const MARKS: Readonly<Record<string, string>> = { right: "✓", wrong: "✗", "no answer": "–" };

const LONGEST_NAME = 100;

/** A line of the extractor's golden file, as the board gives it too (`crates/server/src/quiz/cases.rs`). That file takes no other fields. */
export function goldenLine({ question, answer, derived, model }: Answered): string {
  const { version, letter, tier, rule, flags, utf16_span } = derived.extraction;
  const name = (model.catalogue_id ?? model.custom_name ?? "a model").replace(/\s+/g, " ").trim();
  // By whole characters: half of one is no JSON that Rust reads.
  const from = Array.from(name).slice(0, LONGEST_NAME).join("");
  const quote = utf16_span && answer.output.slice(...utf16_span);
  const why = `question ${question.id}, extractor ${version}: set letter and tier to what a person reads, and say why here`;
  return JSON.stringify({ from, output: answer.output, choices: question.choices, letter, tier, rule, flags, quote, why });
}

/** A case for the extractor's own tests, ready to be sent to whoever keeps them. */
function disagree(answered: Answered): HTMLElement {
  const said = h("span", { class: "quiet", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(goldenLine(answered));
      said.textContent = " Copied. Send it to the project as a case that should be read otherwise.";
    } catch {
      said.textContent = " The browser did not allow it; the downloaded report has the same.";
    }
  };
  return h("p", { class: "quiz-disagree" }, button("Read wrongly? Copy as a test case", copy, "plain"), said);
}
