import { throwRulesFault, failNesting, maxNesting } from './faults-and-limits.ts';
import type {
  BinaryOperator,
  Block,
  ConditionalBranch,
  Clause,
  Clauses,
  DictEntry,
  EagerOperator,
  Expression,
  Parameter,
  RulesProgram,
  Statement,
} from './syntax-tree.ts';
import { type FormatPiece, type RulesToken, tokeniseRules } from './tokens.ts';

/** A file's syntax tree. `known`: predefined names. A name without a value is a fault anywhere. */
export function parseRules(text: string, known: ReadonlySet<string>): RulesProgram {
  const scope = newScope('file', undefined);
  const cursor: Cursor = { tokens: tokeniseRules(text), at: 0, depth: 0, scope };
  const body: Statement[] = [];
  while (peek(cursor).kind !== 'end') body.push(...statement(cursor));
  for (const [name, line] of scope.uses) {
    if (scope.names.has(name) || known.has(name)) continue;
    const next = `Correct the name, or define it. Known: ${[...known].join(', ')}.`;
    throwRulesFault(`\`${name}\` is not defined.`, next, line);
  }
  return { body, names: scope.names };
}

function statement(cursor: Cursor): readonly Statement[] {
  const { line } = peek(cursor);
  if (takeIf(cursor, 'def')) return [definition(cursor, line)];
  if (takeIf(cursor, 'if')) return [condition(cursor, line)];
  return takeIf(cursor, 'for') ? [loop(cursor, line)] : simpleStatements(cursor);
}

function definition(cursor: Cursor, line: number): Statement {
  const { text: name } = expect(cursor, 'name');
  cursor.scope.names.add(name);
  expect(cursor, 'symbol', '(');
  return { kind: 'def', line, definition: { name, ...parametersAndBody(cursor, ')', () => block(cursor)) } };
}

/** The body has a scope of its own, which knows the parameters. */
function parametersAndBody(cursor: Cursor, end: ')' | ':', readBody: () => Block) {
  const parameters = parseParameters(cursor, end);
  const { names } = openScope(cursor, 'function');
  for (const { name } of parameters) names.add(name);
  const body = readBody();
  closeScope(cursor);
  return { parameters, names, body };
}

function condition(cursor: Cursor, line: number): Statement {
  const branches: ConditionalBranch[] = [];
  do branches.push([parseExpression(cursor), block(cursor)]);
  while (takeIf(cursor, 'elif'));
  return { kind: 'if', line, branches, otherwise: takeIf(cursor, 'else') ? block(cursor) : [] };
}

function loop(cursor: Cursor, line: number): Statement {
  const target = parseTargets(cursor);
  expect(cursor, 'symbol', 'in');
  const iterable = parseExpression(cursor);
  cursor.scope.loops++;
  const body = block(cursor);
  cursor.scope.loops--;
  return { kind: 'for', line, target, iterable, body };
}

function block(cursor: Cursor): Block {
  expect(cursor, 'symbol', ':');
  if (peek(cursor).kind !== 'newline') return simpleStatements(cursor);
  expect(cursor, 'newline');
  expect(cursor, 'indent');
  return readNested(cursor, () => {
    const body: Statement[] = [];
    do body.push(...statement(cursor));
    while (peek(cursor).kind !== 'dedent');
    cursor.at++;
    return body;
  });
}

function simpleStatements(cursor: Cursor): readonly Statement[] {
  const found = [simpleStatement(cursor)];
  while (takeIf(cursor, ';') && peek(cursor).kind !== 'newline') found.push(simpleStatement(cursor));
  expect(cursor, 'newline');
  return found;
}

function simpleStatement(cursor: Cursor): Statement {
  const { line } = peek(cursor);
  if (takeIf(cursor, 'pass')) return { kind: 'pass', line };
  if (isNext(cursor, 'break', 'continue')) return jump(cursor, line);
  if (isNext(cursor, 'return')) return result(cursor, line);
  const target = parseExpressionList(cursor);
  if (takeIf(cursor, '='))
    return { kind: 'assign', line, target: asTarget(cursor, target), value: parseExpressionList(cursor) };
  if (!isNext(cursor, '+=', '-=', '*=', '//=', '%=')) return { kind: 'expression', line, value: target };
  const operator = expect(cursor, 'symbol').text.slice(0, -1) as EagerOperator;
  if (target.kind === 'list' || target.kind === 'tuple')
    throwRulesFault('Only one value can be changed at a time.', 'Split the line.', line);
  return { kind: 'change', line, operator, target: asTarget(cursor, target), value: parseExpressionList(cursor) };
}

