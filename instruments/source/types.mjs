// What `tsc --noEmit --strict` would say on the app's own configuration, through the compiler's interface: the same
// program, but missing modules stand-ins took the place of, and a fence around what it may read.

import path from 'node:path';
import { CallError } from '../protocol.mjs';
import { LIBRARIES, knownSources, ts } from './compiler.mjs';
import { consequences } from './consequences.mjs';
import { fence } from './fence.mjs';
import { linesOfCode } from './files.mjs';
import { Findings, message } from './findings.mjs';
import { MissingModules, collectNames } from './missing.mjs';
import { projectsIn } from './projects.mjs';

const MAX_MISSING = 50;
const TYPESCRIPT = /(?<!\.d)\.[cm]?tsx?$/;
/** They read the same whatever the options are. */
const DECLARATIONS = /\.d\.[cm]?ts$/;
const SUPPRESSION = /@ts-(?:ignore|expect-error|nocheck)\b/g;

/** What is known of a folder before it is checked: every file that needs no package to be found, as the compiler reads it. */
let prepared;

/** Reads a folder, and the libraries it needs, while its packages are still being installed. */
export function prepareFolder(folder) {
  const host = fence(ts, [folder, LIBRARIES]);
  const sources = knownSources();
  for (const { files, options } of projectsIn(ts, folder, host).projects) {
    const compiler = compilerHost(options, { folder, host, sources }, new MissingModules());
    ts.createProgram({ rootNames: files, options: { ...options, noResolve: true, types: [] }, host: compiler });
  }
  prepared = { folder, sources };
}

/** Checks all projects of a folder. `uncounted` are files that are there for their types only. */
export function checkFolder(folder, installed, uncounted) {
  const host = fence(ts, [folder, LIBRARIES]);
  const { projects, notes } = projectsIn(ts, folder, host);
  if (projects.length === 0) throw new CallError('no-typescript', 'there is no TypeScript here');
  const sources = prepared?.folder === folder ? prepared.sources : knownSources();
  prepared = undefined;
  const report = { checked: new Map(), errors: new Map(), leftOut: new Map(), missing: new Map() };
  for (const project of projects) checkProject(project, { folder, host, installed, uncounted, sources, report });
  return summary(projects, notes, report, folder);
}

function checkProject(project, work) {
  const missing = new MissingModules();
  const compiler = compilerHost(project.options, work, missing);
  const rootNames = [...project.files, missing.globals];
  const build = () => ts.createProgram({ rootNames, options: project.options, host: compiler });
  const draft = build();
  const own = draft.getSourceFiles().filter(({ fileName }) => isOwn(fileName, work));
  // Where everything is installed, nothing has to stand in and the draft is what is checked.
  const program = compiler.standIn(draft.getSourceFiles(), own) ? build() : draft;
  const follows = consequences(ts, program, missing, work.installed);
  for (const error of program.getGlobalDiagnostics()) keep(error, follows, work);
  for (const file of program.getSourceFiles().filter(({ fileName }) => isOwn(fileName, work))) checkFile(program, file, follows, project, work);
  for (const { specifier, relative, files } of missing.list()) {
    const known = work.report.missing.get(specifier) ?? { module: specifier, relative, files: new Set() };
    for (const file of files) known.files.add(file);
    work.report.missing.set(specifier, known);
  }
}

function isOwn(file, { folder }) {
  return file.startsWith(`${folder}/`) && !file.includes('/node_modules/');
}

/** A file that does not parse is told by that alone: what follows from a wrong guess at its meaning is noise. */
function checkFile(program, file, follows, { options }, work) {
  const name = path.relative(work.folder, file.fileName);
  if (work.uncounted.has(name)) return;
  const counted = TYPESCRIPT.test(name) || (options.checkJs && /\.[cm]?jsx?$/.test(name));
  if (counted) work.report.checked.set(name, file.text);
  const syntax = program.getSyntacticDiagnostics(file);
  for (const error of syntax.length > 0 ? syntax : program.getSemanticDiagnostics(file)) keep(error, follows, work);
}

function keep(error, follows, { folder, report }) {
  if (error.category !== ts.DiagnosticCategory.Error) return;
  const text = ts.flattenDiagnosticMessageText(error.messageText, ' ');
  const file = error.file && path.relative(folder, error.file.fileName);
  const key = `${file ?? ''}:${error.start ?? 0}:${error.code}`;
  const because = follows(error, text);
  if (because !== undefined) {
    report.leftOut.set(key, error.code);
    return;
  }
  const at = error.file && ts.getLineAndCharacterOfPosition(error.file, error.start);
  report.errors.set(key, { code: error.code, file, line: (at?.line ?? 0) + 1, column: (at?.character ?? 0) + 1, message: message(text) });
}

/**
 * The compiler's host: files are read once for all projects, and what cannot be found is noted, then stood in for.
 * `standIn` tells whether that makes another program.
 */
