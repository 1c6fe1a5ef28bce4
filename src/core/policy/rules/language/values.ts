import { throwRulesFault, type RulesMeter, rulesObjectWork } from './faults-and-limits.ts';

/** Value of an expression. Numbers are integers. */
export type RulesValue = null | boolean | number | string | MemberedValue | FunctionValue;
type MemberedValue = ListValue | TupleValue | RangeValue | DictValue;
/** `loops`: number of loops over it; it cannot change until they end. */
export type ListValue = { readonly kind: 'list'; readonly items: RulesValue[]; loops: number };
export type TupleValue = { readonly kind: 'tuple'; readonly items: readonly RulesValue[] };
export type RangeValue = { readonly kind: 'range'; readonly items: readonly number[]; readonly text: string };

export interface DictValue {
  readonly kind: 'dict';
  /** By the key's text, which is unique per key. */
  readonly entries: Map<string, readonly [key: RulesValue, value: RulesValue]>;
  loops: number;
}

export interface FunctionValue {
  readonly kind: 'function';
  readonly name: string;
  call(given: CallArguments): RulesValue;
}

export type CallArguments = {
  readonly positional: readonly RulesValue[];
  readonly named: ReadonlyMap<string, RulesValue>;
};
type Kind = Extract<RulesValue, object>['kind'];

export function isKind<Wanted extends Kind>(
  value: RulesValue,
  ...kinds: readonly Wanted[]
): value is Extract<RulesValue, { kind: Wanted }> {
  return value !== null && typeof value === 'object' && kinds.some((kind) => kind === value.kind);
}

export function makeRulesList(items: RulesValue[], meter: RulesMeter): ListValue {
  meter.spend(rulesObjectWork + items.length);
  return { kind: 'list', items, loops: 0 };
}

export function rulesTypeName(value: RulesValue): string {
  if (value === null) return 'None';
  if (typeof value === 'object') return value.kind;
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'number' : 'string';
}

export const isTruthy = (value: RulesValue): boolean =>
  value === null || typeof value !== 'object' ? Boolean(value) : value.kind === 'function' || rulesValueSize(value) > 0;

export const rulesValueSize = (value: MemberedValue): number =>
  value.kind === 'dict' ? value.entries.size : value.items.length;

/** The items of a loop; a dict's keys. */
export function loopItems(value: RulesValue): readonly RulesValue[] {
  if (isKind(value, 'dict')) return Array.from(value.entries.values(), ([key]) => key);
  if (isKind(value, 'list', 'tuple', 'range')) return value.items;
  throwRulesFault(`A ${rulesTypeName(value)} has no members.`, 'Use a list.');
}

/** Like `str`: a string unchanged, everything else as in a file. */
export function valueToString(value: RulesValue, meter: RulesMeter): string {
  if (typeof value !== 'string') return valueToSource(value, meter);
  meter.spend(value.length);
  return value;
}

export function valueToSource(value: RulesValue, meter: RulesMeter): string {
  meter.spend(1);
  if (value === null) return 'None';
  if (typeof value === 'string') return quoted(value, meter);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (value.kind === 'function') return value.name;
  if (value.kind === 'range') return value.text;
  const inner = (item: RulesValue): string => valueToSource(item, meter);
  const texts = meter.nested(() =>
    value.kind === 'dict'
      ? Array.from(value.entries.values(), ([key, held]) => `${inner(key)}: ${inner(held)}`)
      : value.items.map(inner),
  );
  const inside = texts.join(', ');
  meter.spend(inside.length);
  if (value.kind === 'dict') return `{${inside}}`;
  if (value.kind === 'list') return `[${inside}]`;
  return texts.length === 1 ? `(${inside},)` : `(${inside})`;
}

type Escapes = Readonly<Record<string, string>>;
const shortEscapes: Escapes = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

function quoted(text: string, meter: RulesMeter): string {
  meter.spend(text.length);
  const escaped = text.replace(/["\\]|[^ -~]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const [letter, digits] = code > 0xff_ff ? ['U', 8] : code > 0xff ? ['u', 4] : ['x', 2];
    return shortEscapes[sign] ?? `\\${letter}${code.toString(16).padStart(digits, '0')}`;
  });
  return `"${escaped}"`;
}

export function dictKeyOf(value: RulesValue, meter: RulesMeter): string {
  // First, because it limits the depth.
  const text = valueToSource(value, meter);
  if (canBeKey(value)) return text;
  throwRulesFault(`A ${rulesTypeName(value)} cannot be a key.`, 'Use a string, a number or a tuple of them.');
}

function canBeKey(value: RulesValue): boolean {
  if (value === null || typeof value !== 'object') return true;
  return value.kind === 'tuple' && value.items.every(canBeKey);
}

export function rulesValuesEqual(left: RulesValue, right: RulesValue, meter: RulesMeter): boolean {
  meter.spend(1);
  if (typeof left === 'string' && typeof right === 'string') meter.spend(Math.min(left.length, right.length));
  if (left === null || typeof left !== 'object' || right === null || typeof right !== 'object') return left === right;
  if (left === right) return true;
  if (left.kind === 'function' || right.kind === 'function' || left.kind !== right.kind) return false;
  if (rulesValueSize(left) !== rulesValueSize(right)) return false;
  return meter.nested(() =>
    left.kind === 'dict'
      ? [...left.entries].every(([key, [, value]]) => {
          const other = (right as DictValue).entries.get(key);
          return other !== undefined && rulesValuesEqual(value, other[1], meter);
        })
      : left.items.every((item, at) => rulesValuesEqual(item, (right as TupleValue).items[at] ?? null, meter)),
  );
}

/** Negative, zero or positive. */
export function compareValues(left: RulesValue, right: RulesValue, meter: RulesMeter): number {
  meter.spend(1);
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spend(Math.min(left.length, right.length));
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  const [kind, other] = [rulesTypeName(left), rulesTypeName(right)];
  const next = 'Compare numbers with numbers and strings with strings.';
  if (kind !== other || (kind !== 'list' && kind !== 'tuple'))
    throwRulesFault(`A ${kind} and a ${other} cannot be compared.`, next);
  const [ours, theirs] = [loopItems(left), loopItems(right)];
  return meter.nested(() => {
    for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
      const found = compareValues(ours[at] ?? null, theirs[at] ?? null, meter);
      if (found !== 0) return found;
    }
    return ours.length - theirs.length;
  });
}
