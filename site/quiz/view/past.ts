// Runs of this browser.

import { isFullOfShared, type Summary } from "../run/history.ts";
import { button, h } from "./dom.ts";
import { count, day, percent } from "./numbers.ts";

export interface PastNeeds {
  onOpen(id: string): void;
  onRemove(id: string): void;
  onRemoveAll(): void;
  onExportAll(): void;
  onImport(text: string): void;
}

/** What became of the last import. */
export interface Said {
  text: string;
  isProblem: boolean;
}

const ALL_SHARED = "All of them are shared: the next run takes the place of the oldest, which can then be deleted from the board only with the token in a file from “Download all as JSON”.";

export function past(runs: readonly Summary[], said: Said | null, needs: PastNeeds): HTMLElement {
  const file = h("input", { type: "file", id: "quiz-import", accept: ".json,application/json", change: () => void readFile(file, needs) });
  return h(
    "section",
    { class: "quiz-past", "aria-labelledby": "quiz-past" },
    h("h2", { id: "quiz-past" }, "Your runs"),
    h("p", { class: "lead" }, "Kept in this browser, at most fifty: then the oldest goes, shared ones last. Nobody else sees them unless you share one."),
    runs.length === 0 ? h("p", {}, "None yet.") : h("ul", { class: "quiz-runs" }, ...runs.map((run) => row(run, needs))),
    isFullOfShared(runs) && h("p", { class: "reason" }, ALL_SHARED),
    said && h("p", said.isProblem ? { class: "error", role: "alert" } : { role: "status" }, said.text),
    h(
      "p",
      { class: "quiz-buttons" },
      runs.length > 0 && button("Download all as JSON", needs.onExportAll, "plain"),
      h("label", { class: "button plain", for: "quiz-import" }, "Import JSON"),
      file,
      runs.length > 0 && button("Delete all", needs.onRemoveAll, "danger"),
    ),
  );
}

function row(run: Summary, needs: PastNeeds): HTMLElement {
  const score = run.answered > 0 ? percent(run.correct / run.answered) : "–";
  const state = run.finished ? (run.shared ? "shared" : "not shared") : `unfinished: ${run.answered} of ${run.all}`;
  return h(
    "li",
    {},
    h("button", { type: "button", class: "link", click: () => needs.onOpen(run.id) }, run.model_name, h("span", { class: "unseen" }, `, ${day(run.started_at)}`)),
    h("span", { class: "badge" }, run.quantisation),
    h("span", { class: "number" }, `${score}`, h("span", { class: "quiet" }, ` of ${count(run.answered, "question")}`)),
    h("span", { class: "quiet" }, state),
    h("span", { class: "quiet" }, day(run.started_at)),
    h("button", { type: "button", class: "link danger", click: () => needs.onRemove(run.id) }, "Delete", h("span", { class: "unseen" }, ` the run of ${run.model_name}, ${day(run.started_at)}`)),
  );
}

async function readFile(input: HTMLInputElement, needs: PastNeeds): Promise<void> {
  const chosen = input.files?.[0];
  input.value = "";
  if (chosen) needs.onImport(await chosen.text());
}
