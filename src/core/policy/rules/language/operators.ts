import { throwRulesFault, type RulesMeter, rulesObjectWork } from './faults-and-limits.ts';
import type { EagerOperator } from './syntax-tree.ts';
import {
  rulesValuesEqual,
  valueToString,
  valueToSource,
  compareValues,
  isKind,
  loopItems,
  dictKeyOf,
  makeRulesList,
  rulesTypeName,
} from './values.ts';
import type { DictValue, ListValue, RulesValue } from './values.ts';

export function applyOperator(
  operator: EagerOperator,
  left: RulesValue,
  right: RulesValue,
  meter: RulesMeter,
): RulesValue {
  switch (operator) {
    case '==':
      return rulesValuesEqual(left, right, meter);
    case '!=':
      return !rulesValuesEqual(left, right, meter);
    case '<':
      return compareValues(left, right, meter) < 0;
    case '<=':
      return compareValues(left, right, meter) <= 0;
    case '>':
      return compareValues(left, right, meter) > 0;
    case '>=':
      return compareValues(left, right, meter) >= 0;
    case 'in':
      return contains(right, left, meter);
    case 'not in':
      return !contains(right, left, meter);
    case '+':
      return add(left, right, meter) ?? unfit(operator, left, right);
    case '*':
      return repeat(left, right, meter) ?? repeat(right, left, meter) ?? unfit(operator, left, right);
    case '%':
      if (typeof left === 'string') return fillIn(left, right, meter);
  }
  if (typeof left !== 'number' || typeof right !== 'number') return unfit(operator, left, right);
  if (operator === '-') return whole(left - right);
  if (right === 0) throwRulesFault('A number is divided by zero.', 'Divide by another number.');
  const quotient = Math.floor(left / right);
  return whole(operator === '//' ? quotient : left - quotient * right);
}

export function applyNumberSign(operator: '-' | '+', value: RulesValue): number {
  if (typeof value !== 'number') throwRulesFault(`A ${rulesTypeName(value)} has no sign.`, 'Use a number.');
  return operator === '-' ? whole(-value) : value;
}

function whole(number: number): number {
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  throwRulesFault('A number is too large.', 'Keep numbers below 2^53.');
}

function unfit(operator: string, left: RulesValue, right: RulesValue): never {
  const what = `\`${operator}\` does not work with a ${rulesTypeName(left)} and a ${rulesTypeName(right)}.`;
  throwRulesFault(what, 'Use two of one kind; `str(…)` makes a string.');
}

function add(left: RulesValue, right: RulesValue, meter: RulesMeter): RulesValue | undefined {
  if (typeof left === 'number' && typeof right === 'number') return whole(left + right);
  if (typeof left === 'string' && typeof right === 'string') return joinMeteredTexts([left, right], meter);
  if (isKind(left, 'list') && isKind(right, 'list')) return makeRulesList([...left.items, ...right.items], meter);
  if (isKind(left, 'tuple') && isKind(right, 'tuple')) return makeRulesTuple([...left.items, ...right.items], meter);
  return undefined;
}

export function makeRulesTuple(items: readonly RulesValue[], meter: RulesMeter): RulesValue {
  meter.spend(rulesObjectWork + items.length);
  return { kind: 'tuple', items };
}

export function joinMeteredTexts(texts: readonly string[], meter: RulesMeter): string {
  meter.spend(texts.reduce((length, text) => length + text.length, 0));
  return texts.join('');
}

function repeat(value: RulesValue, times: RulesValue, meter: RulesMeter): RulesValue | undefined {
  if (typeof times !== 'number') return undefined;
  if (typeof value === 'number') return whole(value * times);
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    meter.spend(value.length * count);
    return value.length === 0 ? '' : value.repeat(count);
  }
  if (!isKind(value, 'list', 'tuple')) return undefined;
  const { items } = value;
  meter.spend(items.length * count);
  const all = items.length === 0 ? [] : Array.from({ length: count }, () => items).flat();
  return value.kind === 'list' ? makeRulesList(all, meter) : makeRulesTuple(all, meter);
}

function contains(whole: RulesValue, part: RulesValue, meter: RulesMeter): boolean {
  if (typeof whole === 'string') {
    if (typeof part !== 'string') throwRulesFault(`A ${rulesTypeName(part)} cannot be in a string.`, 'Use a string.');
    meter.spend(whole.length);
    return whole.includes(part);
  }
  if (isKind(whole, 'dict')) return whole.entries.has(dictKeyOf(part, meter));
  return loopItems(whole).some((item) => rulesValuesEqual(item, part, meter));
}

