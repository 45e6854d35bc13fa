import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Findings, message } from '../source/findings.mjs';
import { linesOfCode } from '../source/files.mjs';
import { lintFolder } from '../source/lint.mjs';
import { checkFolder, prepareFolder } from '../source/types.mjs';
import { root, startDriver } from './support.mjs';

/** A folder with files, gone after the test. */
function folderWith(t, files) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'benchwright-test-source-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  return folder;
}

const lint = (t, files) => lintFolder(folderWith(t, files));
const check = (t, files, installed = false, uncounted = []) => checkFolder(folderWith(t, files), installed, new Set(uncounted));
const codes = ({ rules }) => Object.fromEntries(rules.map(({ rule, errors }) => [rule, errors]));
const app = { compilerOptions: { jsx: 'react-jsx', module: 'esnext', moduleResolution: 'bundler' }, include: ['src'] };

const nested = (head, foot = '') => `${head}
  if (a) { for (const x of a) { if (x) { while (x.y) { if (x.y && b || c) { return 1; } else if (b) { return 2; } } } } }
  return 3;
}${foot}
`;

test('the same faults are found in every kind of script', (t) => {
  const text = 'const unused = <b>1</b>;\ndebugger;\nconsole.log(2);\n';
  for (const extension of ['js', 'jsx', 'tsx', 'mjs', 'cjs']) {
    const found = lint(t, { [`a.${extension}`]: text });
    assert.deepEqual([found.errors, found.warnings, found.loc], [2, 1, 3], extension);
    assert.deepEqual(found.extensions, { [extension]: 1 });
  }
  for (const extension of ['ts', 'mts', 'cts']) {
    assert.equal(lint(t, { [`a.${extension}`]: 'const unused = <number>1;\n' }).errors, 1, extension);
  }
});

test('complexity is seen in every kind of script, with its number', (t) => {
  for (const extension of ['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs']) {
    const { complexity, errors } = lint(t, { [`src/a.${extension}`]: nested('export function f(a, b, c) {') });
    assert.deepEqual([complexity.limit, complexity.violations, errors], [15, 1, 0], extension);
    assert.equal(complexity.hotspots[0].file, `src/a.${extension}`);
    assert.ok(complexity.hotspots[0].complexity > 15);
  }
});

test('comments cannot switch anything off, and are counted', (t) => {
  const found = lint(t, {
    'a.ts': '/* eslint-disable */\nexport const a: any = 1; // eslint-disable-line\n// eslint-disable-next-line\ndebugger;\n',
    'b.ts': `/* eslint sonarjs/cognitive-complexity: off, no-debugger: "off" */\n${nested('export function f(a: never[], b: boolean, c: boolean) {')}`,
  });
  assert.deepEqual([found.errors, found.directives, found.complexity.violations], [2, 4, 1]);
});

test('a file that cannot be parsed is one error and the others are still linted', (t) => {
  const found = lint(t, { 'a.ts': 'const = ;', 'b.ts': 'debugger;', 'c.tsx': '('.repeat(20_000) });
  assert.deepEqual(codes(found), { 'no-debugger': 1, 'parse-error': 2 });
});

test('a configuration of the app is a script like any other', (t) => {
  const folder = folderWith(t, { 'eslint.config.js': "throw new Error('executed');\n", '.eslintrc.cjs': "module.exports = { rules: { 'no-debugger': 0 } };\n", 'a.js': 'debugger;\n' });
  const before = readdirSync(folder);
  assert.deepEqual(codes(lintFolder(folder)), { 'no-debugger': 1 });
  assert.deepEqual(readdirSync(folder), before);
});

test('equal input gives equal output', (t) => {
  const files = { 'b.ts': 'debugger;\nlet a: any;', 'a.ts': 'debugger;', 'src/c.tsx': nested('export function f(a: any, b: any, c: any) {') };
  assert.deepEqual(lint(t, files), lint(t, Object.fromEntries(Object.entries(files).reverse())));
  assert.deepEqual(check(t, files), check(t, Object.fromEntries(Object.entries(files).reverse())));
});

