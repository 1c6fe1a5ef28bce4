import { describe, expect, test } from 'vitest';
import type { TurnId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { HistoryEntry } from './entry.ts';
import { historyOf } from './history.ts';
import { messagesOfUserAndSetup, messagesOfUser } from './user-words.ts';

const turn = 'turn-1' as TurnId;
const text = (words: string): JsonObject => ({ type: 'input_text', text: words });
const picture: JsonObject = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };

const said = (id: string, ...content: readonly JsonObject[]): HistoryEntry => ({
  item: { type: 'message', id, role: 'user', content },
  origin: { family: 'user' },
  turn,
});
const call: HistoryEntry = {
  item: { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
  origin: { family: 'model' },
};
const intent = (quoted: string, words: HistoryEntry['words']): HistoryEntry => ({
  item: { type: 'message', id: 'msg_intent', role: 'user', content: [text(quoted)] },
  origin: { family: 'context', kinds: ['checkpoint-intent'] },
  ...(words === undefined ? {} : { words }),
});
const plain = { pictures: [], picturesLeftOut: 0, task: false, cut: false };

test('texts of a message are joined by lines', () => {
  const [first, second] = [said('a', text('one'), text('two')), { ...said('b', text('three')), number: 2 }];
  expect(messagesOfUser(historyOf([first, call, call, second]))).toEqual([
    { ...plain, id: 'a', turn, text: 'one\ntwo' },
    { ...plain, id: 'b', turn, number: 2, text: 'three' },
  ]);
});

test('names of pictures and context beside the words are not the words', () => {
  const context = text('<environment_context>\n</environment_context>');
  const pictures = [text('<image name=[Image #1] path="a.png">'), picture, text('</image>')];
  expect(messagesOfUser(historyOf([said('a', ...pictures, text('look'), context)]))).toEqual([
    { ...plain, id: 'a', turn, text: 'look', pictures },
  ]);
});

test('who quotes context and nothing else has said that', () => {
  const quoting = said('a', text('<turn_aborted>x</turn_aborted>'));
  expect(messagesOfUser(historyOf([quoting]))[0]?.text).toBe('<turn_aborted>x</turn_aborted>');
});

describe('after a checkpoint', () => {
  test('quoted words come with what is known about them, and with their pictures', () => {
    const quotes: HistoryEntry = {
      item: { type: 'message', id: 'msg_intent', role: 'user', content: [text('xx first xx'), picture, text(' last')] },
      origin: { family: 'context', kinds: ['checkpoint-intent'] },
      words: [
        { id: 'a', turn, number: 4, start: 3, end: 8, task: true },
        { id: 'b', turn, start: 12, end: 16, cut: true, pictures: [1, 2], picturesLeftOut: 3 },
      ],
    };
    expect(messagesOfUser(historyOf([quotes, call]))).toEqual([
      { ...plain, id: 'a', turn, number: 4, text: 'first', task: true },
      { ...plain, id: 'b', turn, text: 'last', cut: true, pictures: [picture], picturesLeftOut: 3 },
    ]);
  });

  test('a message of its own, as earlier versions kept it, has its place where a quote names it', () => {
    const pictured = said('b', picture, text('see'));
    const quotes = intent('xx first xx last', [
      { id: 'a', turn, start: 3, end: 8, task: true },
      { id: 'b', turn, start: 8, end: 8 },
      { id: 'c', turn, start: 12, end: 16, cut: true },
    ]);
    expect(messagesOfUser(historyOf([quotes, pictured, call]))).toEqual([
      { ...plain, id: 'a', turn, text: 'first', task: true },
      { ...plain, id: 'b', turn, text: 'see', pictures: [picture] },
      { ...plain, id: 'c', turn, text: 'last', cut: true },
    ]);
  });

  test('nothing is left of a message that is only named', () => {
    expect(messagesOfUser(historyOf([intent('', [{ id: 'a', start: 0, end: 0 }])]))).toEqual([]);
  });
});

test('messages without an id, or with the id of another, get a stable one', () => {
  const nameless: HistoryEntry = {
    item: { type: 'message', role: 'user', content: [text('who am I')] },
    origin: { family: 'user' },
  };
  const history = historyOf([nameless, said('a', text('one')), said('a', text('two'))]);
  const ids = messagesOfUser(history).map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(ids[1]).toBe('a');
  expect(messagesOfUser(history).map(({ id }) => id)).toEqual(ids);
});

test('what hooks and programs said is heard, and is not the words of the user', () => {
  const hook: HistoryEntry = {
    item: { type: 'message', id: 'h', role: 'user', content: [text('<hook_prompt>a &lt; b</hook_prompt>')] },
    origin: { family: 'context', kinds: ['hook-prompt'], cause: 'event' },
    turn,
  };
  const program: HistoryEntry = {
    item: { type: 'message', id: 'p', role: 'developer', content: [text('be brief')] },
    origin: { family: 'client' },
    turn,
  };
  const quoted = intent('earlier', [{ start: 0, end: 7, id: 'e', by: 'hook', number: 1 }]);
  const own = { ...said('a', text('one')), number: 2 };
  const history = historyOf([quoted, own, hook, program, call]);
  expect(messagesOfUser(history).map(({ id }) => id)).toEqual(['a']);
  expect(messagesOfUserAndSetup(history)).toEqual([
    { ...plain, id: 'e', by: 'hook', number: 1, text: 'earlier' },
    { ...plain, id: 'a', turn, number: 2, text: 'one' },
    { ...plain, id: 'h', by: 'hook', turn, number: 2, text: 'a < b' },
    { ...plain, id: 'p', by: 'program', turn, number: 2, text: 'be brief' },
  ]);
});

test('a turn that failed ended early: its newest message of the user says so', () => {
  const [other, failed] = ['turn-2' as TurnId, 'turn-3' as TurnId];
  const history = historyOf([
    said('a', text('one')),
    { ...said('b', text('two')), turn: failed },
    { ...said('c', text('three')), turn: failed },
    { ...said('d', text('four')), turn: other },
  ]);
  const early = messagesOfUser(history, { failed: [failed] }).map(({ id, endedEarly }) => [id, endedEarly]);
  expect(early).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['c', true],
    ['d', undefined],
  ]);
});

