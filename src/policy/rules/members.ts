import type { Meter } from './meter.ts';
import { joined, tupleOf } from './operators.ts';
import { RulesFault } from './rules-fault.ts';
import { type DictValue, keyOf, listOf, type ListValue, asWritten, typeOf, type Value } from './values.ts';

/** `value[index]`. */
export function memberOf(value: Value, index: Value, meter: Meter): Value {
  if (value !== null && typeof value === 'object' && value.kind === 'dict') {
    const entry = value.entries.get(keyOf(index, meter));
    if (entry === undefined)
      throw new RulesFault(`The dict has no ${asWritten(index, meter).slice(0, 80)}.`, 'Correct the key.');
    return entry[1];
  }
  const items = sequence(value, meter);
  return items[placeIn(items, index)] ?? null;
}

/** `value[index] = member`. */
export function setMember(value: Value, [index, member]: readonly [Value, Value], meter: Meter): void {
  if (value === null || typeof value !== 'object' || (value.kind !== 'dict' && value.kind !== 'list')) {
    throw new RulesFault(`A member of a ${typeOf(value)} cannot be changed.`, 'Make a new value.');
  }
  checkFree(value);
  if (value.kind === 'dict') value.entries.set(keyOf(index, meter), [index, member]);
  else value.items[placeIn(value.items, index)] = member;
  meter.spend(1);
}

/** A loop would go on for ever if what it goes through could grow. */
export function checkFree({ kind, loops }: ListValue | DictValue): void {
  if (loops > 0)
    throw new RulesFault(`This ${kind} cannot be changed while a loop goes through it.`, 'Change it after the loop.');
}

function placeIn(items: readonly unknown[], index: Value): number {
  if (typeof index !== 'number') throw new RulesFault(`A ${typeOf(index)} cannot be an index.`, 'Use a number.');
  const place = index < 0 ? index + items.length : index;
  if (place >= 0 && place < items.length) return place;
  throw new RulesFault(`There is no member ${index}.`, `It has ${items.length} members, and the first is 0.`);
}

/** `value[first:last:step]`. */
export function sliceOf(value: Value, bounds: readonly (Value | undefined)[], meter: Meter): Value {
  const items = sequence(value, meter);
  const [first, last, step = 1] = bounds.map(bound);
  if (step === 0) throw new RulesFault('The step of a slice is zero.', 'Use another one.');
  const size = items.length;
  const place = (index: number): number => {
    const from = index < 0 ? index + size : index;
    return step > 0 ? Math.min(Math.max(from, 0), size) : Math.min(Math.max(from, -1), size - 1);
  };
  const start = first === undefined ? (step > 0 ? 0 : size - 1) : place(first);
  const end = last === undefined ? (step > 0 ? size : -1) : place(last);
  const taken: Value[] = [];
  for (let at = start; step > 0 ? at < end : at > end; at += step) taken.push(items[at] ?? null);
  if (typeof value === 'string') return joined(taken as string[], meter);
  return value !== null && typeof value === 'object' && value.kind === 'list'
    ? listOf(taken, meter)
    : tupleOf(taken, meter);
}

function bound(value: Value | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw new RulesFault(`A slice cannot end at a ${typeOf(value)}.`, 'Use numbers.');
}

/** Of a string, its characters. */
function sequence(value: Value, meter: Meter): readonly Value[] {
  if (typeof value === 'string') {
    meter.spend(value.length);
    return [...value];
  }
  if (value !== null && typeof value === 'object' && value.kind !== 'dict' && value.kind !== 'function') {
    meter.spend(1);
    return value.items;
  }
  throw new RulesFault(`A ${typeOf(value)} has no members.`, 'Use a list, a dict or a string.');
}
