import { type Cursor, closeScope, expect, readNested, openScope, peek, sees, takeIf, unexpected } from './cursor.ts';
import { RulesFault } from './rules-fault.ts';
import type { FormatPiece } from './string-literals.ts';
import type { BinaryOperator, Clause, Clauses, DictEntry, Expression, Parameter } from './syntax.ts';
import { type Token, tokenise } from './tokens.ts';

/** Weakest first. `not` stands between `and` and the comparisons. */
const levels: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  ['+', '-'],
  ['*', '//', '%'],
];
const comparisons = 2;

export function expression(cursor: Cursor): Expression {
  return readNested(cursor, () => {
    const { line } = peek(cursor);
    if (takeIf(cursor, 'lambda')) return lambda(cursor, line);
    const chosen = withoutChoice(cursor);
    if (!takeIf(cursor, 'if')) return chosen;
    const condition = withoutChoice(cursor);
    expect(cursor, 'symbol', 'else');
    return { kind: 'choice', line, condition, chosen, otherwise: expression(cursor) };
  });
}

/** One value, or several with commas between them, which make a tuple. */
export function expressions(cursor: Cursor): Expression {
  const { line } = peek(cursor);
  const first = expression(cursor);
  if (!sees(cursor, ',')) return first;
  return { kind: 'tuple', line, items: [first, ...moreExpressions(cursor, 'newline')] };
}

/** Each after a comma. Only in parentheses may a comma be the last word. */
function moreExpressions(cursor: Cursor, end: ')' | 'newline'): readonly Expression[] {
  const items: Expression[] = [];
  while (takeIf(cursor, ',')) if (end === 'newline' || !sees(cursor, end)) items.push(expression(cursor));
  return items;
}

/** What gets a value: names, members, or several of them. Its names belong to the scope. */
export function targets(cursor: Cursor): Expression {
  const { line } = peek(cursor);
  const first = primary(cursor);
  const items = [first];
  while (takeIf(cursor, ',')) items.push(primary(cursor));
  return asTarget(cursor, items.length === 1 ? first : { kind: 'tuple', line, items });
}

export function asTarget(cursor: Cursor, target: Expression): Expression {
  if (target.kind === 'name') cursor.scope.names.add(target.name);
  else if (target.kind === 'list' || target.kind === 'tuple') for (const item of target.items) asTarget(cursor, item);
  else if (target.kind !== 'index') {
    throw new RulesFault('Only a name can be given a value.', 'Give a value to a name.', target.line);
  }
  return target;
}

/** The parameters of a function up to a symbol. What they are by default is read outside of it. */
export function parameters(cursor: Cursor, end: ')' | ':'): readonly Parameter[] {
  const found: Parameter[] = [];
  while (!takeIf(cursor, end)) {
    const { text: name, line } = expect(cursor, 'name');
    const fallback = takeIf(cursor, '=') ? expression(cursor) : undefined;
    if (found.some((other) => other.name === name))
      throw new RulesFault(`Two parameters are called \`${name}\`.`, 'Rename one.', line);
    if (fallback === undefined && found.at(-1)?.fallback !== undefined) {
      throw new RulesFault(`\`${name}\` needs a default, as the parameter before it.`, 'Add one, or move it up.', line);
    }
    found.push(fallback === undefined ? { name } : { name, fallback });
    checkCount(found, line);
    if (!sees(cursor, end)) expect(cursor, 'symbol', ',');
  }
  return found;
}

const mostParameters = 100;

function checkCount({ length }: readonly unknown[], line: number): void {
  if (length > mostParameters) throw new RulesFault('A function has too many parameters.', 'Use a list.', line);
}

function lambda(cursor: Cursor, line: number): Expression {
  const given = parameters(cursor, ':');
  const { names } = openScope(cursor, 'function');
  for (const { name } of given) names.add(name);
  const value = expression(cursor);
  closeScope(cursor);
  const definition = { name: 'lambda', parameters: given, names, body: [{ kind: 'return' as const, line, value }] };
  return { kind: 'lambda', line, definition };
}

function withoutChoice(cursor: Cursor): Expression {
  return binary(cursor, 0);
}

function binary(cursor: Cursor, level: number): Expression {
  const { line } = peek(cursor);
  if (level === comparisons && sees(cursor, 'not')) {
    cursor.at++;
    return { kind: 'unary', line, operator: 'not', operand: readNested(cursor, () => binary(cursor, level)) };
  }
  const operators = levels[level];
  if (operators === undefined) return unary(cursor);
  let left = binary(cursor, level + 1);
  for (let operator = operatorOf(cursor, operators); operator; operator = operatorOf(cursor, operators)) {
    left = { kind: 'binary', line, operator, left, right: binary(cursor, level + 1) };
    if (level === comparisons && operatorOf(cursor, operators) !== undefined) {
      throw new RulesFault('Comparisons cannot be chained.', 'Join two of them with `and`.', line);
    }
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
  if (!sees(cursor, '-', '+')) return primary(cursor);
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
      if (named.some(([other]) => other === name))
        throw new RulesFault(`\`${name}\` is given twice.`, 'Remove one.', at);
      named.push([name, expression(cursor)]);
      checkCount(named, at);
    } else if (named.length > 0)
      throw new RulesFault('A value without a name follows one with a name.', 'Swap them.', at);
    else positional.push(expression(cursor));
    if (!sees(cursor, ')')) expect(cursor, 'symbol', ',');
  }
  return { kind: 'call', line: callee.line, callee, positional, named };
}

