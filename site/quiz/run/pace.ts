// How fast something goes, and how long the rest of it takes.

interface Sample {
  at: number;
  amount: number;
}

const WINDOW_MS = 10_000;

/** The rate over the last seconds, of amounts that only grow. */
export class Pace {
  #samples: Sample[] = [];

  add(amount: number, at: number): void {
    const last = this.#samples.at(-1);
    // It was begun anew.
    if (last && amount < last.amount) this.#samples = [];
    this.#samples.push({ at, amount });
    const keep = this.#samples.findIndex((sample) => at - sample.at <= WINDOW_MS);
    // One older than the window stays, so that slow things have a rate as well.
    if (keep > 1) this.#samples.splice(0, keep - 1);
  }

  /** Per second; nothing before there are two samples that differ. */
  get perSecond(): number | null {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at <= first.at || last.amount <= first.amount) return null;
    return (1000 * (last.amount - first.amount)) / (last.at - first.at);
  }

  secondsTo(goal: number): number | null {
    const rate = this.perSecond;
    const last = this.#samples.at(-1);
    return rate === null || !last ? null : Math.max(0, goal - last.amount) / rate;
  }
}

export interface Rates {
  /** Tokens per second while the prompt is read. */
  prefill: number | null;
  /** Tokens per second while the answer is written. */
  decode: number | null;
}

/** The rates of one answer, from what is kept of it. */
export function ratesOf(answer: { prompt_tokens: number; cached_tokens: number | null; output_tokens: number; first_token_ms: number | null; total_ms: number }): Rates {
  const first = answer.first_token_ms;
  if (first === null || first <= 0) return { prefill: null, decode: null };
  const read = answer.prompt_tokens - (answer.cached_tokens ?? 0);
  const writing = answer.total_ms - first;
  const written = answer.output_tokens - 1;
  return { prefill: read > 0 ? (1000 * read) / first : null, decode: written > 0 && writing > 0 ? (1000 * written) / writing : null };
}

/** Total tokens over total time: a mean of rates would let short answers count too much. */
export function meanDecodeRate(answers: readonly { output_tokens: number; first_token_ms: number | null; total_ms: number }[]): number | null {
  let tokens = 0;
  let milliseconds = 0;
  for (const { output_tokens, first_token_ms, total_ms } of answers) {
    if (first_token_ms === null || output_tokens < 2) continue;
    tokens += output_tokens - 1;
    milliseconds += total_ms - first_token_ms;
  }
  return milliseconds > 0 && tokens > 0 ? (1000 * tokens) / milliseconds : null;
}
