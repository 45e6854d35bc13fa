// Modules that are not there. Each gets a stand-in in which every name the app imports is `any`, as a value, as a type
// and as a namespace, so that one missing package is not counted again and again wherever it is used.

import path from 'node:path';

const PARAMETERS = `<${Array.from({ length: 9 }, (_, index) => `T${index} = any`).join(', ')}>`;
/** Where stand-ins seem to be; no such folder exists. */
const FOLDER = '/benchwright-missing';
const GLOBALS_FILE = `${FOLDER}/globals.d.ts`;
const VALID_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const RESERVED = new Set(('any as await boolean break case catch class const continue debugger default delete do else enum export extends false '
  + 'finally for function if implements import in instanceof interface let never new null number object package private protected '
  + 'public return static string super switch symbol this throw true try typeof undefined unknown var void while with yield').split(' '));
const INTRINSIC = new Set(['any', 'unknown', 'never', 'void', 'string', 'number', 'bigint', 'boolean', 'symbol', 'object', 'undefined']);

const IMPORT_META = 'interface ImportMeta { [name: string]: any }\n';
const JSX_NAMESPACE = `declare namespace JSX {
  type Element = any;
  type ElementType = any;
  interface ElementAttributesProperty { props: {} }
  interface ElementChildrenAttribute { children: {} }
  interface IntrinsicAttributes { key?: any }
  interface IntrinsicClassAttributes<T> { ref?: any }
  interface IntrinsicElements { [name: string]: any }
}
`;

export class MissingModules {
  /** By specifier, or by path where it is relative: the tree of names used of it. */
  #modules = new Map();
  #files = new Map();
  jsx = false;

  /** The key under which a specifier is kept. */
  static key(specifier, containingFile) {
    return specifier.startsWith('.') ? path.resolve(path.dirname(containingFile), specifier) : specifier;
  }

  get size() {
    return this.list().length;
  }

  get isEmpty() {
    return this.#modules.size === 0;
  }

  /** `written` is whether the app says so itself; the compiler also asks for what JSX needs. */
  add(specifier, containingFile, written) {
    const key = MissingModules.key(specifier, containingFile);
    const known = this.#modules.get(key) ?? { specifier, relative: specifier.startsWith('.'), names: new Map(), files: new Set(), stars: false, written: false };
    known.files.add(containingFile);
    known.written ||= written;
    this.#modules.set(key, known);
    return known;
  }

