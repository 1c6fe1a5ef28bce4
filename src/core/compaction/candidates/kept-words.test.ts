import { expect, test } from 'vitest';
import { uncutBytes } from '../../fragments/text/cut-and-fence-text.ts';
import { messageItemOfParts } from '../../fragments/message-items.ts';
import { sentBytes } from '../../fragments/text/truncate.ts';
import { itemTokens } from '../../history/token-counts.ts';
import { textTokens } from '../../history/text-tokens.ts';
import type { PreservedMessage } from '../../history/user-words.ts';
import { selectMessagesToKeep, type KeptMessage, type KeptMessageRow } from './kept-words.ts';

const row = (id: string, text: string): PreservedMessage => ({
  id,
  text,
  pictures: [],
  picturesLeftOut: 0,
  task: false,
  cut: false,
});

test('a table of numbers stays within the budget as a tokeniser counts it', () => {
  const table = Array.from({ length: 3000 }, (_, n) => `${n};${(n * 7919) % 1000};${(n * 37) % 1000},00`).join('\n');
  const { rows } = selectMessagesToKeep([row('1', 'Sum it up.'), row('2', table), row('3', 'Thanks.')], {
    tasks: [],
    budget: { words: 2000, pictures: 0 },
  });
  const texts = rows.map((one) => ('leftOut' in one ? '' : one.text));
  expect(texts.map((text) => text.length > 0)).toEqual([true, true, true]);
  expect(texts.reduce((sum, text) => sum + textTokens(text), 0)).toBeLessThan(2000);
});

test('marks and gaps count as all estimates do, whatever the text is', () => {
  const table = Array.from({ length: 3000 }, (_, n) => `${n};${(n * 7919) % 1000};${(n * 37) % 1000},00`).join('\n');
  const choose = (words: number) =>
    selectMessagesToKeep([row('1', 'Sum it up.'), row('2', table), row('3', 'Thanks.')], {
      tasks: [],
      budget: { words, pictures: 0 },
    }).rows;
  const missing = (said: number, stands: string) => Math.abs(said + textTokens(stands) - textTokens(table));
  const cut = choose(2000)[1] as KeptMessage;
  const [, said] = /about (\d+) tokens cut/.exec(cut.text)!;
  expect(missing(Number(said), cut.text)).toBeLessThan(textTokens(table) / 20);
  const gap = choose(150)[1] as { leftOut: { tokens: number } };
  expect(missing(gap.leftOut.tokens, '')).toBeLessThanOrEqual(1);
  // Four bytes to a token would say half of it.
  expect(sentBytes(table) / 4).toBeLessThan(textTokens(table) * 0.7);
});

test('after any number of checkpoints, what stands and what marks say is missing are the original', () => {
  const told = [
    ['1', 'Keep all rules. '.repeat(200)],
    ['2', 'A long paste with\n"quotes" in it. '.repeat(900)],
    ['3', 'Another one: 請求書の画面を直してください。'.repeat(300)],
    ['4', 'The newest message, long as well. '.repeat(400)],
  ] as const;
  // By the estimate that all other numbers of tokens are by: the marks of one message count alike.
  const rate = (text: string) => sentBytes(text) / textTokens(text);
  const rates = new Map(told.map(([id, text]) => [id as string, rate(text)]));
  const whole = told.reduce((sum, [, text]) => sum + Math.ceil(sentBytes(text) / rate(text)), 0);
  let all: readonly PreservedMessage[] = told.map(([id, text]) => row(id, text));
  for (const words of [9000, 6000, 3000, 1500, 600, 200]) {
    const { rows } = selectMessagesToKeep(all, { tasks: [], budget: { words, pictures: 0 } });
    const standing = rows.map((one) =>
      'leftOut' in one ? one.leftOut.tokens : Math.ceil(uncutBytes(one.text, one.gaps) / rates.get(one.words.id)!),
    );
    expect(standing.reduce((sum, tokens) => sum + tokens, 0)).toBe(whole);
    const said = rows.flatMap((one) => ('leftOut' in one ? [] : [...one.text.matchAll(/about (\d+) tokens cut/g)]));
    const missing = rows.flatMap((one) =>
      'leftOut' in one ? [] : one.gaps.map(({ bytes }) => Math.ceil(bytes / rates.get(one.words.id)!)),
    );
    expect(said.map(([, count]) => Number(count))).toEqual(missing);
    all = again(rows);
  }
});

