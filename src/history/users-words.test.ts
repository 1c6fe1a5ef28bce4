import { describe, expect, test } from 'vitest';
import type { TurnId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Entry } from './entry.ts';
import { historyOf } from './history.ts';
import { usersWords } from './users-words.ts';

const turn = 'turn-1' as TurnId;
const text = (words: string): JsonObject => ({ type: 'input_text', text: words });
const picture: JsonObject = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };

const said = (id: string, ...content: readonly JsonObject[]): Entry => ({
  item: { type: 'message', id, role: 'user', content },
  origin: { family: 'user' },
  turn,
});
const call: Entry = {
  item: { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
  origin: { family: 'model' },
};
const intent = (quoted: string, words: Entry['words']): Entry => ({
  item: { type: 'message', id: 'msg_intent', role: 'user', content: [text(quoted)] },
  origin: { family: 'context', kinds: ['checkpoint-intent'] },
  ...(words === undefined ? {} : { words }),
});
const plain = { worked: false, calls: 0, task: false, cut: false };

test('texts of a message are joined by lines, and what was worked on shows', () => {
  const [first, second] = [said('a', text('one'), text('two')), said('b', text('three'))];
  expect(usersWords(historyOf([first, call, call, second]))).toEqual([
    { ...plain, id: 'a', turn, text: 'one\ntwo', entry: first, worked: true, calls: 2 },
    { ...plain, id: 'b', turn, text: 'three', entry: second },
  ]);
});

test('names of pictures and context beside the words are not the words', () => {
  const context = text('<environment_context>\n</environment_context>');
  const pictured = said(
    'a',
    text('<image name=[Image #1] path="a.png">'),
    picture,
    text('</image>'),
    text('look'),
    context,
  );
  expect(usersWords(historyOf([pictured]))).toEqual([{ ...plain, id: 'a', turn, text: 'look', entry: pictured }]);
});

test('who quotes context and nothing else has said that', () => {
  const quoting = said('a', text('<turn_aborted>x</turn_aborted>'));
  expect(usersWords(historyOf([quoting]))[0]?.text).toBe('<turn_aborted>x</turn_aborted>');
});

describe('after a checkpoint', () => {
  test('quoted words and messages of their own come in the order in which they were said', () => {
    const pictured = said('b', picture, text('see'));
    const quotes = intent('xx first xx last', [
      { id: 'a', turn, start: 3, end: 8, task: true, worked: true },
      { id: 'b', turn, start: 8, end: 8, worked: true },
      { id: 'c', turn, start: 12, end: 16, cut: true },
    ]);
    expect(usersWords(historyOf([quotes, pictured, call]))).toEqual([
      { ...plain, id: 'a', turn, text: 'first', task: true, worked: true },
      { ...plain, id: 'b', turn, text: 'see', entry: pictured, worked: true },
      // What is done after a checkpoint is done about the newest words.
      { ...plain, id: 'c', turn, text: 'last', cut: true, worked: true, calls: 1 },
    ]);
  });

  test('pictures that stand alone belong to the words that are quoted', () => {
    const pictures = said('a', picture);
    const quotes = intent('look here', [{ id: 'a', turn, start: 0, end: 9, task: true }]);
    expect(usersWords(historyOf([quotes, pictures]))).toEqual([
      { ...plain, id: 'a', turn, text: 'look here', entry: pictures, task: true },
    ]);
  });

  test('what is known about a kept message is read from it', () => {
    const kept: Entry = {
      ...said('a', text('do it')),
      words: [{ id: 'a', turn, start: 0, end: 0, worked: true, task: true }],
    };
    expect(usersWords(historyOf([kept]))).toEqual([
      { ...plain, id: 'a', turn, text: 'do it', entry: kept, worked: true, task: true },
    ]);
  });

  test('nothing is left of a message that is only named', () => {
    expect(usersWords(historyOf([intent('', [{ id: 'a', start: 0, end: 0 }])]))).toEqual([]);
  });
});

test('messages without an id, or with the id of another, get a stable one', () => {
  const nameless: Entry = {
    item: { type: 'message', role: 'user', content: [text('who am I')] },
    origin: { family: 'user' },
  };
  const history = historyOf([nameless, said('a', text('one')), said('a', text('two'))]);
  const ids = usersWords(history).map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(ids[1]).toBe('a');
  expect(usersWords(history).map(({ id }) => id)).toEqual(ids);
});
