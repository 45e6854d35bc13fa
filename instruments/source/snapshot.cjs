// The TypeScript compiler with its libraries read and bound, as a heap that Node starts from: `node --build-snapshot source/snapshot.cjs`.
// setup.mjs makes it; compiler.mjs finds it. Reading the libraries is most of what checking a small app takes.

const { readFileSync, realpathSync } = require('fs');
const path = require('path');
const { compileFunction } = require('vm');

/** A snapshot is made by one script, which can require nothing but what comes with Node. */
function load(file) {
  const module = { exports: {} };
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  compileFunction(readFileSync(file, 'utf8'), names, { filename: file })(module.exports, require, module, file, path.dirname(file));
  return module.exports;
}

const libraries = realpathSync(path.resolve(__dirname, '../node_modules/typescript/lib'));
const ts = load(path.join(libraries, 'typescript.js'));
/** An app of nothing: what is left of a program is the libraries. */
const EMPTY = path.join(libraries, 'empty.ts');
const options = { target: ts.ScriptTarget.ESNext, strict: true, noEmit: true, types: [] };
/** By name and the format Node would take a file for, as types.mjs looks for declarations. */
const sources = new Map();

const host = {
  ...ts.createCompilerHost(options),
  jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
  getDefaultLibLocation: () => libraries,
  getSourceFile: (name, how) => {
    if (name === EMPTY) return ts.createSourceFile(name, 'export {};', how);
    const key = [name, how.impliedNodeFormat].join('|');
    if (!sources.has(key)) sources.set(key, ts.createSourceFile(name, readFileSync(name, 'utf8'), how));
    return sources.get(key);
  },
};
// Whoever asks for the checker has all files bound.
ts.createProgram({ rootNames: [EMPTY], options, host }).getTypeChecker();
globalThis.compilerSnapshot = { ts, libraries, sources };