  /** Drops what turned out to be declared after all. */
  forget(isDeclared) {
    for (const [key, { specifier }] of this.#modules) if (isDeclared(specifier)) this.#modules.delete(key);
  }

  get(specifier, containingFile) {
    return this.#modules.get(MissingModules.key(specifier, containingFile));
  }

  /** The stand-in of a specifier, as a resolution. */
  resolution(ts, specifier, containingFile, asModule) {
    const key = MissingModules.key(specifier, containingFile);
    if (!this.#modules.has(key)) return undefined;
    const extension = asModule ? ts.Extension.Dmts : ts.Extension.Dts;
    const file = `${FOLDER}/${Buffer.from(key).toString('base64url')}${extension}`;
    this.#files.set(file, key);
    return { resolvedFileName: file, extension, isExternalLibraryImport: true };
  }

  /** The text of a stand-in. */
  text(file) {
    if (file === GLOBALS_FILE) return IMPORT_META + (this.jsx ? JSX_NAMESPACE : '');
    const known = this.#modules.get(this.#files.get(file));
    return known && `${declarations(known.names, '')}export {};\n`;
  }

  get globals() {
    return GLOBALS_FILE;
  }

  static isStandIn(file) {
    return file.startsWith(`${FOLDER}/`);
  }

  /** Whether names were passed on with a star, so that nobody knows which. */
  get passesOnUnknownNames() {
    return [...this.#modules.values()].some(({ stars }) => stars);
  }

  /** Those that the app names. */
  list() {
    return [...this.#modules.values()].filter(({ written }) => written);
  }
}

/** A name as a value, a type and a namespace at once; all three may share it. */
function declarations(names, indent) {
  let text = '';
  for (const [name, members] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name === 'default') {
      text += `${one('default_', members, indent)}export { default_ as default };\n`;
    } else if (VALID_NAME.test(name) && !RESERVED.has(name)) {
      text += indent === '' ? `${one(name, members, indent)}export { ${name} };\n` : one(name, members, indent, 'export ');
    } else if (indent === '' && VALID_NAME.test(name)) {
      text += `declare const ${name}_: any; export { ${name}_ as ${name} };\n`;
    } else if (VALID_NAME.test(name) && !INTRINSIC.has(name)) {
      // Reserved words are allowed after a dot: `z.infer` is fine, and so is `z.function`.
      text += `${indent}type ${name}_${PARAMETERS} = any; export { ${name}_ as ${name} };\n`;
    }
  }
  return text;
}

function one(name, members, indent, prefix = 'declare ') {
  const type = INTRINSIC.has(name) ? '' : `${indent}${prefix}type ${name}${PARAMETERS} = any;\n`;
  const space = members.size === 0 ? '' : `${indent}${prefix}namespace ${name} {\n${declarations(members, `${indent}  `)}${indent}}\n`;
  return `${indent ? '' : `declare const ${name}: any;\n`}${type}${space}`;
}

/** Writes down which names of missing modules a file uses, in any position. */
export function collectNames(ts, file, missing) {
  const roots = new Map();
  const moduleOf = (specifier) => specifier && ts.isStringLiteralLike(specifier) && missing.get(specifier.text, file.fileName);
  const grow = (names, parts) => {
    let level = names;
    for (const part of parts.slice(0, 4)) {
      if (!level.has(part)) level.set(part, new Map());
      level = level.get(part);
    }
    return level;
  };
  for (const statement of file.statements) collectBindings(ts, statement, moduleOf, grow, roots);
  const visit = (node) => {
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const known = moduleOf(node.argument.literal);
      if (known && node.qualifier) grow(known.names, partsOf(ts, node.qualifier) ?? []);
    } else if (ts.isQualifiedName(node) || ts.isPropertyAccessExpression(node)) {
      const parts = partsOf(ts, node);
      const root = parts && roots.get(parts[0]);
      if (root) {
        grow(root, parts.slice(1));
        return;
      }
    }
    ts.forEachChild(node, visit);
  };
  if (roots.size > 0 || file.text.includes('import(')) visit(file);
}

function collectBindings(ts, statement, moduleOf, grow, roots) {
  if (ts.isImportDeclaration(statement)) {
    const known = moduleOf(statement.moduleSpecifier);
    const clause = statement.importClause;
    if (!known || !clause) return;
    if (clause.name) roots.set(clause.name.text, grow(known.names, ['default']));
    const bindings = clause.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) roots.set(bindings.name.text, known.names);
    else for (const { name, propertyName } of bindings?.elements ?? []) roots.set(name.text, grow(known.names, [(propertyName ?? name).text]));
  } else if (ts.isExportDeclaration(statement)) {
    const known = moduleOf(statement.moduleSpecifier);
    if (!known) return;
    if (!statement.exportClause) known.stars = true;
    else if (ts.isNamedExports(statement.exportClause)) {
      for (const { name, propertyName } of statement.exportClause.elements) grow(known.names, [(propertyName ?? name).text]);
    }
  } else if (ts.isImportEqualsDeclaration(statement) && ts.isExternalModuleReference(statement.moduleReference)) {
    const known = moduleOf(statement.moduleReference.expression);
    if (known) roots.set(statement.name.text, known.names);
  }
}

/** `A.B.C` as its three names; nothing for what is not made of names alone. */
function partsOf(ts, node) {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isQualifiedName(node)) return partsOf(ts, node.left)?.concat(node.right.text);
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name)) return partsOf(ts, node.expression)?.concat(node.name.text);
  return undefined;
}