function jump(cursor: Cursor, line: number): Statement {
  if (cursor.scope.loops === 0) throwRulesFault('There is no loop to leave here.', 'Remove the line.', line);
  return { kind: expect(cursor, 'symbol').text === 'break' ? 'break' : 'continue', line };
}

function result(cursor: Cursor, line: number): Statement {
  if (cursor.scope.kind !== 'function')
    throwRulesFault('There is no function to return from here.', 'Remove the line.', line);
  cursor.at++;
  const isBare = peek(cursor).kind === 'newline' || isNext(cursor, ';');
  return { kind: 'return', line, value: isBare ? undefined : parseExpressionList(cursor) };
}

export interface NameScope {
  readonly kind: 'file' | 'function' | 'comprehension';
  /** Names that it assigns. */
  readonly names: Set<string>;
  /** Names that it reads, and the line. */
  readonly uses: Map<string, number>;
  readonly outer: NameScope | undefined;
  loops: number;
}

type Cursor = { readonly tokens: readonly RulesToken[]; at: number; depth: number; scope: NameScope };

const newScope = (kind: NameScope['kind'], outer: NameScope | undefined): NameScope => ({
  kind,
  names: new Set(),
  uses: new Map(),
  outer,
  loops: 0,
});

const openScope = (cursor: Pick<Cursor, 'scope'>, kind: NameScope['kind']): NameScope =>
  (cursor.scope = newScope(kind, cursor.scope));

/** Names without a value in the scope are looked up in the enclosing one. */
function closeScope(cursor: Cursor): void {
  const { outer, names, uses } = cursor.scope;
  if (outer === undefined) return;
  for (const [name, line] of uses) if (!names.has(name) && !outer.uses.has(name)) outer.uses.set(name, line);
  cursor.scope = outer;
}

function peek(cursor: Cursor): RulesToken {
  // The last token is the end, which is never consumed.
  return cursor.tokens[cursor.at] ?? cursor.tokens.at(-1)!;
}

function isNext(cursor: Cursor, ...symbols: readonly string[]): boolean {
  const { kind, text } = peek(cursor);
  return kind === 'symbol' && symbols.includes(text);
}

function takeIf(cursor: Cursor, symbol: string): boolean {
  const found = isNext(cursor, symbol);
  if (found) cursor.at++;
  return found;
}

function expect(cursor: Cursor, wanted: RulesToken['kind'], text?: string): RulesToken {
  const token = peek(cursor);
  if (token.kind !== wanted || (text !== undefined && token.text !== text)) failOn(token, text ?? wanted);
  cursor.at++;
  return token;
}

const nouns: Readonly<Record<string, string>> = {
  newline: 'the end of the line',
  indent: 'an indented block',
  name: 'a name',
  expression: 'a value',
};

function failOn({ kind, text, line }: RulesToken, wanted: string): never {
  const found = ['name', 'number', 'symbol'].includes(kind) ? `\`${text}\`` : kind === 'string' ? 'a string' : text;
  throwRulesFault(`Unexpected: ${found}.`, `Expected here: ${nouns[wanted] ?? `\`${wanted}\``}.`, line);
}

/** Reads something that may contain itself. */
function readNested<Read>(cursor: Cursor, read: () => Read): Read {
  if (++cursor.depth > maxNesting) failNesting(peek(cursor).line);
  const found = read();
  cursor.depth--;
  return found;
}

/** Weakest first. `not` ranks between `and` and the comparisons. */
const levels: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  ['+', '-'],
  ['*', '//', '%'],
];
const comparisons = 2;

function parseExpression(cursor: Cursor): Expression {
  return readNested(cursor, () => {
    const { line } = peek(cursor);
    if (takeIf(cursor, 'lambda')) return lambda(cursor, line);
    const chosen = binary(cursor);
    if (!takeIf(cursor, 'if')) return chosen;
    const condition = binary(cursor);
    expect(cursor, 'symbol', 'else');
    return { kind: 'choice', line, condition, chosen, otherwise: parseExpression(cursor) };
  });
}

function parseExpressionList(cursor: Cursor): Expression {
  const { line } = peek(cursor);
  const first = parseExpression(cursor);
  return !isNext(cursor, ',') ? first : { kind: 'tuple', line, items: [first, ...moreExpressions(cursor, 'newline')] };
}

/** Each follows a comma. A trailing comma is allowed only in parentheses. */
function moreExpressions(cursor: Cursor, end: ')' | 'newline'): readonly Expression[] {
  const items: Expression[] = [];
  while (takeIf(cursor, ',')) if (end === 'newline' || !isNext(cursor, end)) items.push(parseExpression(cursor));
  return items;
}

function parseTargets(cursor: Cursor): Expression {
  const { line } = peek(cursor);
  const first = primary(cursor);
  const items = [first];
  while (takeIf(cursor, ',')) items.push(primary(cursor));
  return asTarget(cursor, items.length === 1 ? first : { kind: 'tuple', line, items });
}

function asTarget(cursor: Cursor, target: Expression): Expression {
  if (target.kind === 'name') cursor.scope.names.add(target.name);
  else if (target.kind === 'list' || target.kind === 'tuple') for (const item of target.items) asTarget(cursor, item);
  else if (target.kind !== 'index')
    throwRulesFault('Only a name can be given a value.', 'Give a value to a name.', target.line);
  return target;
}

/** A function's parameters up to a symbol. Defaults are read in the outer scope. */
function parseParameters(cursor: Cursor, end: ')' | ':'): readonly Parameter[] {
  const found: Parameter[] = [];
  while (!takeIf(cursor, end)) {
    const { text: name, line } = expect(cursor, 'name');
    const fallback = takeIf(cursor, '=') ? parseExpression(cursor) : undefined;
    if (found.some((other) => other.name === name))
      throwRulesFault(`Two parameters are called \`${name}\`.`, 'Rename one.', line);
    if (fallback === undefined && found.at(-1)?.fallback !== undefined)
      throwRulesFault(`\`${name}\` needs a default, as the parameter before it.`, 'Add one, or move it up.', line);
    found.push({ name, fallback });
    checkCount(found, line);
    if (!isNext(cursor, end)) expect(cursor, 'symbol', ',');
  }
  return found;
}

