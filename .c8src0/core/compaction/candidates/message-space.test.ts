import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { sentTokens } from '../../fragments/text/truncate.ts';
import type { PreservedMessage } from '../../history/user-words.ts';
import { selectMessagesToKeep, type KeptMessage, type KeptMessageRow } from './kept-words.ts';
import { longestShortMessage, divideMessageSpace, type SpaceWanted } from './message-space.ts';

const short = (whole: number): SpaceWanted => ({ whole });
const long = (whole: number): SpaceWanted => ({ whole, shortened: 516 });

test('short messages are whole before long ones share what is left', () => {
  expect(divideMessageSpace([short(40), long(90_000), short(30)], 10_000)).toEqual([40, 9930, 30]);
  // None gets more than it needs, and what one leaves goes to the others.
  expect(divideMessageSpace([long(90_000), long(1000), long(70_000), short(30)], 10_030)).toEqual([
    4500, 1000, 4500, 30,
  ]);
  expect(divideMessageSpace([long(600), long(700)], 10_000)).toEqual([600, 700]);
});

test('long messages that would get too little are left out, the last of the order first', () => {
  const [first, ...others] = divideMessageSpace(
    [{ ...long(2000), least: 48 }, ...Array.from({ length: 9 }, () => long(2000))],
    600,
  );
  expect(first).toBeGreaterThanOrEqual(516);
  expect(others).toEqual(Array.from({ length: 9 }, () => 0));
});

test('where short messages do not all fit, the first of the order stay and a long one is shortened', () => {
  const shorts = Array.from({ length: 10 }, () => short(200));
  const newest = { ...long(5000), least: 48 };
  expect(divideMessageSpace([newest, ...shorts, long(9000)], 1516)).toEqual([
    516, 200, 200, 200, 200, 200, 0, 0, 0, 0, 0, 0,
  ]);
  // A rest that is too little for the next short message goes to no long one.
  expect(divideMessageSpace([newest, ...shorts], 1600)).toEqual([516, 200, 200, 200, 200, 200, 0, 0, 0, 0, 0]);
  // The request that the checkpoint names may have half of the space before them.
  const active = { ...newest, isActive: true } as const;
  expect(divideMessageSpace([active, ...shorts], 2000)).toEqual([1000, 200, 200, 200, 200, 200, 0, 0, 0, 0, 0]);
  expect(divideMessageSpace([{ ...active, whole: 250_000 }, ...shorts.slice(5)], 2000)).toEqual([
    1000, 200, 200, 200, 200, 200,
  ]);
  expect(divideMessageSpace([{ ...active, whole: 250_000 }, ...shorts.slice(7)], 2000)).toEqual([1400, 200, 200, 200]);
});

test('hooks and programs share a quarter, whatever they say', () => {
  const hook = (whole: number) => ({ ...(whole > 516 ? long(whole) : short(whole)), isSetup: true }) as const;
  expect(divideMessageSpace([short(100), hook(200), hook(200)], 1000)).toEqual([100, 200, 0]);
  expect(divideMessageSpace([short(100), hook(9000), long(9000)], 4000)).toEqual([100, 1000, 2900]);
});

const anyWords = fc.record({
  length: fc.oneof(
    fc.nat(300),
    fc.constantFrom(1, longestShortMessage - 1, longestShortMessage, longestShortMessage + 1),
    fc.integer({ min: longestShortMessage + 1, max: 60_000 }),
  ),
  sign: fc.constantFrom('a ', 'Wort ', '請求', '😀', '👨‍👩‍👧‍👦 ', 'e\u0301', '1;2,', '"\n'),
  by: fc.constantFrom(undefined, undefined, undefined, 'shell' as const, 'answer' as const, 'hook' as const),
});

test('no short message is left out while a longer one keeps more than 2,000 characters, over any number of checkpoints', () => {
  const generation = fc.record({
    said: fc.array(anyWords, { maxLength: 25 }),
    words: fc.constantFrom(0, 60, 400, 1500, 4000, 12_000),
    active: fc.option(fc.nat(24), { nil: undefined }),
    isNamed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(generation, { minLength: 1, maxLength: 4 }), (generations) => {
      let all: readonly PreservedMessage[] = [];
      for (const [at, { said, words, active, isNamed }] of generations.entries()) {
        all = [...all, ...said.map((one, index) => wordsOf(`${at}-${index}`, one))];
        const own = all.filter(({ by }) => by === undefined);
        const tasks = active === undefined || own.length === 0 ? [] : [own[active % own.length]!];
        const { rows } = selectMessagesToKeep(all, { tasks, isNamed, budget: { words, pictures: 0 } });
        expectLaw(all, rows, { words, active: isNamed ? tasks : [] });
        all = again(rows);
      }
    }),
    { numRuns: 40 * inject('runFactor') },
  );
});