/** The words as the next checkpoint finds them. */
function again(rows: readonly KeptMessageRow[]): readonly PreservedMessage[] {
  return rows.flatMap((one, index): PreservedMessage[] => {
    if ('leftOut' in one) return [];
    const before = rows[index - 1];
    const gap = before !== undefined && 'leftOut' in before ? { leftOutBefore: before.leftOut } : {};
    const { bytesPerToken } = one;
    return [{ ...row(one.words.id, one.text), cut: one.cut, gaps: one.gaps, bytesPerToken, ...gap }];
  });
}

test('a mark that the user wrote is words, not a mark', () => {
  const said = `[… about 999999 tokens cut here …]\n${'Words of mine. '.repeat(400)}`;
  const { rows } = selectMessagesToKeep([row('1', said)], { tasks: [], budget: { words: 100, pictures: 0 } });
  expect(rows.map((one) => ('leftOut' in one ? 0 : uncutBytes(one.text, one.gaps)))).toEqual([sentBytes(said)]);
});

test('a message that was written several times counts each time, with the fate that it has', () => {
  const long = 'A long order. '.repeat(400);
  const said = [row('1', 'Begin.'), row('2', long), row('3', 'yes'), row('4', long), row('5', 'yes'), row('6', 'Go.')];
  const counts = (words: number) => selectMessagesToKeep(said, { tasks: [], budget: { words, pictures: 0 } }).counts;
  expect(counts(10_000)).toEqual({ kept: 6, cut: 0, dropped: 0 });
  expect(counts(400)).toEqual({ kept: 4, cut: 2, dropped: 0 });
  expect(counts(90)).toEqual({ kept: 4, cut: 0, dropped: 2 });
  // The next checkpoint finds them as one message, which says how often it was written.
  const next = [row('1', 'Begin.'), { ...row('5', 'yes'), number: 5, alsoIn: [3] }, row('6', 'Go.'), row('7', 'yes')];
  expect(selectMessagesToKeep(next, { tasks: [], budget: { words: 900, pictures: 0 } }).counts).toEqual({
    kept: 5,
    cut: 0,
    dropped: 0,
  });
});

/** Six messages of the same size, of which a model chose the third, in the order in which they go before each other. */
const inPrecedence = ['6', '3', '1', '5', '4', '2'];

test.each([1, 2, 3, 4, 5, 6])('with space for %d messages, those that go before the others stand whole', (count) => {
  const text = (id: string): string => `Message ${id} of the user, with words. `.repeat(40);
  const all = ['1', '2', '3', '4', '5', '6'].map((id) => row(id, text(id)));
  const each = Math.ceil(Math.max(sentBytes(text('1')) / 4, textTokens(text('1')))) + 16;
  // Messages that are never left out keep a little space behind those that stand whole.
  const reserved = Math.max(0, 3 - count) * 48;
  const { rows } = selectMessagesToKeep(all, {
    tasks: [all[2]!],
    budget: { words: count * each + reserved + 4, pictures: 0 },
  });
  const whole = rows.flatMap((one) => ('leftOut' in one || one.cut ? [] : [one.words.id]));
  expect(whole.toSorted()).toEqual(inPrecedence.slice(0, count).toSorted());
});

test.each([1, 2, 3, 4, 5])('with space for %d pictures, those of the messages that go first are kept', (count) => {
  const picture = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(400)}` };
  const all = ['1', '2', '3', '4', '5', '6'].map((id) => ({ ...row(id, `See ${id}.`), pictures: [picture] }));
  const each = itemTokens(messageItemOfParts('', 'user', [picture]));
  const { rows } = selectMessagesToKeep(all, {
    tasks: [all[2]!],
    budget: { words: 10_000, pictures: count * each + 1 },
  });
  const kept = rows.flatMap((one) => ('leftOut' in one || one.pictures.length === 0 ? [] : [one.words.id]));
  expect(kept.toSorted()).toEqual(inPrecedence.slice(0, count).toSorted());
});
