import { type Cursor, closeScope, expect, readNested, openScope, peek, sees, takeIf } from './cursor.ts';
import { asTarget, expression, expressions, parameters, targets } from './parse-expression.ts';
import { RulesFault } from './rules-fault.ts';
import type { BinaryOperator, Block, Branch, Program, Statement } from './syntax.ts';
import { tokenise } from './tokens.ts';

/** The tree of a file. `known`: names that have a value without the file. A name that has none is a fault anywhere. */
export function parseRules(text: string, known: ReadonlySet<string>): Program {
  const scope = {
    kind: 'file' as const,
    names: new Set<string>(),
    uses: new Map<string, number>(),
    outer: undefined,
    loops: 0,
  };
  const cursor: Cursor = { tokens: tokenise(text), at: 0, depth: 0, scope };
  const body: Statement[] = [];
  while (peek(cursor).kind !== 'end') body.push(...statement(cursor));
  for (const [name, line] of scope.uses) {
    if (!scope.names.has(name) && !known.has(name)) {
      throw new RulesFault(
        `\`${name}\` is not defined.`,
        `Correct the name, or define it. Known: ${[...known].join(', ')}.`,
        line,
      );
    }
  }
  return { body, names: scope.names };
}

function statement(cursor: Cursor): readonly Statement[] {
  const { line } = peek(cursor);
  if (takeIf(cursor, 'def')) return [definition(cursor, line)];
  if (takeIf(cursor, 'if')) return [condition(cursor, line)];
  if (takeIf(cursor, 'for')) return [loop(cursor, line)];
  return simpleStatements(cursor);
}

function definition(cursor: Cursor, line: number): Statement {
  const { text: name } = expect(cursor, 'name');
  cursor.scope.names.add(name);
  expect(cursor, 'symbol', '(');
  const given = parameters(cursor, ')');
  const { names } = openScope(cursor, 'function');
  for (const parameter of given) names.add(parameter.name);
  const body = block(cursor);
  closeScope(cursor);
  return { kind: 'def', line, definition: { name, parameters: given, names, body } };
}

function condition(cursor: Cursor, line: number): Statement {
  const branches: Branch[] = [];
  do branches.push([expression(cursor), block(cursor)]);
  while (takeIf(cursor, 'elif'));
  return { kind: 'if', line, branches, otherwise: takeIf(cursor, 'else') ? block(cursor) : [] };
}

function loop(cursor: Cursor, line: number): Statement {
  const target = targets(cursor);
  expect(cursor, 'symbol', 'in');
  const iterable = expression(cursor);
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

/** Those of one line. */
function simpleStatements(cursor: Cursor): readonly Statement[] {
  const found = [simpleStatement(cursor)];
  while (takeIf(cursor, ';') && peek(cursor).kind !== 'newline') found.push(simpleStatement(cursor));
  expect(cursor, 'newline');
  return found;
}

function simpleStatement(cursor: Cursor): Statement {
  const { line } = peek(cursor);
  if (takeIf(cursor, 'pass')) return { kind: 'pass', line };
  if (sees(cursor, 'break', 'continue')) return jump(cursor, line);
  if (sees(cursor, 'return')) return result(cursor, line);
  const target = expressions(cursor);
  if (takeIf(cursor, '='))
    return { kind: 'assign', line, target: asTarget(cursor, target), value: expressions(cursor) };
  if (!sees(cursor, '+=', '-=', '*=', '//=', '%=')) return { kind: 'expression', line, value: target };
  const operator = expect(cursor, 'symbol').text.slice(0, -1) as BinaryOperator;
  if (target.kind === 'list' || target.kind === 'tuple')
    throw new RulesFault('Only one value can be changed at a time.', 'Split the line.', line);
  return { kind: 'change', line, operator, target: asTarget(cursor, target), value: expressions(cursor) };
}

function jump(cursor: Cursor, line: number): Statement {
  if (cursor.scope.loops === 0) throw new RulesFault('There is no loop to leave here.', 'Remove the line.', line);
  return { kind: expect(cursor, 'symbol').text === 'break' ? 'break' : 'continue', line };
}

function result(cursor: Cursor, line: number): Statement {
  if (cursor.scope.kind !== 'function')
    throw new RulesFault('There is no function to return from here.', 'Remove the line.', line);
  cursor.at++;
  const isBare = peek(cursor).kind === 'newline' || sees(cursor, ';');
  return { kind: 'return', line, value: isBare ? undefined : expressions(cursor) };
}
