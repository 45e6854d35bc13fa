// Which of the compiler's errors say only that something is not installed.

/** Errors that say it themselves. */
const SAYS_SO = new Map([
  [2307, 'module'], [2792, 'module'], [2882, 'module'], [7016, 'module'], [2732, 'module'], [2664, 'module'], [2665, 'module'],
  [6053, 'module'], [2688, 'type library'], [2875, 'module'], [7026, 'type library'], [2602, 'type library'], [6137, 'module'],
]);
/** Names that only type packages declare: no fault while nothing is installed. */
const AMBIENT = new Set([2503, 2580, 2581, 2582, 2591, 2592, 2593, 2867, 2868]);
const CANNOT_FIND_NAME = new Set([2304, 2552, 2318]);
const AMBIENT_NAMES = new Set(['__dirname', '__filename', 'global', 'exports', 'setImmediate', 'clearImmediate', 'Deno', 'Bun', 'EdgeRuntime', 'chrome',
  'google', 'expect', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'vi', 'jest', 'cy', 'React', 'GeoJSON', 'ReactNode']);
const UNKNOWN_EXPORT = new Set([2305, 2614, 2694, 2724]);
const NO_SUCH_PROPERTY = new Set([2339, 2551, 7053]);
const UNTYPED_CALL = 2347;
const IMPLICIT_ANY = new Set([7006, 7019, 7031, 7051]);
const MIXED_MODULES = new Set([1471, 1479, 1541, 1542]);

/** A function that names what is missing behind an error, or answers `undefined` for an error that counts. */
export function consequences(ts, program, missing, installed) {
  const checker = program.getTypeChecker();
  const isAny = (node) => (checker.getTypeAtLocation(node).flags & ts.TypeFlags.Any) !== 0;
  return (error, text) => {
    const { code } = error;
    if (SAYS_SO.has(code)) return SAYS_SO.get(code);
    if (!installed && AMBIENT.has(code)) return 'type library';
    if (!installed && CANNOT_FIND_NAME.has(code) && AMBIENT_NAMES.has(/name '([^']+)'/.exec(text)?.[1])) return 'type library';
    if (missing.size === 0 || !error.file) return undefined;
    if (UNKNOWN_EXPORT.has(code) && (missing.passesOnUnknownNames || namesStandIn(text, missing))) return 'module';
    if ((NO_SUCH_PROPERTY.has(code) || MIXED_MODULES.has(code)) && namesStandIn(text, missing)) return 'module';
    if (code === UNTYPED_CALL) return 'untyped call';
    if (IMPLICIT_ANY.has(code) && hasUntypedContext(nodeAt(ts, error.file, error.start))) return 'untyped context';
    return undefined;
  };

  /** Whether a function got no types for its parameters because what it is handed to has none itself. */
  function hasUntypedContext(node) {
    let current = node;
    while (current && !ts.isFunctionLike(current)) current = current.parent;
    if (!current) return false;
    for (; current && current.parent; current = current.parent) {
      const { parent } = current;
      if (ts.isJsxAttribute(parent) || ts.isJsxExpression(parent) || ts.isJsxSpreadAttribute(parent)) return isUntypedElement(parent);
      const isExpression = ts.isExpression(current) && !ts.isOmittedExpression(current);
      const context = isExpression ? checker.getContextualType(current) : undefined;
      if (context && context.flags & ts.TypeFlags.Any) return true;
      if (isArgument(parent, current)) return isAny(parent.expression);
      if (!passesContextOn(parent)) return false;
    }
    return false;
  }

  function isArgument(parent, node) {
    return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && (parent.arguments ?? []).includes(node);
  }

  function passesContextOn(node) {
    return ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node) || ts.isParenthesizedExpression(node)
      || ts.isConditionalExpression(node) || ts.isPropertyAssignment(node) || ts.isSpreadElement(node) || ts.isSpreadAssignment(node)
      || ts.isBinaryExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isAwaitExpression(node)
      || ts.isArrowFunction(node) || ts.isReturnStatement(node) || ts.isNonNullExpression(node);
  }

  function isUntypedElement(node) {
    let current = node;
    while (current && !ts.isJsxOpeningLikeElement(current) && !ts.isJsxElement(current) && !ts.isJsxFragment(current)) current = current.parent;
    if (!current || ts.isJsxFragment(current)) return false;
    const { tagName } = ts.isJsxElement(current) ? current.openingElement : current;
    const intrinsic = ts.isIdentifier(tagName) && /^[a-z]/.test(tagName.text);
    return intrinsic ? missing.jsx : isAny(tagName);
  }
}

function namesStandIn(text, missing) {
  return /benchwright-missing/.test(text) || missing.list().some(({ specifier }) => text.includes(`"${specifier}"`));
}

function nodeAt(ts, file, position) {
  let found = file;
  const visit = (node) => {
    if (node.getStart(file) <= position && position < node.getEnd()) {
      found = node;
      ts.forEachChild(node, visit);
    }
  };
  ts.forEachChild(file, visit);
  return found;
}