const missingPackages = `import React, { useState, forwardRef, type FC } from 'react';
import * as Dialog from '@radix-ui/react-dialog';
import { cva, type VariantProps } from 'class-variance-authority';
import { z } from 'zod';
import logo from './logo.svg';
import './app.css';
const schema = z.object({ name: z.string() });
type Form = z.infer<typeof schema>;
const styles = cva('a', { variants: { size: { big: 'b' } } });
interface Props extends React.HTMLAttributes<HTMLDivElement>, VariantProps<typeof styles> { label: string }
const Label: FC<Props> = ({ label, className }) => <div className={className} key="1">{label}</div>;
const Content = forwardRef<React.ElementRef<typeof Dialog.Content>, React.ComponentPropsWithoutRef<typeof Dialog.Content>>(
  ({ className, ...props }, ref) => <Dialog.Content ref={ref} className={className} {...props} />);
Content.displayName = Dialog.Content.displayName;
export function App({ className, ...rest }: Props) {
  const [items, setItems] = useState<Form[]>([]);
  const timer = React.useRef<NodeJS.Timeout | null>(null);
  React.useEffect(() => { fetch(import.meta.env.VITE_URL).then((r) => r.json()).then((d) => setItems(d)); return () => clearTimeout(timer.current); }, []);
  return <Label className={className} {...rest}>
    <img src={logo} onError={(e) => e.preventDefault()} />
    {items.filter((i) => i.name).map((i, n) => <Content key={n}>{process.env.X}{i.name}</Content>)}
  </Label>;
}
`;

test('what is not installed causes no errors, whatever is made of it', (t) => {
  const found = check(t, { 'tsconfig.json': app, 'src/App.tsx': missingPackages });
  assert.deepEqual(codes(found), {});
  assert.equal(found.missing_modules, 6);
  assert.ok(Object.values(found.left_out).every((count) => count > 0));
});

test('errors beside missing packages still count', (t) => {
  const wrong = `${missingPackages}
export const wrong: number = 'x';
export const implicit = (x) => x;
export function used(): JSX.Element { return <App label={5} />; }
export const list: string[] = [1, undefined];
`;
  assert.deepEqual(codes(check(t, { 'tsconfig.json': app, 'src/App.tsx': wrong })), { TS2322: 4, TS7006: 1 });
});

test('installed packages are taken at their word', (t) => {
  const files = {
    'tsconfig.json': { compilerOptions: { module: 'esnext', moduleResolution: 'bundler' }, include: ['src'] },
    'node_modules/typed/package.json': { name: 'typed', version: '1.0.0', types: 'index.d.ts' },
    'node_modules/typed/index.d.ts': 'export declare function twice(x: number): number; export declare const broken: Nowhere;',
    'node_modules/untyped/package.json': { name: 'untyped', version: '1.0.0', main: 'index.js' },
    'node_modules/untyped/index.js': 'exports.f = () => 1;',
    'src/a.ts': "import { twice } from 'typed';\nimport { f } from 'untyped';\nexport const a: string = twice('x');\nf((x) => x);\nprocess.exit();\n",
  };
  const found = check(t, files, true);
  assert.deepEqual(codes(found), { TS2345: 1, TS2322: 1, TS2580: 1 });
  assert.deepEqual([found.files, found.missing.map(({ module }) => module)], [1, ['untyped']]);
  assert.equal(codes(check(t, files, false)).TS2580, undefined, 'nobody could have declared process');
});