describe('a turn that failed and was continued', () => {
  const turnOf = (number: number): TurnId => `turn-${number}` as TurnId;
  const continued = (number: number): HistoryEntry => ({
    item: { type: 'message', id: `msg_${number}`, role: 'developer', content: [text('<turn_continued>')] },
    origin: { family: 'context', kinds: ['turn-continued'] },
    turn: turnOf(number),
  });
  const aborted: HistoryEntry = { ...continued(2), origin: { family: 'context', kinds: ['turn-aborted'] } };
  const early = (all: readonly HistoryEntry[], ...failed: readonly number[]) =>
    messagesOfUser(historyOf(all), { failed: failed.map(turnOf) }).map(({ endedEarly }) => endedEarly === true);

  test.each([
    ['and answered did not end early', [continued(2)], [1], false],
    ['twice and answered did not either', [continued(2), continued(3)], [1, 2], false],
    ['and failed again did', [continued(2)], [1, 2], true],
    ['and was stopped did', [continued(2), aborted], [1], true],
  ])('%s', (_name, more, failed, expected) => {
    expect(early([said('a', text('one')), ...more], ...failed)).toEqual([expected]);
  });

  test('after a checkpoint that says so', () => {
    const quoted = intent('one', [{ id: 'a', start: 0, end: 3, endedEarly: true }]);
    expect([early([quoted]), early([quoted, continued(2)])]).toEqual([[true], [false]]);
  });
});

test('a command that the user ran is named as that', () => {
  const shell = '<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>';
  const [row] = messagesOfUserAndSetup(historyOf([{ ...said('a', text(shell)), origin: { family: 'client' } }]));
  expect(row).toMatchObject({ by: 'shell', text: shell });
});
