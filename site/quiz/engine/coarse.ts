// Makes coarse what would tell one visitor from another. The board knows these values and no others (`crates/quiz/src/verdict/form.rs`).

const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ["edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["opera", /\bOPR\/(\d+)/],
  ["samsung", /\bSamsungBrowser\/(\d+)/],
  ["firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["chromium", /\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\/(\d+)/],
  ["safari", /\bVersion\/(\d+).*\bSafari\//],
];

const BRANDS: Readonly<Record<string, string>> = {
  "Microsoft Edge": "edge",
  Opera: "opera",
  "Samsung Internet": "samsung",
  "Google Chrome": "chromium",
  Chromium: "chromium",
};

/** Family and major version, and nothing else of what a browser says about itself. */
export function browserOf(userAgent: string, brands: readonly { brand: string; version: string }[]): { family: string; major: number } | null {
  for (const [name, family] of Object.entries(BRANDS)) {
    const brand = brands.find((one) => one.brand === name);
    const major = Number.parseInt(brand?.version ?? "", 10);
    if (Number.isInteger(major)) return { family, major };
  }
  for (const [family, pattern] of FAMILIES) {
    const major = Number(pattern.exec(userAgent)?.[1]);
    if (Number.isInteger(major)) return { family, major };
  }
  return null;
}

export function osOf(userAgent: string, platform: string): string | null {
  const said = `${platform} ${userAgent}`;
  if (/Android/i.test(said)) return "android";
  if (/iPhone|iPad|iPod/i.test(said)) return "ios";
  if (/CrOS|Chrome OS/i.test(said)) return "chromeos";
  if (/Windows/i.test(said)) return "windows";
  if (/Mac OS|macOS|Macintosh/i.test(said)) return "macos";
  return /Linux/i.test(said) ? "linux" : null;
}

/** What a browser calls a graphics processor. The specification makes it an identifier; the board takes nothing else, so what is none becomes one. */
export function identifierOf(name: string | null): string | null {
  const made = (name ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return made.slice(0, 32) || null;
}

export function coresBucket(cores: number): string {
  if (cores <= 2) return "1-2";
  if (cores <= 4) return "3-4";
  if (cores <= 8) return "5-8";
  return cores <= 16 ? "9-16" : "17+";
}

/** How many threads ran tells how many cores there are, so it is said as coarsely: rounded down to a power of two. */
export function threadsShared(threads: number | null): number | null {
  return threads === null ? null : 2 ** Math.floor(Math.log2(Math.max(1, threads)));
}

/** Browsers round to a power of two and stop at 8. */
export function memoryBucket(gigabytes: number | null): string | null {
  if (gigabytes === null) return null;
  if (gigabytes >= 8) return "8 GB or more";
  return gigabytes >= 4 ? "4 GB" : "2 GB or less";
}