test('what was read before the packages came is not misunderstood', (t) => {
  const folder = folderWith(t, {
    'tsconfig.json': { extends: 'base/tsconfig.json', compilerOptions: { module: 'esnext', moduleResolution: 'bundler' }, include: ['src'] },
    'src/a.ts': "import { twice } from 'typed';\nexport const a: string = twice(shared);\n",
    // A module as long as the base is not there, for all to see once it is.
    'src/b.ts': 'const shared = 1;\n',
  });
  prepareFolder(folder);
  const before = checkFolder(folder, false, new Set());
  assert.deepEqual([codes(before), before.missing_modules], [{ TS2304: 1 }, 1]);
  prepareFolder(folder);
  for (const [name, text] of [['base/tsconfig.json', '{ "compilerOptions": { "moduleDetection": "auto", "target": "esnext" } }'],
    ['typed/package.json', '{ "name": "typed", "types": "index.d.ts" }'], ['typed/index.d.ts', 'export declare function twice(x: number): number;']]) {
    mkdirSync(path.join(folder, 'node_modules', path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules', name), text);
  }
  const after = checkFolder(folder, true, new Set());
  assert.deepEqual([codes(after), after.missing_modules], [{ TS2322: 1 }, 0]);
  assert.deepEqual(after, checkFolder(folder, true, new Set()));
});

test('a configuration of references is followed, and strict parts stay on', (t) => {
  const found = check(t, {
    'tsconfig.json': { files: [], references: [{ path: './tsconfig.app.json' }, { path: './server' }] },
    'tsconfig.app.json': { ...app, compilerOptions: { ...app.compilerOptions, strict: false, strictNullChecks: false, composite: true, baseUrl: '.', paths: { '@/*': ['src/*'] } } },
    'server/tsconfig.json': { compilerOptions: { module: 'nodenext', moduleResolution: 'nodenext' } },
    'server/package.json': { type: 'module' },
    'server/index.ts': "import express from 'express';\nimport { z } from 'zod';\nconst app = express();\napp.get('/', (req, res) => { res.json(z); });\nexport const n: number = '';\n",
    'src/a.ts': "import { b } from '@/b';\nexport const a: number = b;\n",
    'src/b.ts': 'export const b: number | undefined = Math.random() > 1 ? 1 : undefined;\n',
  });
  assert.deepEqual(found.projects.map(({ config }) => config), ['tsconfig.app.json', 'server/tsconfig.json']);
  assert.deepEqual(found.projects[0].strict_off, ['strictNullChecks']);
  assert.deepEqual(codes(found), { TS2322: 2 });
  assert.equal(found.files, 3);
});

test('configurations are found below the root, and none is needed', (t) => {
  const wrong = 'export const a: string = 1;\n';
  const deep = check(t, { 'apps/web/tsconfig.json': { include: ['src'] }, 'apps/web/src/a.ts': wrong, 'apps/api/tsconfig.json': {}, 'apps/api/b.ts': wrong });
  assert.deepEqual(deep.projects.map(({ config }) => config), ['apps/api/tsconfig.json', 'apps/web/tsconfig.json']);
  assert.equal(deep.errors, 2);
  const none = check(t, { 'a.ts': wrong, 'b.js': 'let x = 1; x = "";', 'c.d.ts': 'declare const x: Nowhere;' });
  assert.deepEqual([none.projects[0].config, none.errors, none.files], [null, 1, 1]);
  const empty = check(t, { 'tsconfig.json': { include: ['nowhere'] }, 'a.ts': wrong });
  assert.deepEqual([empty.projects[0].config, empty.errors], [null, 1]);
});

test('an unknown base, unknown options, plugins and broken syntax of a configuration are told, not counted', (t) => {
  const config = `{ "extends": "@tsconfig/nowhere", // a comment
    "compilerOptions": { "plugins": [{ "name": "./evil.js" }], "noSuchOption": true, "types": ["vite/client"], },`;
  const found = check(t, { 'tsconfig.json': config, 'a.tsx': 'export const a = <p>1</p>;\n', 'evil.js': "throw new Error('executed');" });
  assert.equal(found.errors, 0);
  assert.ok(found.notes.length >= 2, found.notes.join());
});

test('a configuration leads to nothing outside the folder', (t) => {
  const outside = folderWith(t, { 's.ts': "export const s: number = 'hidden';\n", 'tsconfig.json': { compilerOptions: { noImplicitReturns: true } } });
  const folder = folderWith(t, {
    'tsconfig.json': { extends: `${outside}/tsconfig.json`, compilerOptions: { paths: { out: [`${outside}/s.ts`] }, typeRoots: [outside] }, files: ['a.ts', `${outside}/s.ts`] },
    'a.ts': "import { s } from 'out';\nimport { s as r } from '../../../../../../etc/hosts';\nexport const a = [s, r];\n",
  });
  const found = checkFolder(folder, false, new Set());
  assert.deepEqual([found.errors, found.files], [0, 1]);
  assert.ok(!JSON.stringify(found).includes('hidden'));
});

test('what the app declares itself is not missing', (t) => {
  const found = check(t, {
    'tsconfig.json': app,
    'src/env.d.ts': "declare module '*.svg' { const url: string; export default url; }\ndeclare module 'virtual:x' { export const n: number; }\n",
    'src/a.ts': "import logo from './logo.svg';\nimport { n } from 'virtual:x';\nexport const a: number = logo;\nexport const b: string = n;\n",
  });
  assert.deepEqual([codes(found), found.missing_modules], [{ TS2322: 2 }, 0]);
});

test('a file that does not parse hides nothing in other files', (t) => {
  const found = check(t, { 'a.ts': 'export const = ;\nlet n: number = "";', 'b.ts': 'export const b: string = 1;\n' });
  assert.equal(codes(found).TS2322, 1);
  assert.ok(found.errors >= 2 && found.worst.some(({ file }) => file === 'a.ts'));
});

test('generated files give types and are not counted', (t) => {
  const files = { 'gen.ts': 'export type Row = { n: number };\nlet x: string = 1;\n', 'a.ts': "import type { Row } from './gen';\nexport const row: Row = { n: '' };\n" };
  const found = check(t, files, false, ['gen.ts']);
  assert.deepEqual([found.errors, found.files, found.loc], [1, 1, 2]);
});

test('a folder without TypeScript is told apart from one without errors', async (t) => {
  const driver = startDriver('source');
  const { error } = await driver.call('types', { folder: folderWith(t, { 'a.js': '1;' }) });
  assert.equal(error.kind, 'no-typescript');
  await driver.close();
});

test('a compiler that fails is an error, not a clean result', async (t) => {
  const driver = startDriver('source');
  const { error, result } = await driver.call('types', { folder: folderWith(t, { 'a.ts/keep': '', 'a.ts/b.ts': `let x: ${'['.repeat(50_000)}` }) });
  assert.equal(result, undefined);
  assert.ok(error.message);
  await driver.close();
});

test('a compiler that starts from its snapshot says what the compiler says', async (t) => {
  const code = 'export const a: string = [1].at(0);\nexport const b: number = document.title;\nexport const c = "".replaceAll("a", 1);\n'
    + 'export async function* d(): AsyncGenerator<number> { yield "x"; }\nfetch(7).then((answer) => answer.nothing);\n';
  const targets = [{ target: 'es2015' }, { target: 'es2017', lib: ['es2017'] }, { target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'] }, {}];
  const folders = targets.map((compilerOptions) => folderWith(t, { 'tsconfig.json': { compilerOptions }, 'a.ts': code }));
  const snapshot = path.join(root, 'generated/compiler.snapshot');
  const driver = startDriver('source', undefined, ['--max-old-space-size=2048', '--expose-gc', '--snapshot-blob', snapshot]);
  assert.deepEqual((await driver.call('warm', { tool: 'types' })).result, { warm: true, from_snapshot: true });
  const loaded = folders.map((folder) => JSON.parse(JSON.stringify(checkFolder(folder, false, new Set()))));
  for (const [place, folder] of folders.entries()) assert.deepEqual((await driver.call('types', { folder })).result, loaded[place]);
  await driver.close();
  // Fewer libraries, other faults.
  assert.equal(new Set(loaded.map(({ rules }) => JSON.stringify(rules))).size, 3);
});

test('parameters that make no sense are refused', async () => {
  const driver = startDriver('source');
  for (const [method, params] of [['lint', {}], ['lint', { folder: 'relative' }], ['types', { folder: 5 }], ['prepare', {}], ['types', { folder: '/x', installed: 'yes' }],
    ['types', { folder: '/x', uncounted: 1 }], ['warm', { tool: 'toString' }]]) {
    assert.equal((await driver.call(method, params)).error.kind, 'bad-params', JSON.stringify(params));
  }
  assert.deepEqual((await driver.call('warm', { tool: 'lint' })).result, { warm: true, from_snapshot: false });
  await driver.close();
});

test('findings are bounded, and messages carry no long literals', () => {
  const findings = new Findings();
  for (let line = 1; line <= 500; line += 1) findings.add('r', { file: `f${line}`, line, column: 1, message: '' });
  assert.equal(findings.byRule()[0].places.length, 20);
  assert.deepEqual([findings.total('errors'), findings.worstFiles().length], [500, 10]);
  assert.equal(message(`Type '"sk_live_0123456789abcdef"' is not assignable`), `Type '"…"' is not assignable`);
  assert.equal(message('x'.repeat(500)).length, 200);
  assert.equal(linesOfCode('a\n\n  \t\nb\r\n\r\n'), 2);
});

test('links in a folder are not followed', (t) => {
  const folder = folderWith(t, { 'a.js': 'debugger;\n' });
  symlinkSync('/etc', path.join(folder, 'etc'));
  symlinkSync(path.join(folder, 'a.js'), path.join(folder, 'b.js'));
  assert.deepEqual([lintFolder(folder).files, lintFolder(folder).errors], [1, 1]);
});
