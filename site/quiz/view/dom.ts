// Elements, made without ever parsing HTML: whatever a model or a file says becomes text.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

const SVG = "http://www.w3.org/2000/svg";

function furnish(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/** An HTML element. A function as an attribute listens to the event of that name. */
export function h<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  furnish(element, attributes, children);
  return element;
}

/** An SVG element. */
export function s<Name extends keyof SVGElementTagNameMap>(name: Name, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name);
  furnish(element, attributes, children);
  return element;
}

export function button(text: string, onClick: () => unknown, kind: "" | "plain" | "danger" = ""): HTMLButtonElement {
  return h("button", { type: "button", class: kind, click: () => void onClick() }, text);
}

/** A folded part. */
export function fold(title: string, attributes: Attributes, ...children: Child[]): HTMLDetailsElement {
  return h("details", { class: "more", ...attributes }, h("summary", {}, title), ...children);
}

/** Names and values, side by side. */
export function facts(rows: readonly (readonly [string, Child] | null)[]): HTMLDListElement {
  const there = rows.filter((row) => row !== null);
  return h("dl", { class: "quiz-facts" }, ...there.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A table behind a chart, for those who would rather read it. */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Child[])[]): HTMLElement {
  const cells = (row: readonly Child[]) => row.map((cell, at) => (at === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell)));
  return h(
    "div",
    { class: "wide-table", role: "group", "aria-label": caption, tabindex: 0 },
    h(
      "table",
      { class: "plain" },
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...cells(row)))),
    ),
  );
}

/** Saves a text as a file of the visitor's. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