function compilerHost(options, { folder, host, sources }, missing) {
  const cache = ts.createModuleResolutionCache(folder, (name) => name, options);
  const resolved = new Map();
  // What decides whether a script without imports is a module.
  const asModules = [options.moduleDetection, options.module, options.jsx];
  const standsIn = { ready: false, overUntyped: false };
  const resolve = (literal, containingFile, redirected, settings, file) => {
    const mode = file && ts.getModeForUsageLocation(file, literal, settings);
    const key = `${mode ?? ''}|${containingFile}|${literal.text}`;
    if (!resolved.has(key)) resolved.set(key, ts.resolveModuleName(literal.text, containingFile, settings, host, cache, redirected, mode));
    const found = resolved.get(key);
    if (hasTypes(found.resolvedModule, settings) || !isOwn(containingFile, { folder })) return found;
    if (!standsIn.ready) {
      missing.add(literal.text, containingFile, literal.pos >= 0);
      standsIn.overUntyped ||= found.resolvedModule !== undefined;
    }
    const asModule = mode === ts.ModuleKind.ESNext && settings.moduleResolution !== ts.ModuleResolutionKind.Bundler;
    return standsIn.ready ? { resolvedModule: missing.resolution(ts, literal.text, containingFile, asModule) } : found;
  };
  return {
    ...host,
    useCaseSensitiveFileNames: () => true,
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => '\n',
    // As tsc does: comments are of no interest to the checker.
    jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
    getDefaultLibFileName: (settings) => path.join(LIBRARIES, ts.getDefaultLibFileName(settings)),
    getDefaultLibLocation: () => LIBRARIES,
    writeFile: () => {},
    fileExists: (name) => (MissingModules.isStandIn(name) ? missing.text(name) !== undefined : host.fileExists(name)),
    getSourceFile: (name, how) => {
      if (MissingModules.isStandIn(name)) return parse(name, missing.text(name), how);
      const key = [name, how.impliedNodeFormat, ...(DECLARATIONS.test(name) ? [] : [how.languageVersion, ...asModules])].join('|');
      if (!sources.has(key)) sources.set(key, parse(name, host.readFile(name), how));
      return sources.get(key);
    },
    // What is in a package.json is then read once, not once for every file below it.
    getModuleResolutionCache: () => cache,
    resolveModuleNameLiterals: (literals, containingFile, redirected, settings, file) => literals
      .map((literal) => resolve(literal, containingFile, redirected, settings, file)),
    standIn: (all, own) => {
      forgetDeclared(all, missing);
      for (const file of own) collectNames(ts, file, missing);
      missing.jsx = lacksJsx(options, folder, host, own);
      standsIn.ready = true;
      return missing.jsx || !missing.isEmpty || standsIn.overUntyped;
    },
  };
}

function parse(name, text, how) {
  return text === undefined ? undefined : ts.createSourceFile(name, text, how);
}

/** A module of plain JavaScript tells the compiler nothing, unless JavaScript is part of the program. */
function hasTypes(module, options) {
  return module !== undefined && (!/\.[cm]?jsx?$/.test(module.resolvedFileName) || (options.allowJs === true && !module.isExternalLibraryImport));
}

/** What the app or a type package declares by name or by pattern is not missing. */
function forgetDeclared(files, missing) {
  const declared = files.flatMap((file) => file.statements.flatMap((statement) => (
    ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name) && !ts.isExternalModule(file) ? [statement.name.text] : [])));
  missing.forget((specifier) => declared.some((name) => {
    const star = name.indexOf('*');
    if (star === -1) return name === specifier;
    return specifier.length >= name.length - 1 && specifier.startsWith(name.slice(0, star)) && specifier.endsWith(name.slice(star + 1));
  }));
}

function lacksJsx(options, folder, host, own) {
  if (!own.some(({ fileName }) => /\.[jt]sx$/.test(fileName))) return false;
  const from = own.find(({ fileName }) => /\.[jt]sx$/.test(fileName)).fileName;
  const source = options.jsxImportSource ?? 'react';
  return ![`${source}/jsx-runtime`, source].some((name) => hasTypes(ts.resolveModuleName(name, from, options, host).resolvedModule, options));
}

function summary(projects, notes, report, folder) {
  const findings = new Findings();
  const byPlace = (a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column || a.code - b.code : (a.file ?? '') < (b.file ?? '') ? -1 : 1);
  for (const { code, ...place } of [...report.errors.values()].sort(byPlace)) findings.add(`TS${code}`, place);
  const texts = [...report.checked.values()];
  const leftOut = new Map();
  for (const code of report.leftOut.values()) leftOut.set(`TS${code}`, (leftOut.get(`TS${code}`) ?? 0) + 1);
  const missing = [...report.missing.values()].sort((a, b) => (a.module < b.module ? -1 : 1));
  return {
    projects: projects.map(({ name, files, strictOff }) => ({ config: name, files: files.length, strict_off: strictOff })),
    notes: notes.map(message),
    files: report.checked.size,
    loc: texts.reduce((sum, text) => sum + linesOfCode(text), 0),
    suppressions: texts.reduce((sum, text) => sum + (text.match(SUPPRESSION)?.length ?? 0), 0),
    errors: findings.total('errors'),
    rules: findings.byRule(),
    worst: findings.worstFiles(),
    left_out: Object.fromEntries([...leftOut].sort(([a], [b]) => (a < b ? -1 : 1))),
    missing_modules: missing.length,
    missing: missing.slice(0, MAX_MISSING).map(({ module, relative, files }) => ({
      module: message(module), relative, from: [...files].map((file) => path.relative(folder, file)).sort()[0], files: files.size,
    })),
  };
}