function subscript(cursor: Cursor, of: Expression, line: number): Expression {
  const bounds: (Expression | undefined)[] = [undefined];
  while (!sees(cursor, ']')) {
    if (takeIf(cursor, ':') && bounds.length < 3) bounds.push(undefined);
    else if (bounds.at(-1) === undefined) bounds[bounds.length - 1] = expression(cursor);
    else break;
  }
  expect(cursor, 'symbol', ']');
  const [index] = bounds;
  if (bounds.length > 1) return { kind: 'slice', line, of, bounds };
  if (index === undefined) throw new RulesFault('The brackets are empty.', 'Write an index.', line);
  return { kind: 'index', line, of, index };
}

const constants: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };

function atom(cursor: Cursor): Expression {
  const token = peek(cursor);
  const { kind, text, line } = token;
  cursor.at++;
  if (kind === 'string') return { kind: 'constant', line, value: text };
  if (kind === 'number') return { kind: 'constant', line, value: Number(text) };
  if (kind === 'format')
    return { kind: 'format', line, pieces: (token.pieces ?? []).map((piece) => formatted(cursor, piece, line)) };
  if (kind === 'name') {
    if (!cursor.scope.uses.has(text)) cursor.scope.uses.set(text, line);
    return { kind: 'name', line, name: text };
  }
  const value = kind === 'symbol' ? constants[text] : undefined;
  if (value !== undefined) return { kind: 'constant', line, value };
  if (kind === 'symbol' && text === '(') return inParentheses(cursor, line);
  if (kind === 'symbol' && text === '[') return list(cursor, line);
  if (kind === 'symbol' && text === '{') return dict(cursor, line);
  throw unexpected(token, 'expression');
}

function formatted(cursor: Cursor, piece: FormatPiece, line: number) {
  if (typeof piece === 'string') return piece;
  const { source, as } = piece;
  const tokens: readonly Token[] = tokenise(source.replaceAll('\n', ' ').trim(), line);
  const inner: Cursor = { tokens, at: 0, depth: cursor.depth, scope: cursor.scope };
  const value = expression(inner);
  expect(inner, 'newline');
  return { value, as };
}

function inParentheses(cursor: Cursor, line: number): Expression {
  if (takeIf(cursor, ')')) return { kind: 'tuple', line, items: [] };
  const first = expression(cursor);
  const isTuple = sees(cursor, ',');
  const more = moreExpressions(cursor, ')');
  expect(cursor, 'symbol', ')');
  return isTuple ? { kind: 'tuple', line, items: [first, ...more] } : first;
}

function list(cursor: Cursor, line: number): Expression {
  const { first, clauses } = firstMember(cursor, ']', expression);
  if (first !== undefined && clauses !== undefined) return { kind: 'list-of', line, item: first, ...clauses };
  return { kind: 'list', line, items: first === undefined ? [] : [first, ...otherMembers(cursor, ']', expression)] };
}

function dict(cursor: Cursor, line: number): Expression {
  const { first, clauses } = firstMember(cursor, '}', dictEntry);
  if (first !== undefined && clauses !== undefined) return { kind: 'dict-of', line, entry: first, ...clauses };
  return { kind: 'dict', line, entries: first === undefined ? [] : [first, ...otherMembers(cursor, '}', dictEntry)] };
}

function dictEntry(cursor: Cursor): DictEntry {
  const key = expression(cursor);
  expect(cursor, 'symbol', ':');
  return [key, expression(cursor)];
}

/** Whether it is a comprehension shows behind it: only then has it names of its own. */
function firstMember<Member>(
  cursor: Cursor,
  end: string,
  read: (cursor: Cursor) => Member,
): { readonly first?: Member; readonly clauses?: Clauses } {
  if (takeIf(cursor, end)) return {};
  const { names } = openScope(cursor, 'comprehension');
  const first = read(cursor);
  const found: Clause[] = [];
  while (sees(cursor, ...(found.length === 0 ? ['for'] : ['for', 'if']))) found.push(clause(cursor, found.length));
  closeScope(cursor);
  if (found.length === 0) return { first };
  expect(cursor, 'symbol', end);
  return { first, clauses: { clauses: found, names } };
}

function clause(cursor: Cursor, number: number): Clause {
  if (takeIf(cursor, 'if')) return { kind: 'if', condition: withoutChoice(cursor) };
  expect(cursor, 'symbol', 'for');
  const target = targets(cursor);
  expect(cursor, 'symbol', 'in');
  const { scope } = cursor;
  // What the first one goes through does not know the names of the comprehension.
  if (number === 0) cursor.scope = scope.outer ?? scope;
  const iterable = withoutChoice(cursor);
  cursor.scope = scope;
  return { kind: 'for', target, iterable };
}

function otherMembers<Member>(cursor: Cursor, end: string, read: (cursor: Cursor) => Member): readonly Member[] {
  const others: Member[] = [];
  while (!takeIf(cursor, end)) {
    expect(cursor, 'symbol', ',');
    if (!sees(cursor, end)) others.push(read(cursor));
  }
  return others;
}
