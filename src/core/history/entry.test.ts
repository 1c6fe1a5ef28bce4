import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import {
  type HistoryEntry,
  entryMetadata,
  entryFromLine,
  isTurnBoundary,
  isModelMade,
  type EntryOrigin,
  writerOf,
} from './entry.ts';

const turn = 'turn' as TurnId;
const message = (role: string, text: string): Item => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
});

describe('an entry', () => {
  it.each<EntryOrigin>([
    { family: 'user' },
    { family: 'user', author: 'agent' },
    { family: 'user', author: 'program' },
    { family: 'model' },
    { family: 'tool' },
    { family: 'client' },
    { family: 'context', kinds: [] },
    { family: 'context', kinds: ['environment', 'agents-md'] },
    { family: 'context', kinds: ['environment'], cause: 'initial' },
    { family: 'context', kinds: ['environment'], cause: 'change' },
    { family: 'context', kinds: ['environment'], cause: 'reinjection' },
    { family: 'context', kinds: ['turn-aborted'], cause: 'event' },
  ])('has the origin that its line says: %j', (origin) => {
    const item = message('user', '<environment_context></environment_context>');
    const stored = JSON.parse(JSON.stringify(entryMetadata({ origin, turn }))) as JsonObject;
    expect(entryFromLine(item, stored)).toEqual({ item, origin, turn });
  });

  it('takes words of an unknown author for those of a program, and never for the user’s', () => {
    const item = message('user', 'x');
    const metadata = { capstan: { origin: { family: 'user', author: 'robot' } } };
    expect(entryFromLine(item, metadata)).toEqual({ item, origin: { family: 'user', author: 'program' } });
  });

  it('does without an unknown cause', () => {
    const item = message('developer', 'x');
    const metadata = { capstan: { origin: { family: 'context', kinds: ['a', 7], cause: 'whim' } } };
    expect(entryFromLine(item, metadata)).toEqual({ item, origin: { family: 'context', kinds: ['a'] } });
  });

  it.each<[Item, EntryOrigin]>([
    [message('user', 'hello'), { family: 'user' }],
    [message('user', '<environment_context></environment_context>'), { family: 'context', kinds: ['environment'] }],
    [message('developer', 'x'), { family: 'context', kinds: ['foreign'] }],
    [message('assistant', 'x'), { family: 'model' }],
    [{ type: 'reasoning', summary: [] }, { family: 'model' }],
    [{ type: 'message', role: 'user', content: [null] }, { family: 'user' }],
    [
      { type: 'message', role: 'developer', content: [null] },
      { family: 'context', kinds: [] },
    ],
    [{ type: 'custom_tool_call_output', call_id: 'a', output: 'x' }, { family: 'tool' }],
  ])('of another program has the origin that its shape says: %j', (item, origin) => {
    for (const metadata of [undefined, {}, { capstan: { origin: 'lost' } }, { capstan: { origin: { family: '?' } } }]) {
      expect(entryFromLine(item, metadata)).toEqual({ item, origin });
    }
  });
});

it('a turn begins with words of a user or of another agent, and neither is made by the model', () => {
  const mail: Item = { type: 'agent_message', author: 'a', recipient: 'b', content: [] };
  const of = (entry: HistoryEntry) => [isTurnBoundary(entry), isModelMade(entry)];
  expect(of(entryFromLine(message('user', 'hi'), undefined))).toEqual([true, false]);
  expect(of(entryFromLine(mail, undefined))).toEqual([true, false]);
  expect(of(entryFromLine(message('assistant', 'hi'), undefined))).toEqual([false, true]);
  expect(of(entryFromLine(message('developer', 'hi'), undefined))).toEqual([false, false]);
});

it.each<[EntryOrigin, ReturnType<typeof writerOf>]>([
  [{ family: 'user' }, undefined],
  [{ family: 'user', author: 'agent' }, 'agent'],
  [{ family: 'user', author: 'program' }, 'program'],
  [{ family: 'context', kinds: ['environment'] }, 'program'],
  [{ family: 'context', kinds: ['foreign'] }, 'earlier-summary'],
])('a message of the user’s role has the writer that its origin says: %j', (origin, writer) => {
  expect(writerOf({ item: message('user', 'x'), origin })).toBe(writer);
  expect(writerOf({ item: message('developer', 'x'), origin })).toBe(undefined);
});
