import { expect, test } from 'vitest';
import type { HistoryEntry } from './entry.ts';
import { appendEntry, emptyHistory, type History, isContextInForce } from './history.ts';

const kinds = { id: 'skills', withdrawn: { id: 'skills-gone' } };

function context(...names: readonly string[]): HistoryEntry {
  return { item: { type: 'message', role: 'developer', content: [] }, origin: { family: 'context', kinds: names } };
}

const words: HistoryEntry = { item: { type: 'message', role: 'user', content: [] }, origin: { family: 'user' } };

function grown(from: History, ...more: readonly HistoryEntry[]): History {
  return more.reduce(appendEntry, from);
}

test('the newest text about a subject decides, in each value of a history that grew or branched off', () => {
  const before = grown(emptyHistory(), words, context('other'));
  const told = grown(before, words, context('other', 'skills'));
  const withdrawn = grown(told, words, context('skills-gone'), words);
  const again = grown(withdrawn, context('skills'));
  const branch = grown(told, words);
  const values = [again, before, withdrawn, branch, told, grown(before, words), again];
  expect(values.map((value) => isContextInForce(value, kinds))).toEqual([true, false, false, true, true, false, true]);
});
