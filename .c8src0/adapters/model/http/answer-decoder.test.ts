import { expect, test } from 'vitest';
import type { ModelEvent } from '../../../ports/model.ts';
import { answerDecoder, type AnswerEventReader, socketMessageDecoder } from './answer-decoder.ts';
import { modelFailure } from './failures/model-failure.ts';

const cut = modelFailure({ cause: 'cut', message: 'cut' });
const item = (text: string): ModelEvent => ({ kind: 'item', item: { type: 'message', text } });
const completed: ModelEvent = { kind: 'completed', responseId: 'r' };

/** Each word of an event's data is an item, `done` the end; a stream that ends after `last` is complete. */
function words(): AnswerEventReader {
  let isLast = false;
  return {
    event: (data) =>
      data
        .toString('utf8')
        .split(' ')
        .map((word) => {
          isLast ||= word === 'last';
          return word === 'done' ? completed : item(word);
        }),
    end: () => (isLast ? [completed] : []),
  };
}

function decode(text: string, maxBytes = 1000): readonly ModelEvent[] {
  const decoder = answerDecoder({ maxBytes }, words());
  return [...decoder.push(Buffer.from(text)), ...decoder.end(() => cut)];
}

test('one event may say several things, and nothing is said after the end', () => {
  expect(decode('data: a b\n\ndata: c done d\n\ndata: e\n\n')).toEqual([item('a'), item('b'), item('c'), completed]);
});

test('a stream that ends without an end is complete if its reader says so, and cut otherwise', () => {
  expect(decode('data: a last\n\n')).toEqual([item('a'), item('last'), completed]);
  expect(decode('data: a')).toEqual([item('a'), { kind: 'failed', failure: cut }]);
});

test('messages without content are read up to the limit, too', () => {
  const decoder = socketMessageDecoder({ maxBytes: 1000 }, { event: () => [], end: () => [] });
  const last = Array.from({ length: 20 }, () => decoder.push([Buffer.alloc(0)])).flat();
  expect(last).toEqual([{ kind: 'failed', failure: expect.objectContaining({ code: 'answer-too-large' }) }]);
});

test('an answer is read up to its limit', () => {
  expect(decode('data: a\n\n: and a comment that is too long\n\n', 20)).toEqual([
    item('a'),
    { kind: 'failed', failure: expect.objectContaining({ code: 'answer-too-large' }) },
  ]);
});

test('a flood of events that the reader does not know ends the wait, although nothing is waited for', async () => {
  const slow: AnswerEventReader = {
    event() {
      const until = performance.now() + 5;
      while (performance.now() < until);
      return undefined;
    },
    end: () => [],
  };
  const decoder = socketMessageDecoder({ maxBytes: 1_000_000 }, slow);
  const came = async () => ({ kind: 'messages' });
  let reads = 0;
  for (; reads < 1000 && (await decoder.wait(50, came)).kind === 'messages'; reads += 1)
    decoder.push([Buffer.from('x')]);
  expect(reads).toBeLessThanOrEqual(10);
});
