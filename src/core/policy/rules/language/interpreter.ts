import { throwRulesFault, type RulesMeter, rulesObjectWork } from './faults-and-limits.ts';
import {
  applyOperator,
  checkNotIterated,
  joinMeteredTexts,
  makeRulesTuple,
  memberOf,
  applyNumberSign,
  setMember,
  sliceOf,
} from './operators.ts';
import type {
  Block,
  Clauses,
  FunctionDefinition,
  DictEntry,
  Expression,
  RulesProgram,
  Statement,
} from './syntax-tree.ts';
import {
  valueToString,
  valueToSource,
  isKind,
  isTruthy,
  loopItems,
  dictKeyOf,
  makeRulesList,
  rulesValueSize,
  rulesTypeName,
} from './values.ts';
import type { CallArguments, FunctionValue, RulesValue } from './values.ts';

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly values: Map<string, RulesValue>;
  readonly outer: Scope | undefined;
}

/** Runs a file. Its only effects are those of the functions in `known`. */
export function runRulesProgram(
  { body, names }: RulesProgram,
  known: ReadonlyMap<string, RulesValue>,
  meter: RulesMeter,
) {
  const outer = { names: new Set(known.keys()), values: new Map(known), outer: undefined };
  run(body, { names, values: new Map(), outer }, meter);
}

/** How a block ended before its last line. */
type Ended = 'break' | 'continue' | { readonly value: RulesValue } | undefined;

function run(block: Block, scope: Scope, meter: RulesMeter): Ended {
  return meter.nested(() => {
    for (const statement of block) {
      meter.line = statement.line;
      meter.spend(1);
      const ended = perform(statement, scope, meter);
      if (ended !== undefined) return ended;
    }
    return undefined;
  });
}

