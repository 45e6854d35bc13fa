// Installs the pinned packages and prepares them, with any Node from 18 on and its npm; safe to repeat.
//
// npm leaves optional packages out, without a word, when they ask for a newer Node than the one it runs on, and llama.cpp's do. On an old
// Node everything is therefore installed once more, by the Node and the npm that are among the packages.

import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const modules = path.join(root, 'node_modules');
/** The newest that any of the packages asks for. */
const ASKED_FOR = 20;
const CLEAN_INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const run = (program, words) => execFileSync(program, words, { cwd: root, stdio: 'inherit' });

function pinnedNode() {
  const { platform, arch } = process;
  const programs = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`].map((name) => path.join(modules, name, 'bin/node'));
  const program = programs.find((candidate) => existsSync(candidate));
  if (!program) throw new Error(`there is no pinned Node for ${platform} ${arch}`);
  return program;
}

/** `npm ci` begins by throwing away what is there, so both stand aside meanwhile. */
function installWithPinnedNode() {
  const aside = mkdtempSync(path.join(tmpdir(), 'benchwright-npm-'));
  try {
    copyFileSync(pinnedNode(), path.join(aside, 'node'));
    cpSync(path.join(modules, 'npm'), path.join(aside, 'npm'), { recursive: true });
    run(path.join(aside, 'node'), [path.join(aside, 'npm/bin/npm-cli.js'), ...CLEAN_INSTALL]);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

run('npm', CLEAN_INSTALL);
if (Number.parseInt(process.versions.node, 10) < ASKED_FOR) {
  console.log(`setup: once more with the Node among them, because some ask for a newer one than ${process.versions.node}`);
  installWithPinnedNode();
}
run(pinnedNode(), ['setup.mjs']);
