import { expect, test } from 'vitest';
import type { UserWords } from '../history/users-words.ts';
import { matchWords } from './match-words.ts';

const said = (text: string, more: Partial<UserWords> = {}): UserWords => ({
  id: text,
  text,
  worked: false,
  calls: 0,
  task: false,
  cut: false,
  ...more,
});

const parser = said('Rewrite the parser so that it reads TOML,\n  and keep the old tests green.');
const colour = said('Which colour has the logo of the project?');
const japanese = said('パーサーを書き直して、古いテストも通るようにしてください。');
const rows = [parser, colour, japanese, said('go on')];
const { closest, quotedIn } = matchWords(rows);

test.each<readonly [string, string, UserWords | undefined]>([
  ['itself', parser.text, parser],
  ['other white space', ' Rewrite the parser so that it reads TOML, and keep the old tests green.\n', parser],
  ['its beginning', 'Rewrite the parser so…', parser],
  ['a part of it', 'reads TOML, and keep the old tests', parser],
  ['it inside of more', `The user said: ${parser.text} Then work began.`, parser],
  ['nearly it', 'Rewrite the parser so it reads TOML and keeps the old tests green', parser],
  ['nearly it, in Japanese', 'パーサーを書き直して、古いテストも通るようにして', japanese],
  ['something else', 'Deploy the service to the second cluster tonight.', undefined],
  ['nothing', ' \n', undefined],
  ['a beginning that says nothing', 'Re', undefined],
])('the message meant by %s', (_, quote, expected) => {
  expect(closest(quote)).toBe(expected);
});

test('of equal messages the one that was worked on is meant', () => {
  const [first, second, third] = [said('again please'), said('again please', { worked: true }), said('again please')];
  expect(matchWords([first, second, third]).closest('again please')).toBe(second);
  expect(matchWords([{ ...first, task: true }, second]).closest('again please')).toMatchObject({ task: true });
});

test('messages in a block are found, whole or by their beginnings', () => {
  const block = `1. Rewrite the parser so that …\n\n---\n${colour.text}\n\nsomething else entirely`;
  expect(quotedIn(block)).toEqual(new Set([colour, parser]));
});
