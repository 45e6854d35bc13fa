// Tools that read untrusted source. This process runs without network, with one writable folder.

import { readFile } from 'node:fs/promises';

async function versions() {
  const generated = new URL('../generated/versions.json', import.meta.url);
  return { ...JSON.parse(await readFile(generated, 'utf8')), running: process.versions.node };
}

export const methods = { versions };
