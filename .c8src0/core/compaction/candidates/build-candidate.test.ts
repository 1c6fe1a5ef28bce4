import { describe, expect, test } from 'vitest';
import type { PreservedMessage } from '../../history/user-words.ts';
import type { KeptMessage } from './kept-words.ts';
import { withoutKeptMessages } from './build-candidate.ts';

const rules = Array.from({ length: 40 }, (_, n) => `Rule ${n}: never touch folder ${n} without a backup.`).join('\n');

const kept = (said: string, shown: string): KeptMessage => {
  const words: PreservedMessage = { id: '1', text: said, pictures: [], picturesLeftOut: 0, task: false, cut: false };
  const missing = { picturesLeftOut: 0, picturesLeftOutTokens: 0, cut: said !== shown };
  return { words, text: shown, gaps: [], bytesPerToken: 4, pictures: [], ...missing, alsoIn: [] };
};

describe("the user's words in a summary", () => {
  test('give way to a pointer where the checkpoint holds them whole', () => {
    const own = withoutKeptMessages(`They said:\n${rules}\nHalf is done.`, [kept(rules, rules)]);
    expect(own).toMatch(/^They said:\n\[the user's words, which stand above: Rule 0: [^\n]*\]\nHalf is done\.$/);
  });

  test('stay where the checkpoint holds only a part of them', () => {
    const shown = `${rules.slice(0, 200)}\n[… about 400 tokens cut here …]\n${rules.slice(-200)}`;
    const summary = `They said:\n${rules}\nHalf is done.`;
    expect(withoutKeptMessages(summary, [kept(rules, shown)])).toBe(summary);
  });

  test('stay as JSON, too', () => {
    const summary = JSON.stringify({ rules });
    expect(withoutKeptMessages(summary, [kept(rules, `${rules.slice(0, 100)}…`)])).toBe(summary);
  });
});