function checkCount({ length }: readonly unknown[], line: number): void {
  if (length > 100) throwRulesFault('A function has too many parameters.', 'Use a list.', line);
}

function lambda(cursor: Cursor, line: number): Expression {
  const readBody = (): Block => [{ kind: 'return', line, value: parseExpression(cursor) }];
  return { kind: 'lambda', line, definition: { name: 'lambda', ...parametersAndBody(cursor, ':', readBody) } };
}

/** An expression without a choice, from a level of operators on. */
function binary(cursor: Cursor, level = 0): Expression {
  const { line } = peek(cursor);
  if (level === comparisons && isNext(cursor, 'not')) {
    cursor.at++;
    return { kind: 'unary', line, operator: 'not', operand: readNested(cursor, () => binary(cursor, level)) };
  }
  const operators = levels[level];
  if (operators === undefined) return unary(cursor);
  let left = binary(cursor, level + 1);
  for (let operator = operatorOf(cursor, operators); operator; operator = operatorOf(cursor, operators)) {
    left = { kind: 'binary', line, operator, left, right: binary(cursor, level + 1) };
    if (level === comparisons && operatorOf(cursor, operators) !== undefined)
      throwRulesFault('Comparisons cannot be chained.', 'Join two of them with `and`.', line);
  }
  return left;
}

function operatorOf(cursor: Cursor, operators: readonly BinaryOperator[]): BinaryOperator | undefined {
  const { kind, text } = peek(cursor);
  if (kind !== 'symbol') return undefined;
  const next = cursor.tokens[cursor.at + 1]?.text;
  const written = text === 'not' && next === 'in' ? 'not in' : text;
  const found = operators.find((operator) => operator === written);
  if (found !== undefined) cursor.at += found === 'not in' ? 2 : 1;
  return found;
}

function unary(cursor: Cursor): Expression {
  const { line, text } = peek(cursor);
  if (!isNext(cursor, '-', '+')) return primary(cursor);
  cursor.at++;
  return { kind: 'unary', line, operator: text === '-' ? '-' : '+', operand: readNested(cursor, () => unary(cursor)) };
}

function primary(cursor: Cursor): Expression {
  let found = atom(cursor);
  for (;;) {
    const { line } = peek(cursor);
    if (takeIf(cursor, '(')) found = call(cursor, found);
    else if (takeIf(cursor, '[')) found = subscript(cursor, found, line);
    else return found;
  }
}

function call(cursor: Cursor, callee: Expression): Expression {
  const positional: Expression[] = [];
  const named: [string, Expression][] = [];
  while (!takeIf(cursor, ')')) {
    const { kind, text: name, line: at } = peek(cursor);
    if (kind === 'name' && cursor.tokens[cursor.at + 1]?.text === '=') {
      cursor.at += 2;
      if (named.some(([other]) => other === name)) throwRulesFault(`\`${name}\` is given twice.`, 'Remove one.', at);
      named.push([name, parseExpression(cursor)]);
      checkCount(named, at);
    } else if (named.length > 0) throwRulesFault('A value without a name follows one with a name.', 'Swap them.', at);
    else positional.push(parseExpression(cursor));
    if (!isNext(cursor, ')')) expect(cursor, 'symbol', ',');
  }
  return { kind: 'call', line: callee.line, callee, positional, named };
}

