// What to do when a run stopped before its end.

import type { CatalogueModel } from "../contract.ts";
import type { State, Trouble } from "../run/state.ts";
import { button, fold, h } from "./dom.ts";
import { count } from "./numbers.ts";
import { PHASES, TROUBLES } from "./words.ts";

export interface Ways {
  answered: number;
  all: number;
  /** Null where nothing is there to go on with. */
  onContinue: (() => void) | null;
  /** Whether what would be gone on with can no longer be shared. */
  tooLate: boolean;
  /** Null where a run has begun, or nobody knows what was to begin. */
  onAgain: (() => void) | null;
  smaller: CatalogueModel | null;
  onSmaller: (model: CatalogueModel) => void;
  onBack: () => void;
}

/** Here a second try would end as the first did. */
const FOR_GOOD: ReadonlySet<Trouble> = new Set<Trouble>(["no_webgpu", "no_f16", "wrong_file", "unsupported", "blocked"]);
const TOO_LATE = "The site gave out its questions too long ago: the run can be finished and stays in this browser, but can no longer be shared.";

export function troubleCard(state: State, ways: Ways): HTMLElement {
  const advice = state.phase === "failed" ? TROUBLES[state.trouble] : null;
  const kept = ways.answered > 0 ? `${count(ways.answered, "answer")} of ${ways.all} kept. ` : "";
  const rest = ways.onContinue ? `${kept}Nothing that was lost is counted; it is asked again.` : kept;
  const { smaller } = ways;
  const isFinal = state.phase === "failed" && FOR_GOOD.has(state.trouble);
  const isMemory = state.phase === "failed" && ["out_of_memory", "device_lost", "quota"].includes(state.trouble);
  return h(
    "section",
    { class: `quiz-trouble ${state.phase}`, role: state.phase === "failed" ? "alert" : "status" },
    h("h2", {}, PHASES[state.phase]),
    advice && h("p", {}, h("b", {}, advice.what), " ", advice.then),
    rest && h("p", {}, rest),
    ways.onContinue && ways.tooLate && h("p", {}, TOO_LATE),
    h(
      "p",
      { class: "quiz-buttons" },
      ways.onContinue && button("Continue this run", ways.onContinue),
      !isFinal && ways.onAgain && button("Try again", ways.onAgain),
      isMemory && smaller && button(`Try ${smaller.name} (${smaller.quantisation}) instead`, () => ways.onSmaller(smaller), "plain"),
      button("Begin another", ways.onBack, "plain"),
    ),
    state.phase === "failed" && fold("What the engine said", {}, h("pre", { class: "quiz-json", tabindex: 0, role: "region", "aria-label": "What the engine said" }, state.message)),
  );
}
