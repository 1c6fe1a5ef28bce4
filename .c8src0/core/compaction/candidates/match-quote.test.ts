import { expect, test } from 'vitest';
import type { PreservedMessage } from '../../history/user-words.ts';
import { findQuotedMessages } from './match-quote.ts';

const said = (text: string): PreservedMessage => ({
  id: text,
  text,
  pictures: [],
  picturesLeftOut: 0,
  task: false,
  cut: false,
});

const parser = said('Rewrite the parser so that it reads TOML,\n  and keep the old tests green.');
const colour = said('Which colour has the logo of the project?');
const japanese = said('パーサーを書き直して、古いテストも通るようにしてください。');
const rows = [parser, colour, japanese, said('go on')];

test.each<readonly [string, string, readonly PreservedMessage[]]>([
  ['itself', parser.text, [parser]],
  ['other white space', ' Rewrite the parser so that it reads TOML, and keep the old tests green.\n', [parser]],
  ['its beginning', 'Rewrite the parser so…', [parser]],
  ['a part of it', 'reads TOML, and keep the old tests', [parser]],
  ['it inside of more', `The user said: ${parser.text} Then work began.`, [parser]],
  ['two messages together', `${parser.text}\n\n${colour.text}`, [parser, colour]],
  ['nearly it', 'Rewrite the parser so it reads TOML and keeps the old tests green', [parser]],
  ['nearly it, in Japanese', 'パーサーを書き直して、古いテストも通るようにして', [japanese]],
  ['a short one, exactly', 'go on', [rows[3]!]],
  ['something else', 'Deploy the service to the second cluster tonight.', []],
  ['nothing', ' \n', []],
  ['a beginning that says nothing', 'Re', []],
])('the message meant by %s', (_, quote, expected) => {
  expect(findQuotedMessages(rows, quote)).toEqual(expected);
});

test('a request over short messages is all of them, whole or by their beginnings', () => {
  const [file, flag, tests] = [said('in src/report.ts'), said('add a --json flag'), said('with tests please')];
  const paste = said(`TypeError: x is null\n${'  at handler\n'.repeat(50)}`);
  const all = [paste, file, flag, said('a flag'), tests];
  expect(findQuotedMessages(all, `${file.text}\n\n${flag.text}\n${tests.text}`)).toEqual([file, flag, tests]);
  expect(findQuotedMessages(all, 'TypeError: x is null at…\n\nwith tests please')).toEqual([paste, tests]);
  expect(findQuotedMessages(all, 'in src/report.ts and something else')).toEqual([]);
});

test('a message without words is quoted by the name of its picture', () => {
  const label = { type: 'input_text', text: '<image name=[Image #1] path="/shot.png">' };
  const shot = { ...said(''), id: 'shot', pictures: [label, { type: 'input_image', image_url: 'data:' }] };
  expect(findQuotedMessages([parser, shot], '[Image #1]')).toEqual([shot]);
  expect(findQuotedMessages([parser, shot], `${parser.text}\n\n${label.text}`)).toEqual([parser, shot]);
});

test('of equal messages the newest is meant', () => {
  const [first, second] = [said('again please'), { ...said('again please'), id: 'newer' }];
  expect(findQuotedMessages([first, second], 'again please')).toEqual([second]);
});
