// Bytes, speed and time left while a model is loaded.

import type { LoadProgress } from "../engine/engine.ts";
import { Pace } from "../run/pace.ts";
import { h } from "./dom.ts";
import { bytes, duration } from "./numbers.ts";

export class LoadView {
  readonly element: HTMLElement;
  readonly #bar = h("progress", { max: 1, "aria-label": "Progress" });
  readonly #what = h("p", { class: "quiz-what" });
  readonly #pace = new Pace();

  constructor() {
    this.element = h("div", { class: "quiz-load" }, this.#bar, this.#what);
  }

  show(progress: LoadProgress): void {
    if (progress.phase === "preparing") {
      this.#set(progress.share);
      this.#what.textContent = progress.note;
      return;
    }
    const { received, total, note } = progress;
    this.#pace.add(received, performance.now());
    this.#set(total === null ? null : received / total);
    const left = total === null ? null : this.#pace.secondsTo(total);
    const speed = this.#pace.perSecond;
    const parts = [
      total === null ? bytes(received) : `${bytes(received)} of ${bytes(total)}`,
      speed === null ? null : `${bytes(speed)}/s`,
      left === null || received === total ? null : `${duration(left)} left`,
      note,
    ];
    this.#what.textContent = parts.filter(Boolean).join(" · ");
  }

  #set(share: number | null): void {
    if (share === null) this.#bar.removeAttribute("value");
    else this.#bar.value = share;
  }
}
