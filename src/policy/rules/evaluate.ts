import { bindArguments } from './bind-arguments.ts';
import { memberOf, setMember, sliceOf, checkFree } from './members.ts';
import { type Meter, objectWork } from './meter.ts';
import { joined, negate, operate, tupleOf } from './operators.ts';
import { RulesFault } from './rules-fault.ts';
import type { Block, Clause, Definition, DictEntry, Expression, Program, Statement } from './syntax.ts';
import { type FunctionValue, isTrue, itemsOf, keyOf, listOf, asWritten, asText, type Value } from './values.ts';

/** The values of names: of the file, of a call, of a comprehension. */
interface Scope {
  readonly names: ReadonlySet<string>;
  readonly values: Map<string, Value>;
  readonly outer: Scope | undefined;
}

/** Runs a file. What it does is what the functions among the known values do. */
export function runProgram({ body, names }: Program, known: ReadonlyMap<string, Value>, meter: Meter): void {
  const outer = { names: new Set(known.keys()), values: new Map(known), outer: undefined };
  run(body, { names, values: new Map(), outer }, meter);
}

/** How a block ended before its last line. */
type Ended = 'break' | 'continue' | { readonly value: Value } | undefined;

function run(block: Block, scope: Scope, meter: Meter): Ended {
  let ended: Ended;
  meter.enter();
  for (const statement of block) {
    meter.line = statement.line;
    meter.spend(1);
    ended = perform(statement, scope, meter);
    if (ended !== undefined) break;
  }
  meter.leave();
  return ended;
}

function perform(statement: Statement, scope: Scope, meter: Meter): Ended {
  switch (statement.kind) {
    case 'expression':
      evaluate(statement.value, scope, meter);
      return undefined;
    case 'assign':
      assign(statement.target, evaluate(statement.value, scope, meter), scope, meter);
      return undefined;
    case 'change':
      change(statement, scope, meter);
      return undefined;
    case 'if': {
      const found = statement.branches.find(([condition]) => isTrue(evaluate(condition, scope, meter)));
      return run(found?.[1] ?? statement.otherwise, scope, meter);
    }
    case 'for':
      return loop(statement, scope, meter);
    case 'def':
      scope.values.set(statement.definition.name, functionOf(statement.definition, scope, meter));
      return undefined;
    case 'return':
      return { value: statement.value === undefined ? null : evaluate(statement.value, scope, meter) };
    case 'break':
    case 'continue':
      return statement.kind;
    case 'pass':
      return undefined;
  }
}

function loop({ target, iterable, body }: Extract<Statement, { kind: 'for' }>, scope: Scope, meter: Meter): Ended {
  let end: Ended;
  eachOf(evaluate(iterable, scope, meter), meter, (item) => {
    assign(target, item, scope, meter);
    const ended = run(body, scope, meter);
    if (ended === undefined || ended === 'continue') return true;
    if (ended !== 'break') end = ended;
    return false;
  });
  return end;
}

/** Until `visit` says false. What is gone through cannot change meanwhile. */
function eachOf(value: Value, meter: Meter, visit: (item: Value) => boolean): void {
  const items = itemsOf(value);
  const held = value !== null && typeof value === 'object' && 'loops' in value ? value : undefined;
  if (held !== undefined) held.loops++;
  for (const item of items) {
    meter.spend(1);
    if (!visit(item)) break;
  }
  if (held !== undefined) held.loops--;
}

function assign(target: Expression, value: Value, scope: Scope, meter: Meter): void {
  if (target.kind === 'name') scope.values.set(target.name, value);
  else if (target.kind === 'index') {
    const holder = evaluate(target.of, scope, meter);
    setMember(holder, [evaluate(target.index, scope, meter), value], meter);
  } else if (target.kind === 'list' || target.kind === 'tuple') {
    const items = itemsOf(value);
    if (items.length !== target.items.length) {
      throw new RulesFault(
        `${items.length} values do not fit ${target.items.length} names.`,
        'Give one value to each name.',
      );
    }
    for (const [at, each] of target.items.entries()) assign(each, items[at] ?? null, scope, meter);
  }
}

/** `a += b` and the like. A list that grows stays the same list. */
function change({ target, operator, value }: Extract<Statement, { kind: 'change' }>, scope: Scope, meter: Meter): void {
  const before = evaluate(target, scope, meter);
  const more = evaluate(value, scope, meter);
  if (operator === '+' && before !== null && typeof before === 'object' && before.kind === 'list') {
    const items = itemsOf(more).slice();
    checkFree(before);
    meter.spend(items.length);
    for (const item of items) before.items.push(item);
    if (target.kind === 'name') scope.values.set(target.name, before);
  } else assign(target, operate(operator, before, more, meter), scope, meter);
}

function evaluate(expression: Expression, scope: Scope, meter: Meter): Value {
  meter.spend(1);
  meter.enter();
  const value = valueOf(expression, scope, meter);
  meter.leave();
  return value;
}

