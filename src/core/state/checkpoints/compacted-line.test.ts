import { describe, expect, it } from 'vitest';
import { entryMetadata } from '../../history/entry.ts';
import { historyEntries } from '../../history/history.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { mcpProblemsInBaseline } from '../../world/tell-world.ts';
import { compactedLines } from './compacted-line.ts';
import { reduce } from '../reduce.ts';
import { emptyThreadState } from '../thread-state.ts';

const turn = 't1' as TurnId;
const says = (id: string, text: string): Item => ({
  type: 'message',
  id,
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const line = (type: string, payload: JsonObject, metadata?: JsonObject): Line => ({
  timestamp: '2026-11-15T00:00:00.000Z',
  type,
  payload,
  ...(metadata === undefined ? {} : { metadata }),
});
const intent = says('msg_1', 'Between the tags: Build it.');
const origin = { family: 'context', kinds: ['checkpoint-intent'] } as const;
const words = [{ id: 'msg_0', start: 18, end: 27, task: true }] as const;

/** The entries after our checkpoint and then one of another program, which knows nothing of ours. */
function after(items: readonly Item[], message: string) {
  const ours = {
    message: '',
    replacement_history: [intent],
    replacement_history_metadata: [entryMetadata({ origin, turn, words })],
  };
  const theirs = {
    message,
    replacement_history: items,
    replacement_history_metadata: items.map(() => ({ client_authored: false })),
  };
  const lines = [ours, theirs].map((payload) => line(lineType.compacted, payload as unknown as JsonObject));
  return historyEntries(lines.reduce(reduce, emptyThreadState).history);
}

describe('a checkpoint of another program', () => {
  it('leaves what is known about an item that it keeps', () => {
    const kept = { ...intent, internal_chat_message_metadata_passthrough: { turn_id: 'x' } };
    expect(after([kept], '')).toEqual([{ item: kept, origin, turn, words }]);
  });

  it('says nothing about an item that it changed', () => {
    const cut = says('msg_1', 'Between the tags: …');
    expect(after([cut], '')).toEqual([{ item: cut, origin: { family: 'user' } }]);
  });

  it('has a summary that is not taken for words of the user', () => {
    const [word, summary] = [says('msg_2', 'Go on.'), says('msg_3', 'In short: half of it is done.')];
    expect(after([word, summary], 'In short: half of it is done.')).toEqual([
      { item: word, origin: { family: 'user' } },
      { item: summary, origin: { family: 'context', kinds: ['foreign'] } },
    ]);
  });
});

describe('servers that the model read as down', () => {
  const problems = { s: 'It did not start.' };
  const told = line(lineType.worldState, { full: true, state: { 'capstan.mcp_problems': problems } });
  const down = [told].reduce(reduce, emptyThreadState);
  const report = { strategy: 'plain' } as never;
  const checkpoint = (state: typeof down) =>
    compactedLines(state, { message: '', items: [intent], metadata: [{}], windowId: 'w', report }).map(
      ({ type, payload }) => line(type, payload),
    );

  it('are known after several checkpoints, also to a fold that begins with the last of them', () => {
    const once = checkpoint(down).reduce(reduce, down);
    const second = checkpoint(once);
    expect(
      [second.reduce(reduce, once), second.reduce(reduce, emptyThreadState)].map((state) => state.baseline),
    ).toEqual([
      { kind: 'none', why: 'checkpoint', problems },
      { kind: 'none', why: 'checkpoint', problems },
    ]);
  });

  it('are known after a checkpoint of another program, and forgotten when a update names none', () => {
    const theirs = line(lineType.compacted, { message: 'In short.', replacement_history: [intent] });
    const after = reduce(down, theirs);
    expect(mcpProblemsInBaseline(after.baseline)).toEqual(problems);
    const anew = reduce(after, line(lineType.worldState, { full: true, state: {} }));
    expect(mcpProblemsInBaseline(anew.baseline)).toEqual({});
  });
});

it('a checkpoint of another program breaks no cache, unless a request of ours was before it', () => {
  const replaced = line(lineType.compacted, { message: '', replacement_history: [says('msg_1', 'Build it.')] });
  expect(reduce(emptyThreadState, replaced).sent).toBeUndefined();
  const sent = { kind: 'gone', why: 'rollback' } as const;
  expect(reduce({ ...emptyThreadState, sent }, replaced).sent).toEqual({ kind: 'gone', why: 'checkpoint' });
});
