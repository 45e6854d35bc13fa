import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { gzipSync } from "node:zlib";

const dist = new URL("../../dist/", import.meta.url);
const MOST_BYTES = 150_000;

/** A script and everything it imports at once; what is imported later is loaded later. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(new URL(name, dist), "utf8");
  for (const [, imported] of text.matchAll(/(?:\bfrom|^import|;import)\s*"\.\/([\w.-]+\.js)"/g)) withImports(imported!, found);
  return found;
}

test("what the page loads before an engine is chosen is small", { skip: existsSync(new URL("quiz.wasm", dist)) ? false : "the page's files are not made" }, () => {
  const files = [...withImports("page.js"), "quiz.wasm"];
  const bytes = files.map((name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length);
  const sum = bytes.reduce((all, one) => all + one, 0);
  assert.ok(sum < MOST_BYTES, `${sum} bytes: ${files.map((name, at) => `${name} ${bytes[at]}`).join(", ")}`);
  assert.ok(!files.some((name) => /wllama|webllm/.test(name)), `an engine is loaded at once: ${files.join(", ")}`);
});
