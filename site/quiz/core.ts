// The crate `quiz` as WebAssembly: prompts, extraction and statistics are made by the same code as on the server.

import type { Accuracy, Answer, Derived, Example, Extraction, Prompt, Protocol, Question, Template } from "./contract.ts";

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  call(): number;
  output(): number;
}

export interface About {
  format: number;
  extractor: number;
  system_text: string;
  temperature: number;
  top_p: number;
  max_tokens: number;
  protocols: Protocol[];
}

export class Core {
  readonly #wasm: Exports;
  readonly about: About;

  constructor(wasm: Exports) {
    this.#wasm = wasm;
    this.about = this.#call<About>({ do: "about" });
  }

  static async load(address: string): Promise<Core> {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(address), {});
    return new Core(instance.exports as unknown as Exports);
  }

  #call<T>(request: Record<string, unknown>): T {
    return this.#ask(JSON.stringify(request), String(request["do"]));
  }

  #ask<T>(request: string, what: string): T {
    const bytes = new TextEncoder().encode(request);
    const at = this.#wasm.input(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer, at, bytes.length).set(bytes);
    const length = this.#wasm.call();
    const answer = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.output(), length);
    const said = JSON.parse(new TextDecoder().decode(answer)) as { ok?: T; error?: string };
    if (said.error !== undefined) throw new Error(`${what}: ${said.error}`);
    return said.ok as T;
  }

  prompt(protocol: Protocol, template: Template, examples: Example[], question: Question, runSeed: number): Prompt {
    return this.#call({ do: "prompt", protocol, template, examples, question, run_seed: runSeed });
  }

  extract(output: string, choices: readonly string[]): Extraction {
    return this.#ask(["extract", ...choices, output].join("\0"), "extract");
  }

  derive(answers: readonly Answer[], questions: readonly Question[]): Derived {
    return this.#call({ do: "derive", answers, questions });
  }

  wilson(correct: number, n: number): Accuracy {
    return this.#call({ do: "wilson", correct, n });
  }

  /** Half the width of the interval to expect of so many questions, as a share. */
  predictedHalfWidth(n: number): number | null {
    return this.#call<{ half_width: number | null }>({ do: "predict_width", n }).half_width;
  }
}
