// Accuracy with its interval: as one bar, and narrowing as answers come. Chance is always drawn.

import type { Accuracy } from "../contract.ts";
import { fold, h, s, table } from "./dom.ts";
import { percent, range } from "./numbers.ts";

const CHANCE = 0.25;

export function sayAccuracy({ correct, n, share, interval }: Accuracy): string {
  if (share === null || !interval) return "No answers yet.";
  return `${correct} of ${n} right: ${percent(share)}, 95 % interval ${range(interval.low, interval.high)}.`;
}

/** One bar from 0 to 100 %. */
export function intervalBar(accuracy: Accuracy): HTMLElement {
  const { share, interval } = accuracy;
  const x = (value: number) => (100 * value).toFixed(2);
  const drawing = s("svg", { class: "quiz-bar", viewBox: "0 0 100 12", preserveAspectRatio: "none", role: "img", "aria-label": `${sayAccuracy(accuracy)} Chance is 25 %.` }, s("rect", { class: "track", x: 0, y: 4, width: 100, height: 4 }));
  if (share !== null && interval) {
    drawing.append(
      s("rect", { class: "range", x: x(interval.low), y: 2, width: x(interval.high - interval.low), height: 8 }),
      s("line", { class: "share", x1: x(share), x2: x(share), y1: 0, y2: 12 }),
    );
  }
  drawing.append(s("line", { class: "chance", x1: 25, x2: 25, y1: 0, y2: 12 }));
  return h("figure", { class: "quiz-interval" }, drawing, h("figcaption", { "aria-hidden": "true" }, h("span", {}, "0 %"), h("span", { class: "at-chance" }, "chance 25 %"), h("span", {}, "100 %")));
}

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 30;

interface Frame {
  x(at: number): number;
  y(share: number): number;
}

/** The interval after each answer. `all` questions make the axis; `expected` is half the width to expect at its end. */
export function narrowing(steps: readonly Accuracy[], all: number, expected: number | null): HTMLElement {
  const frame: Frame = {
    x: (at) => LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(all, 1),
    y: (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share),
  };
  const known = steps.filter((step) => step.share !== null && step.interval !== null);
  const last = known.at(-1);
  const label = last ? `The interval narrows: after ${last.n} of ${all} answers ${sayAccuracy(last)}` : `Nothing answered of ${all} questions yet.`;
  const drawing = s("svg", { class: "quiz-narrowing", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...grid(frame, all));
  if (expected !== null) drawing.append(...ghost(frame, all, last?.share ?? 0.5, expected));
  if (known.length > 0) drawing.append(...band(frame, known));
  return h("figure", { class: "quiz-figure" }, drawing, known.length > 0 && fold("As a table", {}, tableOf(known)));
}

function grid({ x, y }: Frame, all: number): SVGElement[] {
  const lines = [0, 0.5, 1].flatMap((share) => [
    s("line", { class: "grid", x1: x(0), x2: x(all), y1: y(share), y2: y(share) }),
    s("text", { x: LEFT - 8, y: y(share) + 5, "text-anchor": "end" }, `${100 * share}`),
  ]);
  const chance = [
    s("line", { class: "chance", x1: x(0), x2: x(all), y1: y(CHANCE), y2: y(CHANCE) }),
    s("text", { x: LEFT - 8, y: y(CHANCE) + 5, "text-anchor": "end" }, "25"),
    s("text", { class: "note", x: x(0) + 6, y: y(CHANCE) - 6 }, "chance"),
  ];
  const ends = [
    s("text", { x: x(0), y: HEIGHT - 8 }, "0"),
    s("text", { x: x(all), y: HEIGHT - 8, "text-anchor": "end" }, `${all} answers`),
  ];
  return [...lines, ...chance, ...ends];
}

/** What to expect at the end, dashed: it is a forecast and no result. */
function ghost({ x, y }: Frame, all: number, around: number, half: number): SVGElement[] {
  const low = Math.max(0, Math.min(around - half, 1 - 2 * half));
  const high = Math.min(1, low + 2 * half);
  return [
    s("line", { class: "expected", x1: x(all) - 4, x2: x(all) - 4, y1: y(low), y2: y(high) }),
    s("line", { class: "expected", x1: x(all) - 10, x2: x(all) + 2, y1: y(low), y2: y(low) }),
    s("line", { class: "expected", x1: x(all) - 10, x2: x(all) + 2, y1: y(high), y2: y(high) }),
  ];
}

function band({ x, y }: Frame, steps: readonly Accuracy[]): SVGElement[] {
  const point = (step: Accuracy, value: number) => `${x(step.n).toFixed(1)},${y(value).toFixed(1)}`;
  // Before the first answer everything is possible.
  const nothing: Accuracy = { correct: 0, n: 0, share: null, interval: { low: 0, high: 1 } };
  const upper = [nothing, ...steps].map((step) => point(step, step.interval?.high ?? 1));
  const lower = [nothing, ...steps].map((step) => point(step, step.interval?.low ?? 0)).reverse();
  const shares = steps.map((step) => point(step, step.share ?? 0));
  const last = steps[steps.length - 1];
  if (!last) return [];
  const [atX, atY] = [x(last.n).toFixed(1), y(last.share ?? 0).toFixed(1)];
  return [
    s("polygon", { class: "band", points: [...upper, ...lower].join(" ") }),
    s("polyline", { class: "share", points: shares.join(" ") }),
    s("circle", { class: "now", cx: atX, cy: atY, r: 5 }),
  ];
}

function tableOf(steps: readonly Accuracy[]): HTMLElement {
  const rows = steps.map((step) => [step.n, step.correct, percent(step.share ?? 0), range(step.interval?.low ?? 0, step.interval?.high ?? 1)]);
  return table("Accuracy after each answer", ["Answers", "Right", "Share", "95 % interval"], rows);
}
