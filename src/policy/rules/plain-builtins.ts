import { type Meter, objectWork } from './meter.ts';
import { RulesFault } from './rules-fault.ts';
import { type CallArguments, type FunctionValue, sizeOf, asText, typeOf, type Value } from './values.ts';

/** The functions that only compute. */
export function plainBuiltins(meter: Meter): readonly FunctionValue[] {
  return [
    builtin('str', 1, 1, ([value = null]) => asText(value, meter)),
    builtin('len', 1, 1, ([value = null]) => lengthOf(value, meter)),
    builtin('range', 1, 3, (values) => rangeOf(values, meter)),
  ];
}

function builtin(name: string, least: number, most: number, work: (values: readonly Value[]) => Value): FunctionValue {
  const call = ({ positional, named }: CallArguments): Value => {
    if (positional.length < least || positional.length > most || named.size > 0) {
      const count = least === most ? `${least} value` : `${least} to ${most} values`;
      throw new RulesFault(`\`${name}\` takes ${count}, without names.`, 'Correct the call.');
    }
    return work(positional);
  };
  return { kind: 'function', name, call };
}

function lengthOf(value: Value, meter: Meter): number {
  if (typeof value === 'string') {
    meter.spend(value.length);
    return [...value].length;
  }
  if (value !== null && typeof value === 'object' && value.kind !== 'function') return sizeOf(value);
  throw new RulesFault(`A ${typeOf(value)} has no length.`, 'Use a string, a list or a dict.');
}

function rangeOf(values: readonly Value[], meter: Meter): Value {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length < values.length) throw new RulesFault('`range` takes whole numbers.', 'Correct the call.');
  const [first = 0, second, step = 1] = numbers;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new RulesFault('The step of a range is zero.', 'Use another one.');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  meter.spend(objectWork + length);
  const shown = step !== 1 ? [start, stop, step] : start !== 0 ? [start, stop] : [stop];
  const items = Array.from({ length }, (_, at) => start + at * step);
  return { kind: 'range', items, text: `range(${shown.join(', ')})` };
}
