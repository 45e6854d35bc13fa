// Everything that is decided before a run.

import type { Catalogue, Protocol } from "../contract.ts";
import type { DeviceFacts, Room } from "../engine/device.ts";
import type { Settings, Summary } from "../run/history.ts";
import type { Order } from "../run/run.ts";
import { deviceCard } from "./device-card.ts";
import { fold, h } from "./dom.ts";
import { ModelChoice } from "./models.ts";
import { duration } from "./numbers.ts";
import { QuestionChoice } from "./questions.ts";
import { whatIsShared, type Preview } from "./sharing.ts";

export interface SetupNeeds {
  catalogue: Catalogue;
  device: DeviceFacts;
  room: Room | null;
  settings: Settings;
  past: readonly Summary[];
  /** The model the page's address names. */
  named: string | null;
  halfWidth(n: number): number | null;
  /** What would be sent, as far as it is known before a run. */
  preview(order: Order): Preview;
  onShare(share: boolean): void;
  onStart(order: Order): void;
}

const PROTOCOLS: Readonly<Record<Protocol, string>> = {
  "one-message-1": "Official: five solved examples and the question in one message",
  "chat-turns-1": "Chat turns: each example as a turn of its own. Ranked apart",
};

export class Setup {
  readonly element: HTMLElement;
  readonly #needs: SetupNeeds;
  readonly #models: ModelChoice;
  readonly #questions: QuestionChoice;
  readonly #share: HTMLInputElement;
  readonly #start = h("button", { type: "submit", class: "quiz-start" }, "Start");
  readonly #estimate = h("p", { class: "fine", id: "quiz-estimate" });
  #protocol: Protocol;

  constructor(needs: SetupNeeds) {
    const { catalogue, device, room, settings, named } = needs;
    this.#needs = needs;
    this.#protocol = catalogue.protocols[0] ?? "one-message-1";
    const change = () => this.#say();
    this.#models = new ModelChoice(catalogue, device, named, change);
    this.#questions = new QuestionChoice(catalogue, needs.halfWidth, change);
    this.#share = h("input", { type: "checkbox", role: "switch", id: "quiz-share", checked: settings.share, change: () => needs.onShare(this.#share.checked) });
    const preview = () => {
      const order = this.#order();
      return order ? needs.preview(order) : {};
    };
    const submit = (event: Event) => {
      event.preventDefault();
      const order = this.#order();
      if (order) needs.onStart(order);
    };
    this.element = h(
      "form",
      { class: "quiz-setup", submit },
      h(
        "div",
        { class: "quiz-form" },
        this.#models.element,
        this.#questions.element,
        h(
          "fieldset",
          { class: "quiz-share" },
          h("legend", {}, "Sharing"),
          h("p", { class: "quiz-switch" }, this.#share, h("label", { for: "quiz-share" }, "When the run ends, share it on the public board")),
          h("p", { class: "fine" }, "Until then prompts and outputs stay on this device. You can turn it off at any time before the end."),
          fold("What exactly is shared", {}, whatIsShared(device.shared, preview)),
        ),
        fold("Protocol", {}, this.#protocols()),
        h("div", { class: "quiz-go" }, this.#start, this.#estimate),
      ),
      deviceCard(device, room),
    );
    this.#say();
  }

  #protocols(): HTMLElement {
    const options = this.#needs.catalogue.protocols.map((protocol) =>
      h("label", {}, h("input", { type: "radio", name: "protocol", value: protocol, checked: protocol === this.#protocol, change: () => (this.#protocol = protocol) }), h("span", {}, PROTOCOLS[protocol] ?? protocol)),
    );
    return h("div", { class: "quiz-sources", role: "radiogroup", "aria-label": "Protocol" }, ...options);
  }

  #order(): Order | null {
    const { chosen } = this.#models;
    return chosen && { chosen, selection: this.#questions.selection, protocol: this.#protocol, share: this.#share.checked };
  }

  #say(): void {
    const { chosen } = this.#models;
    this.#start.disabled = chosen === null;
    this.#start.setAttribute("aria-describedby", "quiz-estimate");
    this.#estimate.textContent = chosen === null ? "Choose a file first." : this.#forecast();
  }

  /** How long it will take: from runs of the same model here, or what is known of it. */
  #forecast(): string {
    const { chosen } = this.#models;
    const { count } = this.#questions;
    const name = chosen?.kind === "catalogue" ? chosen.model.name : chosen?.name;
    const before = this.#needs.past.find((run) => run.model_name === name && run.answered > 0);
    if (before) return `The last run of it here took ${duration(before.seconds / before.answered)} per question: about ${duration((count * before.seconds) / before.answered)} for ${count}.`;
    if (chosen?.kind === "catalogue" && chosen.model.engine === "wllama" && chosen.model.memory_mb < 1000) {
      return `The first answer usually comes within a minute; ${count} questions take a laptop ${Math.max(1, Math.round(count / 4))} to ${Math.max(2, count)} minutes. You can watch every word.`;
    }
    return "How fast it is here, the page knows after the first answer.";
  }
}
