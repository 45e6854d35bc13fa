// The choice of questions, each with the width of the interval to expect.

import type { Catalogue, Selection, SetEntry, Source } from "../contract.ts";
import { h } from "./dom.ts";
import { points } from "./numbers.ts";
import { SOURCES } from "./words.ts";

export const QUICK_COUNTS: readonly number[] = [3, 10, 20, 40];

interface Option {
  selection: Selection;
  count: number;
  label: string;
}

export class QuestionChoice {
  readonly element: HTMLElement;
  readonly #options = h("div", { class: "quiz-pills" });
  readonly #said = h("p", { class: "fine", id: "quiz-width" });
  readonly #halfWidth: (n: number) => number | null;
  readonly #sets: readonly SetEntry[];
  #source: Source;
  #chosen: Option;

  constructor(catalogue: Catalogue, halfWidth: (n: number) => number | null, onChange: () => void) {
    this.#halfWidth = halfWidth;
    this.#sets = catalogue.sets;
    const usual = catalogue.sets.find(({ id }) => id === catalogue.default_set) ?? catalogue.sets[0];
    this.#source = usual?.source ?? "own";
    this.#chosen = usual ? ofSet(usual) : ofCount(this.#source, 10);
    const sources = [...new Set(catalogue.sets.map(({ source }) => source))];
    this.element = h(
      "fieldset",
      { class: "quiz-questions" },
      h("legend", {}, "Questions"),
      sources.length > 1 ? h("div", { class: "quiz-sources" }, ...sources.map((source) => this.#sourceOption(source, onChange))) : h("p", {}, SOURCES[this.#source] ?? this.#source),
      this.#options,
      this.#said,
    );
    this.#show(onChange);
  }

  get selection(): Selection {
    return this.#chosen.selection;
  }

  get count(): number {
    return this.#chosen.count;
  }

  #sourceOption(source: Source, onChange: () => void): HTMLElement {
    const choose = () => {
      this.#source = source;
      const same = this.#all().find(({ count }) => count === this.#chosen.count);
      this.#chosen = same ?? ofCount(source, 10);
      this.#show(onChange);
      onChange();
    };
    return h("label", {}, h("input", { type: "radio", name: "source", value: source, checked: source === this.#source, change: choose }), h("span", {}, SOURCES[source] ?? source));
  }

  #all(): Option[] {
    const sets = this.#sets.filter(({ source }) => source === this.#source).map(ofSet);
    return [...QUICK_COUNTS.map((count) => ofCount(this.#source, count)), ...sets].sort((a, b) => a.count - b.count);
  }

  #show(onChange: () => void): void {
    this.#options.replaceChildren(
      ...this.#all().map((option) => {
        const choose = () => {
          this.#chosen = option;
          this.#say();
          onChange();
        };
        const half = this.#halfWidth(option.count);
        const isFrozen = "set" in option.selection;
        return h(
          "label",
          { class: isFrozen ? "frozen" : "" },
          h("input", { type: "radio", name: "questions", value: option.label, checked: option.label === this.#chosen.label, change: choose, "aria-describedby": "quiz-width" }),
          h("span", {}, h("b", {}, String(option.count)), h("small", {}, half === null ? "" : points(half)), h("small", {}, isFrozen ? "fixed set" : "drawn")),
        );
      }),
    );
    this.#say();
  }

  #say(): void {
    const { count, selection } = this.#chosen;
    const half = this.#halfWidth(count);
    const width = half === null ? "" : `${count} questions: expect about ${points(half)} percentage points. `;
    const kind = "set" in selection ? `The set ${selection.set} is the same for everybody, so runs of it can be compared one by one.` : "Drawn for this run by a seed that the report shows, balanced over four subjects and three levels.";
    this.#said.textContent = width + kind;
  }
}

const ofSet = ({ id, count }: SetEntry): Option => ({ selection: { set: id }, count, label: id });
const ofCount = (source: Source, count: number): Option => ({ selection: { quick: { source, count } }, count, label: `quick-${count}` });