function valueOf(expression: Expression, scope: Scope, meter: Meter): Value {
  const inner = (part: Expression): Value => evaluate(part, scope, meter);
  switch (expression.kind) {
    case 'constant':
      return expression.value;
    case 'name':
      return lookUp(expression.name, scope);
    case 'format':
      return joined(
        expression.pieces.map((piece) => {
          if (typeof piece === 'string') return piece;
          return (piece.as === 'repr' ? asWritten : asText)(inner(piece.value), meter);
        }),
        meter,
      );
    case 'list':
      return listOf(expression.items.map(inner), meter);
    case 'tuple':
      return tupleOf(expression.items.map(inner), meter);
    case 'dict':
      return dictOf(expression.entries, inner, meter);
    case 'list-of': {
      const items: Value[] = [];
      comprehend(expression, scope, meter, (within) => void items.push(evaluate(expression.item, within, meter)));
      return listOf(items, meter);
    }
    case 'dict-of': {
      const entries = new Map<string, readonly [Value, Value]>();
      comprehend(expression, scope, meter, (within) => {
        const [key, value] = expression.entry;
        const made = evaluate(key, within, meter);
        entries.set(keyOf(made, meter), [made, evaluate(value, within, meter)]);
      });
      return { kind: 'dict', entries, loops: 0 };
    }
    case 'unary': {
      const value = inner(expression.operand);
      return expression.operator === 'not' ? !isTrue(value) : negate(expression.operator, value);
    }
    case 'binary': {
      const left = inner(expression.left);
      if (expression.operator === 'and') return isTrue(left) ? inner(expression.right) : left;
      if (expression.operator === 'or') return isTrue(left) ? left : inner(expression.right);
      return operate(expression.operator, left, inner(expression.right), meter);
    }
    case 'choice':
      return inner(isTrue(inner(expression.condition)) ? expression.chosen : expression.otherwise);
    case 'index':
      return memberOf(inner(expression.of), inner(expression.index), meter);
    case 'slice':
      return sliceOf(
        inner(expression.of),
        expression.bounds.map((bound) => bound && inner(bound)),
        meter,
      );
    case 'lambda':
      return functionOf(expression.definition, scope, meter);
    case 'call': {
      const callee = inner(expression.callee);
      const positional = expression.positional.map(inner);
      const named = new Map(expression.named.map(([name, value]) => [name, inner(value)]));
      if (callee === null || typeof callee !== 'object' || callee.kind !== 'function') {
        throw new RulesFault('This is not a function.', 'Call a function.', expression.line);
      }
      meter.spend(objectWork);
      meter.line = expression.line;
      meter.enterCall();
      const value = callee.call({ positional, named });
      meter.leaveCall();
      return value;
    }
  }
}

function lookUp(name: string, scope: Scope): Value {
  let place: Scope | undefined = scope;
  while (place !== undefined && !place.names.has(name)) place = place.outer;
  const value = place?.values.get(name);
  if (value !== undefined) return value;
  throw new RulesFault(`\`${name}\` has no value yet.`, 'Give it one before it is used.');
}

function dictOf(written: readonly DictEntry[], inner: (part: Expression) => Value, meter: Meter): Value {
  const entries = new Map<string, readonly [Value, Value]>();
  meter.spend(objectWork);
  for (const [key, value] of written) {
    const made = inner(key);
    const name = keyOf(made, meter);
    if (entries.has(name)) throw new RulesFault(`The key ${name.slice(0, 80)} appears twice.`, 'Remove one.', key.line);
    entries.set(name, [made, inner(value)]);
  }
  return { kind: 'dict', entries, loops: 0 };
}

function comprehend(
  { clauses, names }: { readonly clauses: readonly Clause[]; readonly names: ReadonlySet<string> },
  outer: Scope,
  meter: Meter,
  visit: (scope: Scope) => void,
): void {
  const scope: Scope = { names, values: new Map(), outer };
  const from = (at: number): void => {
    meter.enter();
    const clause = clauses[at];
    if (clause === undefined) visit(scope);
    else if (clause.kind === 'if') {
      if (isTrue(evaluate(clause.condition, scope, meter))) from(at + 1);
    } else {
      eachOf(evaluate(clause.iterable, at === 0 ? outer : scope, meter), meter, (item) => {
        assign(clause.target, item, scope, meter);
        from(at + 1);
        return true;
      });
    }
    meter.leave();
  };
  from(0);
}

function functionOf(definition: Definition, outer: Scope, meter: Meter): FunctionValue {
  const { name, names, body } = definition;
  meter.spend(objectWork);
  const parameters = definition.parameters.map(({ name: parameter, fallback }) => ({
    name: parameter,
    ...(fallback === undefined ? {} : { fallback: evaluate(fallback, outer, meter) }),
  }));
  return {
    kind: 'function',
    name,
    call(given) {
      const values = bindArguments(name, parameters, given);
      const ended = run(body, { names, values, outer }, meter);
      return typeof ended === 'object' ? ended.value : null;
    },
  };
}
