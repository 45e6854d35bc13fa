// As much of a page as the quiz needs to be shown without a browser: elements that can be found by their words and used.

export class Plain extends EventTarget {
  readonly name: string;
  hidden = false;
  checked = false;
  disabled = false;
  scrollTop = 0;
  readonly #attributes = new Map<string, string>();
  #children: (Plain | string)[] = [];
  #parent: Plain | null = null;

  constructor(name: string) {
    super();
    this.name = name;
  }

  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
    if (name === "checked") this.checked = true;
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }
  append(...children: (Plain | string)[]): void {
    this.#hold([...this.#children, ...children]);
  }
  prepend(...children: (Plain | string)[]): void {
    this.#hold([...children, ...this.#children]);
  }
  replaceChildren(...children: (Plain | string)[]): void {
    this.#hold(children);
  }
  #hold(children: (Plain | string)[]): void {
    for (const child of this.#children) if (child instanceof Plain) child.#parent = null;
    for (const child of children) if (child instanceof Plain) child.#parent = this;
    this.#children = children;
  }
  get textContent(): string {
    return this.#children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.#hold([text]);
  }
  get isConnected(): boolean {
    return this.name === "main" || (this.#parent?.isConnected ?? false);
  }
  contains(): boolean {
    return false;
  }
  querySelector(): null {
    return null;
  }
  querySelectorAll(): [] {
    return [];
  }
  focus(): void {}

  /** This element and all that are in it. */
  all(): Plain[] {
    return [this, ...this.#children.flatMap((child) => (typeof child === "string" ? [] : child.all()))];
  }

  /** The button with these words; nothing where there is none. */
  button(text: string): Plain | null {
    return this.all().find((one) => one.name === "button" && one.textContent === text) ?? null;
  }

  /** Chooses what a radio button with this value stands for. */
  choose(value: string): void {
    const radio = this.all().find((one) => one.getAttribute("value") === value);
    if (!radio) throw new Error(`there is no choice called ${value}`);
    radio.dispatchEvent(new Event("change"));
  }
}

/** Puts a page in place of the browser's. `answer` plays the site. */
export function putPage(answer: (path: string, body: unknown) => unknown): void {
  const place = { search: "", hash: "", pathname: "/quiz", origin: "https://site.example", href: "https://site.example/quiz" };
  const document = Object.assign(new EventTarget(), {
    createElement: (name: string) => new Plain(name),
    createElementNS: (_: string, name: string) => new Plain(name),
    activeElement: null,
    visibilityState: "visible",
  });
  const put: Record<string, unknown> = {
    document,
    location: place,
    history: { replaceState: () => undefined },
    addEventListener: () => undefined,
    fetch: async (path: string, { body }: { body?: string } = {}) => Response.json(await answer(path, body === undefined ? null : JSON.parse(body))),
  };
  for (const [name, value] of Object.entries(put)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
