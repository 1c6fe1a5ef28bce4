import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { type UserInput, words, writtenBy } from '../../../protocol/user-input.ts';
import { reduce } from '../reduce.ts';
import { emptyThreadState, type ThreadState } from '../thread-state.ts';
import {
  messageSealContent,
  withEnteredMessage,
  messageDroppedLine,
  waitingMessageLine,
  type WaitingMessage,
} from './waiting-messages.ts';

const said = (id: string): WaitingMessage => ({ id, kind: 'words', input: words(`words ${id}`) });
const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'words a' }] };
const own = { capstan: { origin: { family: 'user' } } };
const enters = (id: string) => withEnteredMessage({ type: 'response_item', payload: item, metadata: own }, id);
const event = (payload: JsonObject) => ({ type: 'event_msg', payload });

function fold(...lines: readonly Pick<Line, 'type' | 'payload' | 'metadata'>[]): ThreadState {
  return lines.reduce((state, line) => reduce(state, { timestamp: '', ...line } as Line), emptyThreadState);
}

const idsOf = ({ waiting }: ThreadState): readonly string[] => waiting.map(({ id }) => id);

describe('messages that wait', () => {
  it('stand in the order of their lines, and leave by the line that brings them into history, or drops them', () => {
    const lines = [waitingMessageLine(said('a')), waitingMessageLine(said('b')), waitingMessageLine(said('c'))];
    expect(fold(...lines).waiting).toEqual([said('a'), said('b'), said('c')]);
    const after = fold(...lines, enters('a'), messageDroppedLine('c', 'forked'));
    expect([idsOf(after), after.history.length]).toEqual([['b'], 1]);
  });

  it('wait once, however often a line says so; a line about a message that does not wait changes nothing', () => {
    expect(idsOf(fold(waitingMessageLine(said('a')), waitingMessageLine(said('a'))))).toEqual(['a']);
    expect(idsOf(fold(waitingMessageLine(said('a')), enters('b'), messageDroppedLine('b', 'forked')))).toEqual(['a']);
  });

  it('keep who wrote them, pictures as they were, and files that were none', () => {
    const input: UserInput = {
      author: 'agent',
      text: '',
      images: [{ path: 'a.png', dataUrl: 'data:,' }],
      unusableImages: [{ path: 'b.png', problem: { code: 'x', message: 'It is none.', next: 'Try another.' } }],
    };
    const { waiting } = fold(waitingMessageLine({ id: 'a', kind: 'words', input }));
    expect(waiting).toEqual([{ id: 'a', kind: 'words', input }]);
  });

  it('have a claim that says who wrote them, unless it was a user', () => {
    const claim = (input: UserInput) => messageSealContent({ id: 'a', kind: 'words', input });
    expect(claim(words('x'))).toEqual(['capstan_waiting', 'a', 'words', 'x', [], null]);
    expect(claim(writtenBy('agent', 'x'))).toEqual(['capstan_waiting', 'a', 'words', 'x', [], null, 'agent']);
  });

  it.each<readonly [string, JsonObject]>([
    ['without an id', { kind: 'words', input: { text: 'x', images: [] } }],
    ['of no kind', { id: 'a', input: { text: 'x', images: [] } }],
    ['without words', { id: 'a', kind: 'words', input: { images: [] } }],
    ['without an item', { id: 'a', kind: 'item', item: [] }],
    ['of an item without a type', { id: 'a', kind: 'item', item: { role: 'user' } }],
  ])('are none in a line %s', (_, payload) => {
    expect(fold({ type: 'capstan_waiting', payload }).waiting).toEqual([]);
  });

  it('lose pictures that could not be sent', () => {
    const images = [null, 'a.png', { path: 1, dataUrl: 'data:,' }, { path: 'a.png' }];
    const payload = { id: 'a', kind: 'words', input: { text: 'x', images, unusableImages: [{}, null] } };
    const { waiting } = fold({ type: 'capstan_waiting', payload });
    expect(waiting).toEqual([
      { id: 'a', kind: 'words', input: { author: 'user', text: 'x', images: [], unusableImages: [] } },
    ]);
  });

  it('of an author that is not known are a program’s, and never the user’s', () => {
    const input = { author: 'robot', text: 'x', images: [] };
    const { waiting } = fold({ type: 'capstan_waiting', payload: { id: 'a', kind: 'words', input } });
    expect(waiting).toEqual([{ id: 'a', kind: 'words', input: { ...input, author: 'program' } }]);
  });

  it('go with a rollback that reaches behind their line, and do not come back if they entered history', () => {
    const turn = (id: string) => event({ type: 'task_started', turn_id: id });
    const over = (id: string) => event({ type: 'task_complete', turn_id: id });
    const back = event({ type: 'thread_rolled_back', num_turns: 1 });
    const lines = [
      waitingMessageLine(said('a')),
      waitingMessageLine(said('b')),
      turn('1'),
      enters('a'),
      waitingMessageLine(said('c')),
    ];
    expect(idsOf(fold(...lines, over('1')))).toEqual(['b', 'c']);
    expect(idsOf(fold(...lines, over('1'), back))).toEqual(['b']);
  });
});
