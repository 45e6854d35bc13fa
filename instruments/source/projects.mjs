// Which configurations there are to check, and with which options. They are data: plugins are dropped, and so is
// whatever would write, or would make the result depend on an earlier one.

import path from 'node:path';
import { filesBelow } from './files.mjs';

const NAMES = ['tsconfig.json', 'tsconfig.app.json'];
const MAX_DEPTH = 3;
const MAX_PROJECTS = 24;
const MAX_NOTES = 10;
/** Parts of `strict` that a configuration could switch off again one by one. */
const STRICT_PARTS = ['alwaysStrict', 'noImplicitAny', 'noImplicitThis', 'strictBindCallApply', 'strictBuiltinIteratorReturn',
  'strictFunctionTypes', 'strictNullChecks', 'strictPropertyInitialization', 'useUnknownInCatchVariables'];
const WRITERS = ['composite', 'declaration', 'declarationDir', 'declarationMap', 'emitDeclarationOnly', 'incremental', 'isolatedDeclarations',
  'out', 'outDir', 'outFile', 'plugins', 'tsBuildInfoFile'];
/** `extends` that leads to a package nobody installed, or to a file a framework would have made. */
const MISSING_BASE = new Set([6053, 5083, 5012, 18000]);
const NO_INPUTS = new Set([18002, 18003]);

/** What is forced on every project. */
function forced(options) {
  const kept = { ...options };
  for (const name of [...WRITERS, ...STRICT_PARTS]) delete kept[name];
  return {
    ...kept,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    // Options that only this compiler's version calls outdated are none of the app's faults.
    ignoreDeprecations: '6.0',
    // What every compiler did when the app's was chosen: all type packages that are there.
    types: options.types ?? ['*'],
  };
}

/** For source without a configuration, and below one whose base is missing. */
function permissive(ts) {
  return {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.Preserve,
    allowJs: false,
    esModuleInterop: true,
    resolveJsonModule: true,
    isolatedModules: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
  };
}

/** All projects of a folder; one without a configuration stands for source that none of them includes. */
export function projectsIn(ts, folder, host) {
  const found = [];
  const notes = [];
  const queue = shallowest(folder, host).map((config) => path.join(folder, config));
  const seen = new Set();
  while (queue.length > 0 && found.length < MAX_PROJECTS) {
    const config = queue.shift();
    if (seen.has(config)) continue;
    seen.add(config);
    const project = read(ts, config, host);
    const name = path.relative(folder, config);
    notes.push(...project.notes.map((note) => `${name}: ${note}`));
    if (project.files.length > 0) found.push({ ...project, name });
    else queue.push(...project.references);
  }
  if (found.length === 0) {
    const files = filesBelow(folder, ['node_modules']).filter((file) => /\.[cm]?tsx?$/.test(file)).map((file) => path.join(folder, file));
    if (files.length > 0) found.push({ name: null, files, options: forced(permissive(ts)), strictOff: [] });
  }
  return { projects: found, notes: notes.slice(0, MAX_NOTES) };
}

/** Configurations at the smallest depth at which there are any. */
function shallowest(folder, host) {
  let level = [''];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const configs = level.map((part) => NAMES.map((name) => path.join(part, name)).find((file) => host.fileExists(path.join(folder, file))));
    const present = configs.filter(Boolean).sort();
    if (present.length > 0) return present;
    level = level.flatMap((part) => host.getDirectories(path.join(folder, part))
      .filter((name) => name !== 'node_modules').map((name) => path.join(part, name)));
  }
  return [];
}

function read(ts, config, host) {
  const parsed = ts.readJsonConfigFile(config, host.readFile);
  const content = ts.parseJsonSourceFileConfigFileContent(parsed, host, path.dirname(config), undefined, config);
  const errors = [...parsed.parseDiagnostics, ...content.errors].filter(({ code }) => !NO_INPUTS.has(code));
  const baseMissing = errors.some(({ code }) => MISSING_BASE.has(code));
  const options = baseMissing ? { ...permissive(ts), ...content.options } : content.options;
  return {
    options: forced(options),
    files: content.fileNames,
    strictOff: STRICT_PARTS.filter((name) => content.options[name] === false),
    references: (content.projectReferences ?? []).map((reference) => configAt(reference.path, host)).filter((file) => host.fileExists(file)),
    notes: errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')).slice(0, MAX_NOTES),
  };
}

function configAt(reference, host) {
  return host.directoryExists(reference) ? path.join(reference, 'tsconfig.json') : reference;
}
