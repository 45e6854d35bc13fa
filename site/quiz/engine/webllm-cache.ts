// WebLLM keeps every part of a model in the Cache API and does not load without it. Where the browser stores nothing, or no more, parts
// stay in memory until the model is loaded.

type Store = Pick<Cache, "match" | "add" | "put" | "keys" | "delete">;
type Opener = { open(name: string): Promise<Store> };

/** What browsers throw when they will not store: a full disk, a private window, site data that the visitor has blocked. */
const REFUSALS = new Set(["QuotaExceededError", "SecurityError", "NotAllowedError", "InvalidStateError", "UnknownError"]);

const isRefusal = (thrown: unknown): boolean => typeof thrown === "object" && thrown !== null && "name" in thrown && REFUSALS.has(String(thrown.name));

const addressOf = (request: RequestInfo | URL): string => (request instanceof Request ? request.url : String(request));

/** In place of `caches`: the browser's own as long as it stores, and memory from then on. */
export class CachesOrMemory implements Opener {
  readonly #real: Opener | undefined;
  readonly #fetch: typeof fetch;
  readonly #parts = new Map<string, Blob>();
  #refused = false;

  constructor(real: Opener | undefined, fetchPart: typeof fetch) {
    this.#real = real;
    this.#fetch = fetchPart;
  }

  /** Whether the browser refused to store anything. */
  get refused(): boolean {
    return this.#refused;
  }

  /** What was loaded is with the engine now. */
  forget(): void {
    this.#parts.clear();
  }

  async open(name: string): Promise<Store> {
    const real = this.#real && (await this.#unlessRefused(this.#real.open(name)));
    if (!real) this.#refused = true;
    return {
      match: async (request) => this.#inMemory(request) ?? (real && (await this.#unlessRefused(real.match(request)))),
      add: (request) => this.#add(real, request),
      put: (request, response) => this.#put(real, request, response),
      keys: async () => {
        const stored = (real && (await this.#unlessRefused(real.keys()))) ?? [];
        return [...stored, ...[...this.#parts.keys()].map((address) => new Request(address))];
      },
      delete: async (request) => {
        const wasHere = this.#parts.delete(addressOf(request as RequestInfo));
        return Boolean(real && (await this.#unlessRefused(real.delete(request)))) || wasHere;
      },
    };
  }

  /** Nothing where the browser refuses; whatever else goes wrong is thrown. */
  async #unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      this.#refused = true;
      return undefined;
    }
  }

  #inMemory(request: RequestInfo | URL): Response | undefined {
    const part = this.#parts.get(addressOf(request));
    return part && new Response(part);
  }

  async #add(real: Store | undefined, request: RequestInfo | URL): Promise<void> {
    // Once it has refused, asking again would fetch every part twice.
    if (real && !this.#refused) {
      const stored = await this.#unlessRefused(real.add(request as RequestInfo).then(() => true));
      if (stored) return;
    }
    const response = await this.#fetch(request);
    if (!response.ok) throw new TypeError(`HTTP ${response.status} for ${addressOf(request)}`);
    this.#parts.set(addressOf(request), await response.blob());
  }

  async #put(real: Store | undefined, request: RequestInfo | URL, response: Response): Promise<void> {
    const spare = response.clone();
    const stored = real && !this.#refused && (await this.#unlessRefused(real.put(request as RequestInfo, response).then(() => true)));
    if (!stored) this.#parts.set(addressOf(request), await spare.blob());
  }
}