function perform(statement: Statement, scope: Scope, meter: RulesMeter): Ended {
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
      const found = statement.branches.find(([condition]) => isTruthy(evaluate(condition, scope, meter)));
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

function loop({ target, iterable, body }: Extract<Statement, { kind: 'for' }>, scope: Scope, meter: RulesMeter): Ended {
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

/** Stops when `visit` returns false. The value cannot change meanwhile. */
function eachOf(value: RulesValue, meter: RulesMeter, visit: (item: RulesValue) => boolean): void {
  const items = loopItems(value);
  const held = isKind(value, 'list', 'dict') ? value : undefined;
  if (held !== undefined) held.loops++;
  for (const item of items) {
    meter.spend(1);
    if (!visit(item)) break;
  }
  if (held !== undefined) held.loops--;
}

function assign(target: Expression, value: RulesValue, scope: Scope, meter: RulesMeter): void {
  if (target.kind === 'name') scope.values.set(target.name, value);
  else if (target.kind === 'index') {
    const holder = evaluate(target.of, scope, meter);
    setMember(holder, [evaluate(target.index, scope, meter), value], meter);
  } else if (target.kind === 'list' || target.kind === 'tuple') {
    const items = loopItems(value);
    const what = `${items.length} values do not fit ${target.items.length} names.`;
    if (items.length !== target.items.length) throwRulesFault(what, 'Give one value to each name.');
    for (const [at, each] of target.items.entries()) assign(each, items[at] ?? null, scope, meter);
  }
}

/** `a += b` and the like. A list is extended in place. */
function change(
  { target, operator, value }: Extract<Statement, { kind: 'change' }>,
  scope: Scope,
  meter: RulesMeter,
): void {
  const before = evaluate(target, scope, meter);
  const more = evaluate(value, scope, meter);
  if (operator === '+' && isKind(before, 'list')) {
    const items = loopItems(more).slice();
    checkNotIterated(before);
    meter.spend(items.length);
    for (const item of items) before.items.push(item);
    if (target.kind === 'name') scope.values.set(target.name, before);
  } else assign(target, applyOperator(operator, before, more, meter), scope, meter);
}

function evaluate(expression: Expression, scope: Scope, meter: RulesMeter): RulesValue {
  meter.spend(1);
  return meter.nested(() => valueOf(expression, scope, meter));
}

function valueOf(expression: Expression, scope: Scope, meter: RulesMeter): RulesValue {
  const inner = (part: Expression): RulesValue => evaluate(part, scope, meter);
  switch (expression.kind) {
    case 'constant':
      return expression.value;
    case 'name':
      return lookUp(expression.name, scope);
    case 'format': {
      const texts = expression.pieces.map((piece) => {
        if (typeof piece === 'string') return piece;
        return (piece.as === 'repr' ? valueToSource : valueToString)(inner(piece.value), meter);
      });
      return joinMeteredTexts(texts, meter);
    }
    case 'list':
      return makeRulesList(expression.items.map(inner), meter);
    case 'tuple':
      return makeRulesTuple(expression.items.map(inner), meter);
    case 'dict':
      return dictOf(expression.entries, inner, meter);
    case 'list-of': {
      const items: RulesValue[] = [];
      comprehend(expression, scope, meter, (within) => void items.push(evaluate(expression.item, within, meter)));
      return makeRulesList(items, meter);
    }
    case 'dict-of': {
      const entries = new Map<string, readonly [RulesValue, RulesValue]>();
      comprehend(expression, scope, meter, (within) => {
        const [key, value] = expression.entry;
        const made = evaluate(key, within, meter);
        entries.set(dictKeyOf(made, meter), [made, evaluate(value, within, meter)]);
      });
      return { kind: 'dict', entries, loops: 0 };
    }
    case 'unary': {
      const value = inner(expression.operand);
      return expression.operator === 'not' ? !isTruthy(value) : applyNumberSign(expression.operator, value);
    }
    case 'binary': {
      const left = inner(expression.left);
      if (expression.operator === 'and') return isTruthy(left) ? inner(expression.right) : left;
      if (expression.operator === 'or') return isTruthy(left) ? left : inner(expression.right);
      return applyOperator(expression.operator, left, inner(expression.right), meter);
    }
    case 'choice':
      return inner(isTruthy(inner(expression.condition)) ? expression.chosen : expression.otherwise);
    case 'index':
      return memberOf(inner(expression.of), inner(expression.index), meter);
    case 'slice': {
      const [of, ...bounds] = [expression.of, ...expression.bounds].map((part) => part && inner(part));
      return sliceOf(of ?? null, bounds, meter);
    }
    case 'lambda':
      return functionOf(expression.definition, scope, meter);
    case 'call': {
      const callee = inner(expression.callee);
      const positional = expression.positional.map(inner);
      const named = new Map(expression.named.map(([name, value]) => [name, inner(value)]));
      if (!isKind(callee, 'function')) throwRulesFault('This is not a function.', 'Call a function.', expression.line);
      meter.spend(rulesObjectWork);
      meter.line = expression.line;
      return meter.call(() => callee.call({ positional, named }));
    }
  }
}

function lookUp(name: string, scope: Scope): RulesValue {
  let place: Scope | undefined = scope;
  while (place !== undefined && !place.names.has(name)) place = place.outer;
  const value = place?.values.get(name);
  if (value !== undefined) return value;
  throwRulesFault(`\`${name}\` has no value yet.`, 'Give it one before it is used.');
}

function dictOf(written: readonly DictEntry[], inner: (part: Expression) => RulesValue, meter: RulesMeter): RulesValue {
  const entries = new Map<string, readonly [RulesValue, RulesValue]>();
  meter.spend(rulesObjectWork);
  for (const [key, value] of written) {
    const made = inner(key);
    const name = dictKeyOf(made, meter);
    if (entries.has(name)) throwRulesFault(`The key ${name.slice(0, 80)} appears twice.`, 'Remove one.', key.line);
    entries.set(name, [made, inner(value)]);
  }
  return { kind: 'dict', entries, loops: 0 };
}

function comprehend({ clauses, names }: Clauses, outer: Scope, meter: RulesMeter, visit: (scope: Scope) => void): void {
  const scope: Scope = { names, values: new Map(), outer };
  const from = (at: number): void => {
    const clause = clauses[at];
    if (clause === undefined) return visit(scope);
    if (clause.kind === 'if') {
      if (isTruthy(evaluate(clause.condition, scope, meter))) meter.nested(() => from(at + 1));
      return;
    }
    eachOf(evaluate(clause.iterable, at === 0 ? outer : scope, meter), meter, (item) => {
      assign(clause.target, item, scope, meter);
      meter.nested(() => from(at + 1));
      return true;
    });
  };
  meter.nested(() => from(0));
}

function functionOf(definition: FunctionDefinition, outer: Scope, meter: RulesMeter): FunctionValue {
  const { name, names, body } = definition;
  meter.spend(rulesObjectWork);
  const parameters = definition.parameters.map(({ name: parameter, fallback }) => ({
    name: parameter,
    isNeeded: fallback === undefined,
    fallback: fallback && evaluate(fallback, outer, meter),
  }));
  const call = (given: CallArguments): RulesValue => {
    const ended = run(body, { names, values: bindArguments(name, parameters, given), outer }, meter);
    return typeof ended === 'object' ? ended.value : null;
  };
  return { kind: 'function', name, call };
}

/** A function's parameter. It may have no value if it is not needed. */
export type BoundParameter = { readonly name: string; readonly isNeeded: boolean; readonly fallback?: RulesValue };

export function bindArguments(callee: string, parameters: readonly BoundParameter[], given: CallArguments) {
  const { positional, named } = given;
  if (positional.length > parameters.length)
    throwRulesFault(`\`${callee}\` takes ${parameters.length} values, not ${positional.length}.`, 'Remove the others.');
  const values = new Map<string, RulesValue>();
  for (const [at, value] of positional.entries()) values.set(parameters[at]?.name ?? '', value);
  for (const [name, value] of named) {
    if (values.has(name)) throwRulesFault(`\`${name}\` is given twice.`, 'Remove one.');
    if (!parameters.some((parameter) => parameter.name === name)) {
      const known = parameters.map((parameter) => parameter.name).join(', ');
      throwRulesFault(`\`${callee}\` takes no \`${name}\`.`, `It takes: ${known}.`);
    }
    values.set(name, value);
  }
  for (const { name, isNeeded, fallback } of parameters) {
    if (values.has(name)) continue;
    if (isNeeded) throwRulesFault(`\`${callee}\` needs \`${name}\`.`, 'Add it.');
    if (fallback !== undefined) values.set(name, fallback);
  }
  return values;
}

/** Functions without side effects. */
export function plainBuiltins(meter: RulesMeter): readonly FunctionValue[] {
  return [
    builtin('str', 1, 1, ([value = null]) => valueToString(value, meter)),
    builtin('len', 1, 1, ([value = null]) => lengthOf(value, meter)),
    builtin('range', 1, 3, (values) => rangeOf(values, meter)),
  ];
}

type Work = (values: readonly RulesValue[]) => RulesValue;

function builtin(name: string, least: number, most: number, work: Work): FunctionValue {
  const call = ({ positional, named }: CallArguments): RulesValue => {
    if (positional.length < least || positional.length > most || named.size > 0) {
      const count = least === most ? `${least} value` : `${least} to ${most} values`;
      throwRulesFault(`\`${name}\` takes ${count}, without names.`, 'Correct the call.');
    }
    return work(positional);
  };
  return { kind: 'function', name, call };
}

function lengthOf(value: RulesValue, meter: RulesMeter): number {
  if (typeof value === 'string') {
    meter.spend(value.length);
    return [...value].length;
  }
  if (isKind(value, 'list', 'tuple', 'range', 'dict')) return rulesValueSize(value);
  throwRulesFault(`A ${rulesTypeName(value)} has no length.`, 'Use a string, a list or a dict.');
}

function rangeOf(values: readonly RulesValue[], meter: RulesMeter): RulesValue {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length < values.length) throwRulesFault('`range` takes whole numbers.', 'Correct the call.');
  const [first = 0, second, step = 1] = numbers;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throwRulesFault('The step of a range is zero.', 'Use another one.');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  meter.spend(rulesObjectWork + length);
  const shown = step !== 1 ? [start, stop, step] : start !== 0 ? [start, stop] : [stop];
  const items = Array.from({ length }, (_, at) => start + at * step);
  return { kind: 'range', items, text: `range(${shown.join(', ')})` };
}