function subscript(cursor: Cursor, of: Expression, line: number): Expression {
  const bounds: (Expression | undefined)[] = [undefined];
  while (!isNext(cursor, ']')) {
    if (takeIf(cursor, ':') && bounds.length < 3) bounds.push(undefined);
    else if (bounds.at(-1) === undefined) bounds[bounds.length - 1] = parseExpression(cursor);
    else break;
  }
  expect(cursor, 'symbol', ']');
  const [index] = bounds;
  if (bounds.length > 1) return { kind: 'slice', line, of, bounds };
  if (index === undefined) throwRulesFault('The brackets are empty.', 'Write an index.', line);
  return { kind: 'index', line, of, index };
}

const constants: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };

function atom(cursor: Cursor): Expression {
  const token = peek(cursor);
  const { kind, text, line } = token;
  cursor.at++;
  if (kind === 'string') return { kind: 'constant', line, value: text };
  if (kind === 'number') return { kind: 'constant', line, value: Number(text) };
  const pieces = token.pieces?.map((piece) => formatted(cursor, piece, line));
  if (pieces !== undefined) return { kind: 'format', line, pieces };
  if (kind === 'name') {
    if (!cursor.scope.uses.has(text)) cursor.scope.uses.set(text, line);
    return { kind: 'name', line, name: text };
  }
  if (kind !== 'symbol') failOn(token, 'expression');
  const value = constants[text];
  if (value !== undefined) return { kind: 'constant', line, value };
  if (text === '(') return inParentheses(cursor, line);
  if (text === '[') return list(cursor, line);
  if (text === '{') return dict(cursor, line);
  failOn(token, 'expression');
}

function formatted(cursor: Cursor, piece: FormatPiece, line: number) {
  if (typeof piece === 'string') return piece;
  const { source, as } = piece;
  const inner: Cursor = { ...cursor, tokens: tokeniseRules(source.replaceAll('\n', ' ').trim(), line), at: 0 };
  const value = parseExpression(inner);
  expect(inner, 'newline');
  return { value, as };
}

function inParentheses(cursor: Cursor, line: number): Expression {
  if (takeIf(cursor, ')')) return { kind: 'tuple', line, items: [] };
  const first = parseExpression(cursor);
  const isTuple = isNext(cursor, ',');
  const more = moreExpressions(cursor, ')');
  expect(cursor, 'symbol', ')');
  return isTuple ? { kind: 'tuple', line, items: [first, ...more] } : first;
}

function list(cursor: Cursor, line: number): Expression {
  const members = readMembers(cursor, ']', parseExpression);
  return 'items' in members
    ? { kind: 'list', line, items: members.items }
    : { kind: 'list-of', line, item: members.first, ...members.clauses };
}

function dict(cursor: Cursor, line: number): Expression {
  const members = readMembers(cursor, '}', dictEntry);
  return 'items' in members
    ? { kind: 'dict', line, entries: members.items }
    : { kind: 'dict-of', line, entry: members.first, ...members.clauses };
}

function dictEntry(cursor: Cursor): DictEntry {
  const key = parseExpression(cursor);
  expect(cursor, 'symbol', ':');
  return [key, parseExpression(cursor)];
}

type Members<Member> = { readonly items: readonly Member[] } | { readonly first: Member; readonly clauses: Clauses };

/** Only a `for` after the first member shows that this is a comprehension, which has names of its own. */
function readMembers<Member>(cursor: Cursor, end: string, read: (cursor: Cursor) => Member): Members<Member> {
  if (takeIf(cursor, end)) return { items: [] };
  const { names } = openScope(cursor, 'comprehension');
  const first = read(cursor);
  const clauses: Clause[] = [];
  while (isNext(cursor, 'for', ...(clauses.length > 0 ? ['if'] : []))) clauses.push(clause(cursor, clauses.length));
  closeScope(cursor);
  if (clauses.length > 0) {
    expect(cursor, 'symbol', end);
    return { first, clauses: { clauses, names } };
  }
  const items = [first];
  while (!takeIf(cursor, end)) {
    expect(cursor, 'symbol', ',');
    if (!isNext(cursor, end)) items.push(read(cursor));
  }
  return { items };
}

function clause(cursor: Cursor, number: number): Clause {
  if (takeIf(cursor, 'if')) return { kind: 'if', condition: binary(cursor) };
  expect(cursor, 'symbol', 'for');
  const target = parseTargets(cursor);
  expect(cursor, 'symbol', 'in');
  const { scope } = cursor;
  // The first clause's source does not see the comprehension's names.
  if (number === 0) cursor.scope = scope.outer ?? scope;
  const iterable = binary(cursor);
  cursor.scope = scope;
  return { kind: 'for', target, iterable };
}
