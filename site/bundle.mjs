// Makes dist/: the page's script, its workers, and what the engines load. `cargo xtask setup` runs it; by hand: node bundle.mjs

import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "dist");
/** Made by others, and left alone. */
const NOT_OURS = ["quiz.wasm"];
const ENTRIES = { page: "quiz/page.ts", "weights-worker": "quiz/weights/weights-worker.ts", "webllm-worker": "quiz/engine/webllm-worker.ts" };
const COPIES = {
  "wllama.wasm": "@wllama/wllama/esm/wasm/wllama.wasm",
  "wllama-compat.js": "@wllama/wllama-compat/wasm/wllama.js",
  "wllama-compat.wasm": "@wllama/wllama-compat/wasm/wllama.wasm",
};
/** What is inside the bundle, with the files that say under which terms. */
const LICENCES = {
  "@mlc-ai/web-llm": "LICENSE",
  loglevel: "LICENSE-MIT",
  "@wllama/wllama": "LICENCE",
  "@noble/hashes": "LICENSE",
};

const inPackages = (...parts) => path.join(root, "node_modules", ...parts);

async function bundle(into) {
  await build({
    absWorkingDir: root,
    entryPoints: Object.entries(ENTRIES).map(([out, source]) => ({ in: source, out })),
    outdir: into,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    minify: true,
    legalComments: "none",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
    // WebLLM asks for these only where there is no browser.
    external: ["url", "fs", "path", "crypto", "perf_hooks", "ws", "module", "worker_threads"],
  });
}

async function licences() {
  const texts = await Promise.all(
    Object.entries(LICENCES).map(async ([name, file]) => {
      const { version, license } = JSON.parse(await readFile(inPackages(name, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n\n${(await readFile(inPackages(name, file), "utf8")).trim()}\n`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Into a folder beside it first, so that a server never sees half of it. */
async function makeDist() {
  const draft = path.join(root, `dist-${process.pid}.new`);
  await mkdir(draft, { recursive: true });
  try {
    await bundle(draft);
    for (const [name, from] of Object.entries(COPIES)) await copyFile(inPackages(from), path.join(draft, name));
    await writeFile(path.join(draft, "licences.txt"), await licences());
    for (const name of NOT_OURS) await copyFile(path.join(dist, name), path.join(draft, name)).catch(() => undefined);
    await rm(dist, { recursive: true, force: true });
    await rename(draft, dist);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

await makeDist();
console.log(`bundled ${(await readdir(dist)).length} files`);
