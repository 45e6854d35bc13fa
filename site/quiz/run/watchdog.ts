// Notices an engine that says nothing any more.

export interface Clock {
  now(): number;
  every(milliseconds: number, tick: () => void): () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  every: (milliseconds, tick) => {
    const timer = setInterval(tick, milliseconds);
    return () => clearInterval(timer);
  },
};

const TICK_MS = 1000;
/** A tick that comes later than this was held back: the machine slept, or the page was frozen. */
const HELD_BACK_MS = 90_000;

export class Watchdog {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #limit: number;
  #lastSign: number;
  #lastTick: number;
  readonly #stop: () => void;

  constructor(limit: number, onSilence: () => void, clock: Clock = realClock) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#limit = limit;
    this.#lastSign = this.#lastTick = clock.now();
    this.#stop = clock.every(TICK_MS, () => this.#tick());
  }

  /** Something was heard. How long to wait for the next sign may change with it. */
  heard(limit = this.#limit): void {
    this.#lastSign = this.#clock.now();
    this.#limit = limit;
  }

  end(): void {
    this.#stop();
  }

  #tick(): void {
    const now = this.#clock.now();
    // While the page was frozen the engine could not speak either.
    if (now - this.#lastTick > HELD_BACK_MS) this.#lastSign = now;
    this.#lastTick = now;
    if (now - this.#lastSign <= this.#limit) return;
    this.#stop();
    this.#onSilence();
  }
}