function expectLaw(
  all: readonly PreservedMessage[],
  rows: readonly KeptMessageRow[],
  { words, active }: { readonly words: number; readonly active: readonly PreservedMessage[] },
): void {
  const kept = rows.filter((row): row is KeptMessage => !('leftOut' in row));
  expect(kept.map((row) => all.indexOf(row.words))).toEqual(
    kept.map((row) => all.indexOf(row.words)).toSorted((a, b) => a - b),
  );
  const isHere = (one: PreservedMessage): boolean =>
    kept.some((row) => row.words === one || (row.words.text === one.text && row.words.by === one.by));
  const users = all.filter(({ by }) => by !== 'hook');
  const isLeftOut = users.some((one) => one.text.length <= longestShortMessage && !isHere(one));
  const isCut = kept.some(
    (row) => row.words.text.length <= longestShortMessage && row.words.by !== 'hook' && row.text !== row.words.text,
  );
  for (const { words: whole, text } of kept) {
    expect(text.isWellFormed()).toBe(true);
    if (!isLeftOut && !isCut) continue;
    const isWithin = active.includes(whole) && sentTokens(text) <= words / 2;
    expect(isWithin || text.length <= longestShortMessage).toBe(true);
  }
  // All that is not here is counted, in its place.
  const gone = rows.reduce((sum, row) => sum + ('leftOut' in row ? row.leftOut.count : 0), 0);
  const before = all.reduce((sum, { leftOutBefore }) => sum + (leftOutBefore?.count ?? 0), 0);
  const copies = new Set(all.map(({ by, text }) => `${by}\n${text}`)).size;
  expect(gone - before).toBe(copies - kept.length);
}

function wordsOf(
  id: string,
  { length, sign, by }: { length: number; sign: string; by: PreservedMessage['by'] },
): PreservedMessage {
  const text = `${id} ${sign.repeat(Math.ceil(length / sign.length))}`.slice(0, Math.max(1, length)).toWellFormed();
  return { id, text, pictures: [], picturesLeftOut: 0, task: false, cut: false, ...(by === undefined ? {} : { by }) };
}

/** The words as the next checkpoint finds them. */
function again(rows: readonly KeptMessageRow[]): readonly PreservedMessage[] {
  return rows.flatMap((one, index): PreservedMessage[] => {
    if ('leftOut' in one) return [];
    const before = rows[index - 1];
    const gap = before !== undefined && 'leftOut' in before ? { leftOutBefore: before.leftOut } : {};
    const { leftOutBefore: _before, ...words } = one.words;
    const { text, cut, gaps, bytesPerToken } = one;
    return [{ ...words, text, cut, gaps, bytesPerToken, ...gap }];
  });
}

test('a cut leaves no half of a sign that a person reads as one', () => {
  for (const sign of ['👨‍👩‍👧‍👦', 'e\u0301\u0323', '🇩🇪 ', '👍🏽', '\r\n']) {
    const row = wordsOf('1', { length: 9000, sign, by: undefined });
    const text = row.text.slice(0, 2 + Math.floor((row.text.length - 2) / sign.length) * sign.length);
    for (const words of [300, 301, 302, 303, 304, 305, 306]) {
      const { rows } = selectMessagesToKeep([{ ...row, text }], { tasks: [], budget: { words, pictures: 0 } });
      const [head, tail] = (rows[0] as KeptMessage).text.split(/\n\[… about \d+ tokens cut here …\]\n/);
      for (const part of [head!.slice(2), tail!]) expect(part.replaceAll(sign.trim() || sign, '').trim()).toBe('');
    }
  }
});

test('a short message that is cut does not become a long one by its mark', () => {
  const said: readonly (readonly [number, string])[] = [
    [longestShortMessage + 1, '👨‍👩‍👧‍👦 '],
    [longestShortMessage - 1, '"\n'],
    [189, 'Wort '],
    [18, 'e\u0301'],
    [77, 'Wort '],
    [273, '請求'],
  ];
  const all = said.map(([length, sign], at) => wordsOf(`0-${at}`, { length, sign, by: undefined }));
  for (let words = 3900; words < 4100; words += 1) {
    const { rows } = selectMessagesToKeep(all, { tasks: [], budget: { words, pictures: 0 } });
    const cut = rows.filter((one): one is KeptMessage => !('leftOut' in one) && one.words === all[1]);
    for (const { text } of cut) expect(text.length).toBeLessThanOrEqual(longestShortMessage);
  }
});