/** `"…" % values`. */
function fillIn(format: string, given: RulesValue, meter: RulesMeter): string {
  const values = isKind(given, 'tuple') ? given.items : [given];
  let used = 0;
  meter.spend(format.length);
  const texts = format.split(/(%[^]?)/).map((piece) => {
    if (!piece.startsWith('%')) return piece;
    if (piece === '%%') return '%';
    const value = values[used++];
    if (value === undefined) throwRulesFault('The format needs more values.', 'Give one for each %s.');
    return filled(piece, value, meter);
  });
  if (used < values.length) throwRulesFault('There are more values than the format needs.', 'Give one for each %s.');
  return joinMeteredTexts(texts, meter);
}

const bases: Readonly<Record<string, number>> = { '%d': 10, '%o': 8, '%x': 16, '%X': 16 };

function filled(sign: string, value: RulesValue, meter: RulesMeter): string {
  if (sign === '%s') return valueToString(value, meter);
  if (sign === '%r') return valueToSource(value, meter);
  const base = Object.hasOwn(bases, sign) ? bases[sign] : undefined;
  if (base === undefined) throwRulesFault(`\`${sign}\` is not known in a format.`, 'Use %s, %r, %d, %o, %x, %X or %%.');
  if (typeof value !== 'number') throwRulesFault(`\`${sign}\` wants a number.`, 'Use %s.');
  const digits = value.toString(base);
  return sign === '%X' ? digits.toUpperCase() : digits;
}

export function memberOf(value: RulesValue, index: RulesValue, meter: RulesMeter): RulesValue {
  if (isKind(value, 'dict')) {
    const entry = value.entries.get(dictKeyOf(index, meter));
    if (entry === undefined)
      throwRulesFault(`The dict has no ${valueToSource(index, meter).slice(0, 80)}.`, 'Correct the key.');
    return entry[1];
  }
  const items = sequence(value, meter);
  return items[placeIn(items, index)] ?? null;
}

export function setMember(
  value: RulesValue,
  [index, member]: readonly [RulesValue, RulesValue],
  meter: RulesMeter,
): void {
  if (!isKind(value, 'dict', 'list'))
    throwRulesFault(`A member of a ${rulesTypeName(value)} cannot be changed.`, 'Make a new value.');
  checkNotIterated(value);
  if (value.kind === 'dict') value.entries.set(dictKeyOf(index, meter), [index, member]);
  else value.items[placeIn(value.items, index)] = member;
  meter.spend(1);
}

/** Refuses to change a list or dict while a loop goes through it: the loop might never end. */
export function checkNotIterated({ kind, loops }: ListValue | DictValue): void {
  if (loops > 0)
    throwRulesFault(`This ${kind} cannot be changed while a loop goes through it.`, 'Change it after the loop.');
}

function placeIn(items: readonly unknown[], index: RulesValue): number {
  if (typeof index !== 'number') throwRulesFault(`A ${rulesTypeName(index)} cannot be an index.`, 'Use a number.');
  const place = index < 0 ? index + items.length : index;
  if (place >= 0 && place < items.length) return place;
  throwRulesFault(`There is no member ${index}.`, `It has ${items.length} members, and the first is 0.`);
}

/** `value[first:last:step]`. */
export function sliceOf(value: RulesValue, bounds: readonly (RulesValue | undefined)[], meter: RulesMeter): RulesValue {
  const items = sequence(value, meter);
  const [first, last, step = 1] = bounds.map(bound);
  if (step === 0) throwRulesFault('The step of a slice is zero.', 'Use another one.');
  const size = items.length;
  const place = (index: number): number => {
    const from = index < 0 ? index + size : index;
    return step > 0 ? Math.min(Math.max(from, 0), size) : Math.min(Math.max(from, -1), size - 1);
  };
  const start = first === undefined ? (step > 0 ? 0 : size - 1) : place(first);
  const end = last === undefined ? (step > 0 ? size : -1) : place(last);
  const taken: RulesValue[] = [];
  for (let at = start; step > 0 ? at < end : at > end; at += step) taken.push(items[at] ?? null);
  if (typeof value === 'string') return joinMeteredTexts(taken as string[], meter);
  return isKind(value, 'list') ? makeRulesList(taken, meter) : makeRulesTuple(taken, meter);
}

function bound(value: RulesValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throwRulesFault(`A slice cannot end at a ${rulesTypeName(value)}.`, 'Use numbers.');
}

/** A string's members are its characters. */
function sequence(value: RulesValue, meter: RulesMeter): readonly RulesValue[] {
  if (typeof value === 'string') {
    meter.spend(value.length);
    return [...value];
  }
  if (isKind(value, 'list', 'tuple', 'range')) {
    meter.spend(1);
    return value.items;
  }
  throwRulesFault(`A ${rulesTypeName(value)} has no members.`, 'Use a list, a dict or a string.');
}
