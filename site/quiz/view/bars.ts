// Two small charts of a run: which tier gave the answers, and which letters the model likes.

import { LETTERS, type Derived } from "../contract.ts";
import { fold, h, s, table } from "./dom.ts";
import { TIERS } from "./words.ts";

const FULL = 100;

function bar(kind: string, share: number, label: string): SVGSVGElement {
  const width = (FULL * share).toFixed(2);
  return s("svg", { class: `quiz-meter ${kind}`, viewBox: `0 0 ${FULL} 10`, preserveAspectRatio: "none", role: "img", "aria-label": label }, s("rect", { class: "track", width: FULL, height: 10 }), s("rect", { class: "won", width, height: 10 }));
}

export function tierChart({ tiers, accuracy }: Derived): HTMLElement {
  const rows = tiers.map(({ tier, answers, correct }) => {
    const name = TIERS[tier] ?? "";
    const label = `Tier ${tier}, ${name}: ${answers} of ${accuracy.n} answers, ${correct} of them right`;
    return h(
      "li",
      {},
      h("span", { class: "badge" }, String(tier)),
      h("span", { class: "name" }, name),
      bar(`tier-${tier}`, accuracy.n > 0 ? answers / accuracy.n : 0, label),
      h("span", { class: "number" }, String(answers), h("span", { class: "quiet" }, tier === 5 ? "" : ` · ${correct} right`)),
    );
  });
  const votes = tiers.find(({ tier }) => tier === 4)?.answers ?? 0;
  const note = votes > accuracy.n / 2 ? h("p", { class: "note" }, "Most answers come from the letter vote: the model seldom committed to one, and this number is softer than it looks.") : null;
  return h("div", {}, h("ul", { class: "quiz-tiers" }, ...rows), note);
}

export function letterChart({ chosen, gold, accuracy }: Derived): HTMLElement {
  const most = Math.max(1, ...LETTERS.flatMap((letter) => [chosen[letter], gold[letter]]), chosen.none);
  const share = (amount: number) => amount / most;
  const rows = LETTERS.map((letter) =>
    h(
      "li",
      {},
      h("span", { class: "badge" }, letter),
      h("span", { class: "quiz-pair" }, bar("chosen", share(chosen[letter]), `${letter} chosen ${chosen[letter]} times`), bar("gold", share(gold[letter]), `${letter} right ${gold[letter]} times`)),
      h("span", { class: "number" }, `${chosen[letter]}`, h("span", { class: "quiet" }, ` · ${gold[letter]} right`)),
    ),
  );
  const none = chosen.none > 0 ? h("p", { class: "note" }, `${chosen.none} of ${accuracy.n} outputs gave no letter.`) : null;
  const key = h("p", { class: "quiz-key", "aria-hidden": "true" }, h("span", { class: "chosen" }, "chosen by the model"), h("span", { class: "gold" }, "right"));
  const rest = fold("As a table", {}, table("Letters chosen and letters that are right", ["Letter", "Chosen", "Right"], [...LETTERS.map((letter) => [letter, chosen[letter], gold[letter]]), ["none", chosen.none, "–"]]));
  return h("div", {}, key, h("ul", { class: "quiz-letters" }, ...rows), none, rest);
}
