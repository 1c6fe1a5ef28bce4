import { expect, test } from 'vitest';
import { expectLinear } from '../../../testing/test-inputs.ts';
import type { PreservedMessage } from '../../history/user-words.ts';
import { selectMessagesToKeep, type KeptMessage } from './kept-words.ts';
import { passagesToKeep } from './message-space.ts';

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('');
const pick = <Value>(values: readonly Value[], at: number): Value => values[at % values.length]!;
const names = ['Anna Schmidt', 'Jörg Ünal', 'Mary O’Neil', 'Li Wei', 'Ana-Maria Popescu', 'Tom'];
const verbs = ['open', 'close', 'read', 'flush', 'bind', 'split', 'merge'];

/** Pastes of some length, by kind. */
const pastes: Readonly<Record<string, string>> = {
  table: lines(3500, (at) => `row ${at}, value ${at * 7}, name item-${at}`),
  people: lines(
    3000,
    (at) => `${at};${pick(names, at * 31)};${(at * 7919) % 1000} Main Street;${pick(verbs, at)}ville`,
  ),
  log: lines(
    2000,
    (at) =>
      `2026-11-18 12:${at % 60}:01.${at % 1000} ${pick(['INFO', 'WARN', 'DEBUG'], at * 5)} [worker-${at % 9}] could not ${pick(verbs, at * 3)} the file /srv/data/${at}.bin`,
  ),
  json: lines(1500, (at) =>
    pick(
      ['  {', `    "id": ${at},`, `    "title": "The ${pick(verbs, at * 13)} of ${pick(names, at * 7)}",`, '  },'],
      at,
    ),
  ),
  code: lines(2500, (at) =>
    pick(
      [
        `export function ${pick(verbs, at)}File${at}(path: string): void {`,
        `  const found = ${pick(verbs, at * 3)}(path, { mode: ${at} });`,
        `  // The caller may ${pick(verbs, at * 5)} the file before this one.`,
        `  if (found === undefined) return;`,
        `  ${pick(verbs, at * 11)}All(found.entries(), path);`,
        '}',
        '',
      ],
      at,
    ),
  ),
};

const requirements = [
  'but skip everything before row 500',
  'and in the second part, please round all amounts to two decimals!',
  'ここから先の行は全部無視してください',
];

function cutAgain(text: string, spaces: readonly number[]): readonly string[] {
  let words: PreservedMessage = { id: '1', text, pictures: [], picturesLeftOut: 0, task: false, cut: false };
  return spaces.map((space) => {
    const { rows } = selectMessagesToKeep([words], { tasks: [], budget: { words: space, pictures: 0 } });
    const { text: kept, cut, gaps, bytesPerToken } = rows[0] as KeptMessage;
    words = { ...words, text: kept, cut, gaps, bytesPerToken };
    return kept;
  });
}

test.each(Object.keys(pastes))('a sentence between two pastes stays at every checkpoint: %s', (kind) => {
  for (const requirement of requirements) {
    const text = `Convert these:\n${pastes[kind]}${requirement}\n${pastes[kind]}and write the tests in German`;
    for (const kept of cutAgain(text, [20_000, 4000, 1000])) {
      expect(kept.length).toBeLessThan(text.length);
      expect(kept.split('\n')).toEqual(
        expect.arrayContaining(['Convert these:', requirement, 'and write the tests in German']),
      );
    }
  }
});

test('several lines in several places stay, also where a paste has no line end', () => {
  const table = pastes['table']!.trimEnd();
  const text = `Convert: ${table} skip row 7 ${table}\nUse tabs.\nNo header, please.\n${table}\nThanks`;
  for (const kept of cutAgain(text, [8000, 2000, 800]))
    for (const part of [' skip row 7 ', '\nUse tabs.\nNo header, please.\n']) expect(kept).toContain(part);
});

test('nothing stands out of lines that are alike, and passages leave most of the space to head and tail', () => {
  expect(passagesToKeep(pastes['table']!, [])).toEqual([]);
  expect(passagesToKeep('', [])).toEqual([]);
  const noisy = lines(4000, (at) =>
    at % 9 === 0 ? `${'x!?-+*'.slice(at % 6)} wörd${'abc'.repeat(at % 50)}` : `${at}, ${at}`,
  );
  const [kept] = cutAgain(noisy, [2000]);
  const parts = kept!.split(/\n\[… about \d+ tokens cut here …\]\n/);
  expect(parts.length).toBeLessThanOrEqual(14);
  expect(parts[0]!.length + parts.at(-1)!.length).toBeGreaterThan(kept!.length * 0.7);
});

test('the time grows with the message', () => {
  for (const sign of [' ', 'a ', '\n', ' \n', '1,', 'ä🙂\n'])
    expectLinear(100_000, (size) => passagesToKeep(sign.repeat(size / sign.length), []));
});
