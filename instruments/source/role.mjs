// Tools that read untrusted source. This process runs without network, with one writable folder.
// Linting and type checking are loaded only when they are asked for: each has a process of its own.

import { readFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { CallError } from '../protocol.mjs';

const tools = {
  lint: () => import('./lint.mjs'),
  types: () => import('./types.mjs'),
};

async function versions() {
  const generated = new URL('../generated/versions.json', import.meta.url);
  // Behind walls, where nobody can begin one, there is a folder only if the set-up made it for this Node and its flags.
  return { ...JSON.parse(await readFile(generated, 'utf8')), running: process.versions.node, compiled: getCompileCacheDir() !== undefined };
}

/** Loads a tool while the source is still being copied. */
async function warm({ tool }) {
  if (!Object.hasOwn(tools, tool)) throw new CallError('bad-params', `tool is one of ${Object.keys(tools).join(', ')}`);
  await tools[tool]();
  return { warm: true, from_snapshot: globalThis.compilerSnapshot !== undefined };
}

function folderOf({ folder }) {
  if (typeof folder !== 'string' || !path.isAbsolute(folder)) throw new CallError('bad-params', 'folder is an absolute path');
  return path.normalize(folder).replace(/(?<=.)\/+$/, '');
}

async function lint(params) {
  const folder = folderOf(params);
  return (await tools.lint()).lintFolder(folder);
}

/** Reads a folder whose types will be checked once its packages are there. */
async function prepare(params) {
  const folder = folderOf(params);
  (await tools.types()).prepareFolder(folder);
  return { prepared: true };
}

async function types(params) {
  const folder = folderOf(params);
  const { installed = false, uncounted = [] } = params;
  if (typeof installed !== 'boolean') throw new CallError('bad-params', 'installed is true or false');
  if (!Array.isArray(uncounted)) throw new CallError('bad-params', 'uncounted is a list of files');
  return (await tools.types()).checkFolder(folder, installed, new Set(uncounted));
}

export const methods = { versions, warm, lint, prepare, types };
