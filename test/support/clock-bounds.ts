import ts from 'typescript';

/** Readings of the time of day, or of the clock of a process. */
const CLOCK = /^(?:Date\.now|performance\.now|process\.hrtime(?:\.bigint)?)$/;
/** Names of measured times. */
const MEASURED = /^(?:ms|took|elapsed|duration|seconds|lag)$|(?:Ms|Millis|Seconds|Elapsed|Duration)$/;
/** CPU time, times in a response and constants of a spec are not measurements. */
const EXEMPT = /[cC]pu|[bB]usy|[rR]etryAfter|[lL]imit|[tT]imeout|[iI]nterval|^[A-Z_]+$/;

/** Lists assertions that a duration is less than a number of milliseconds, as `line: expectation`. */
export function clockBounds(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(source);
  const names = clockNames(nodes);
  return nodes.flatMap((node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    const { name, expression: expected } = node.expression;
    if (!ts.isCallExpression(expected) || expected.expression.getText() !== 'expect') return [];
    const [subject, bound] = [expected.arguments[0], node.arguments[0]];
    if (subject === undefined || !isUpperBound(name.text, subject, bound, names)) return [];
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    return [`${line + 1}: ${node.getText().replace(/\s+/g, ' ')}`];
  });
}

/** Names of clock readings of one file, and of differences between two readings. */
type Names = { readings: Set<string>; measured: Set<string> };

function clockNames(nodes: ts.Node[]): Names {
  const names: Names = { readings: new Set(), measured: new Set() };
  const given = nodes.flatMap(namedValue);
  for (const [name, value] of given) if (isReading(value)) names.readings.add(name);
  // A value computed from a measured name is measured, too.
  for (let before = -1; before !== names.measured.size;) {
    before = names.measured.size;
    for (const [name, value] of given) if (isTime(value, names)) names.measured.add(name);
  }
  return names;
}

/** Returns a name with its assigned value, or a list with a pushed value. */
function namedValue(node: ts.Node): [string, ts.Node][] {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression: list } = node.expression;
    return name.text === 'push' ? node.arguments.map((item) => [list.getText(), item]) : [];
  }
  const { name } = node as ts.NamedDeclaration;
  const value = valueOf(node);
  return value !== undefined && name !== undefined && ts.isIdentifier(name) ? [[name.text, value]] : [];
}

/** Returns a value, or the result of a function. */
function valueOf(node: ts.Node): ts.Node | undefined {
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) {
    const { initializer } = node;
    return initializer && ts.isArrowFunction(initializer) ? returnedBy(initializer) : initializer;
  }
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) ? returnedBy(node) : undefined;
}

function returnedBy({ body }: ts.FunctionLikeDeclaration): ts.Node | undefined {
  if (body === undefined || !ts.isBlock(body)) return body;
  return nodesOf(body).filter(ts.isReturnStatement).at(-1)?.expression;
}

function isUpperBound(matcher: string, subject: ts.Node, bound: ts.Node | undefined, names: Names): boolean {
  if (/^toBeLessThan|^toBeCloseTo/.test(matcher)) return isTime(subject, names) || isReading(subject);
  if (/^toBeGreaterThan/.test(matcher)) return bound !== undefined && isDifference(bound, names);
  return nodesOf(subject).some(
    (node) =>
      ts.isBinaryExpression(node) &&
      /^[<>]=?$/.test(node.operatorToken.getText()) &&
      (isTime(node.left, names) || isTime(node.right, names)),
  );
}

/** Returns true for a difference of readings, a measured name, or a value computed from them. */
function isTime(node: ts.Node, names: Names): boolean {
  const of = (inner: ts.Node): boolean => isTime(inner, names);
  const gives = (mapping: ts.ArrowFunction): boolean => {
    const value = returnedBy(mapping);
    return value !== undefined && of(value);
  };
  if (ts.isIdentifier(node))
    return names.measured.has(node.text) || (MEASURED.test(node.text) && !EXEMPT.test(node.text));
  if (ts.isPropertyAccessExpression(node)) return of(node.name);
  if (ts.isBinaryExpression(node)) {
    const isArithmetic = /^[-+*/]$/.test(node.operatorToken.getText());
    // The ratio of two times is the same on every machine.
    const isRatio = node.operatorToken.getText() === '/' && of(node.left) && of(node.right);
    return isDifference(node, names) || (isArithmetic && !isRatio && (of(node.left) || of(node.right)));
  }
  if (ts.isConditionalExpression(node)) return of(node.whenTrue) || of(node.whenFalse);
  if (ts.isCallExpression(node))
    return (
      of(node.expression) ||
      node.arguments.some((each) => (ts.isArrowFunction(each) ? gives(each) : isMath(node) && of(each)))
    );
  if (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)) return of(node.expression);
  return (ts.isSpreadElement(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)) && of(node.expression);
}

function isMath({ expression }: ts.CallExpression): boolean {
  return /^(?:Math\.\w+|Number)$/.test(expression.getText());
}

/** Returns true for elapsed time. The time until a moment (`moment - Date.now()`) only decreases on a slow machine. */
function isDifference(node: ts.Node, { readings }: Names): boolean {
  if (!ts.isBinaryExpression(node) || node.operatorToken.getText() !== '-') return false;
  return isReading(node.left) || (ts.isIdentifier(node.left) && readings.has(node.left.text));
}

function isReading(node: ts.Node): boolean {
  return ts.isCallExpression(node) && CLOCK.test(node.expression.getText());
}

function nodesOf(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [root];
  ts.forEachChild(root, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
}
