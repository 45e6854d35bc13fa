// ESLint and the complexity rule in one pass over one parse. Only the bare linter is used: nothing here looks for
// configuration files, plugins or ignore files, so nothing of the app's can run or switch anything off.

import { createRequire } from 'node:module';
import path from 'node:path';
import { filesBelow, linesOfCode, textOf } from './files.mjs';
import { Findings, message } from './findings.mjs';

const require = createRequire(import.meta.url);
const { Linter } = require('eslint/universal');
const typescriptEslint = require('typescript-eslint');
// The whole plugin loads a thousand files for three hundred rules; this is the one rule.
const { rule: cognitiveComplexity } = require('../node_modules/eslint-plugin-sonarjs/cjs/S3776/rule.js');
// What the linter would make of the configuration below anew for every file, a quarter of its time.
const { FlatConfigArray } = require('../node_modules/eslint/lib/config/flat-config-array.js');

const COMPLEXITY_RULE = 'sonarjs/cognitive-complexity';
const COMPLEXITY_LIMIT = 15;
const MAX_HOTSPOTS = 50;
/** What ESLint would obey if it were let: switching rules off, or setting them. */
const DIRECTIVE = /(?:\/\/|\/\*)\s*eslint-(?:disable|enable)(?:-next-line|-line)?\b|\/\*\s*eslint\s+(?:"|')?[@\w/-]+(?:"|')?\s*:/g;

const config = [
  { files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'] },
  ...typescriptEslint.configs.recommended,
  { files: ['**/*.{cjs,cts}'], languageOptions: { sourceType: 'commonjs' } },
  {
    plugins: { sonarjs: { rules: { 'cognitive-complexity': cognitiveComplexity } } },
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off', reportUnusedInlineConfigs: 'off' },
    rules: { 'no-console': 'warn', 'no-debugger': 'error', [COMPLEXITY_RULE]: ['error', COMPLEXITY_LIMIT] },
  },
];

/** Lints every file of a folder. */
export function lintFolder(folder) {
  const linter = new Linter({ cwd: folder, configType: 'flat' });
  const rules = new FlatConfigArray(config, { basePath: folder }).normalizeSync();
  const findings = new Findings();
  const hotspots = [];
  const tally = { files: 0, loc: 0, directives: 0, extensions: {} };
  for (const file of filesBelow(folder)) {
    const text = textOf(path.join(folder, file));
    const extension = path.extname(file).slice(1);
    tally.files += 1;
    tally.loc += linesOfCode(text);
    tally.directives += text.match(DIRECTIVE)?.length ?? 0;
    tally.extensions[extension] = (tally.extensions[extension] ?? 0) + 1;
    for (const found of messagesOf(linter, rules, text, path.join(folder, file))) {
      const place = { file, line: found.line ?? 1, column: found.column ?? 1 };
      if (found.ruleId === COMPLEXITY_RULE) hotspots.push({ ...place, complexity: complexityIn(found.message) });
      else findings.add(found.ruleId ?? 'parse-error', { ...place, message: message(found.message) }, { error: found.severity === 2 });
    }
  }
  hotspots.sort((a, b) => b.complexity - a.complexity || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  return {
    ...tally,
    errors: findings.total('errors'),
    warnings: findings.total('warnings'),
    rules: findings.byRule(),
    worst: findings.worstFiles(),
    complexity: { limit: COMPLEXITY_LIMIT, violations: hotspots.length, hotspots: hotspots.slice(0, MAX_HOTSPOTS) },
  };
}

/** A file that breaks the linter is like one that cannot be parsed: one error, and the others are still linted. */
function messagesOf(linter, rules, text, filename) {
  try {
    return linter.verify(text, rules, { filename, allowInlineConfig: false });
  } catch (error) {
    return [{ ruleId: null, severity: 2, message: `The linter failed: ${String(error?.message ?? error).split('\n')[0]}` }];
  }
}

function complexityIn(text) {
  return Number(/from (\d+) to/.exec(text)?.[1] ?? COMPLEXITY_LIMIT + 1);
}
