import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { canonicalCommand } from '../../src/core/policy/commands/analyse-command.ts';
import { anyScript, plainCommands, written } from './random-scripts.ts';
import { analyse, shellReader } from './reader.ts';
import { runInBash } from './run-in-bash.ts';

const many = 300 * inject('runFactor');
const canonical = (script: string): string => canonicalCommand(['bash', '-c', script], shellReader);
const sorted = (calls: readonly (readonly string[])[]): readonly string[] =>
  calls.map((words) => JSON.stringify(words)).toSorted();

/** Commands that bash started although the analysis does not name them, wrappers included. */
function surprisesIn(scripts: readonly string[]) {
  const ran = runInBash(scripts);
  return scripts.flatMap((script, index) => {
    const { commands = [], seen } = analyse(script);
    const named = sorted([...commands, ...seen]);
    const extra = sorted(ran[index] ?? []).filter((call) => !named.includes(call));
    return extra.length > 0 ? [{ script, extra, named }] : [];
  });
}

test('bash starts nothing that the analysis of a known script does not name', () => {
  const scripts = fc.sample(anyScript, many);
  const known = scripts.filter((script) => analyse(script).commands !== undefined);
  expect(known.length).toBeGreaterThan(many / 10);
  expect(surprisesIn(known)).toEqual([]);
});

test('scripts with one canonical form start the same', () => {
  const scripts = fc.sample(anyScript, many);
  const ran = runInBash(scripts);
  const firsts = new Map<string, number>();
  const differing = scripts.flatMap((script, index) => {
    const first = firsts.get(canonical(script));
    if (first === undefined) {
      firsts.set(canonical(script), index);
      return [];
    }
    const [one, other] = [sorted(ran[first] ?? []), sorted(ran[index] ?? [])];
    return JSON.stringify(one) === JSON.stringify(other)
      ? []
      : [{ script, other: scripts[first], calls: [one, other] }];
  });
  expect(firsts.size).toBeLessThan(scripts.length);
  expect(differing).toEqual([]);
});

test('however a plain script is written, it is known and has one canonical form', () => {
  const choices = fc.array(fc.nat(60), { minLength: 12, maxLength: 12 });
  const scripts: string[] = [];
  fc.assert(
    fc.property(plainCommands, choices, choices, (commands, one, other) => {
      const [first, second] = [written(commands, one), written(commands, other)];
      expect(analyse(first).commands).toEqual(commands.map(({ words }) => words));
      expect(canonical(second)).toBe(canonical(first));
      scripts.push(first);
    }),
    { numRuns: 80 * inject('runFactor') },
  );
  expect(surprisesIn(scripts)).toEqual([]);
});

test("every escape of $'…' that is known stands for the letter that bash makes of it", () => {
  const digits = [
    '',
    '0',
    '6',
    '61',
    '061',
    '0061',
    '00061',
    '000061',
    '0000061',
    '00000061',
    '000000061',
    '1234',
    '401',
  ];
  const escapes = [...'abeEfnrtv\\"?cdUuxX{}@ '].flatMap((letter) => digits.map((more) => letter + more));
  const texts = [...escapes, ...digits, "'", 'x{61}', 'x{061', 'cA', 'c\\\\', '\n'];
  const scripts = texts.map((text) => `a $'\\${text}b'`);
  const known = scripts.filter((script) => analyse(script).commands !== undefined);
  expect(known.length).toBeGreaterThan(50);
  expect(surprisesIn(known)).toEqual([]);
});
