// The TypeScript compiler: out of the snapshot this process was started from, or loaded as any package.

import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
/** Where the compiler's own declarations are. */
export const LIBRARIES = path.dirname(require.resolve('typescript'));
/** One that was made elsewhere knows the libraries under other names. */
const snapshot = globalThis.compilerSnapshot?.libraries === LIBRARIES ? globalThis.compilerSnapshot : undefined;

export const ts = snapshot?.ts ?? require('typescript');

/** Files that were read already, by name and format. */
export function knownSources() {
  return new Map(snapshot?.sources);
}
