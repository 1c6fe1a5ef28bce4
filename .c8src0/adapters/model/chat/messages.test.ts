import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capabilitiesAt, commonCapabilities } from '../../../core/config/providers/server-capabilities.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { messageMaker, createCallIdMaker } from './messages.ts';
import { chatDialect } from './dialect.ts';

const nine = chatDialect({ ...commonCapabilities, anyCallIds: false });
const call = (id: string): Item => ({ type: 'function_call', name: 'look', arguments: '{}', call_id: id });
const output = (id: string, given: string): Item => ({ type: 'function_call_output', call_id: id, output: given });

/** The ids of calls in messages, and what answers each. */
function calledAndAnswered(messages: readonly JsonObject[]) {
  return messages.flatMap(({ role, tool_calls: calls, tool_call_id: id, content }) => {
    if (role === 'tool') return [['answer', id, content]];
    return ((calls ?? []) as readonly JsonObject[]).map((each) => ['call', each['id']]);
  });
}

test('a server at mistral.ai gets ids of nine letters and digits, and others get those that there are', () => {
  const at = (url: string): string => chatDialect({ ...commonCapabilities, ...capabilitiesAt(url) }).version;
  expect([at('https://api.mistral.ai/v1'), at('https://example.com/v1'), nine.version]).toEqual([
    'chat/3+alternating+nine',
    'chat/3+alternating',
    'chat/3+alternating+nine',
  ]);
});

test('a call and its output have one id, which the server takes, and its own ids stay', () => {
  const items = [call('call_1'), call('aB3xK9mP2'), output('call_1', 'one'), output('aB3xK9mP2', 'two')];
  const found = calledAndAnswered(messageMaker(nine)(items).messages);
  const id = found[0]![1] as string;
  expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(found).toEqual([
    ['call', id],
    ['call', 'aB3xK9mP2'],
    ['answer', id, 'one'],
    ['answer', 'aB3xK9mP2', 'two'],
  ]);
});

describe('ids of nine characters', () => {
  /** Such that what one id becomes is another one. */
  const given = fc.array(fc.oneof(fc.constantFrom('', 'a', 'call_1', 'aB3xK9mP2', 'aaaaaaaaa'), fc.string()), {
    maxLength: 20,
  });
  const clashing = given.map((ids) => [...ids, ...ids.map((id) => createCallIdMaker('nine')(id)), ...ids]);

  test('are one for each call, and do not depend on what comes later', () => {
    fc.assert(
      fc.property(clashing, fc.nat(), (ids, cut) => {
        const [fresh, again] = [createCallIdMaker('nine'), createCallIdMaker('nine')];
        const made = ids.map((id) => fresh(id));
        expect(made.filter((id) => !/^[A-Za-z0-9]{9}$/.test(id))).toEqual([]);
        expect(new Set(made).size).toBe(made.length);
        const first = ids.slice(0, cut % (ids.length + 1));
        expect(first.map((id) => again(id))).toEqual(made.slice(0, first.length));
      }),
    );
  });

  test('stay in every later request', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 6 }), (ids) => {
        const maker = messageMaker(nine);
        let before: readonly unknown[] = [];
        const items: Item[] = [];
        for (const [index, id] of ids.entries()) {
          items.push(call(id), output(id, `${index}`), { type: 'message', role: 'user', content: [] });
          const found = calledAndAnswered(maker([...items]).messages);
          expect(found.slice(0, before.length)).toEqual(before);
          before = found;
        }
        expect(new Set(before.map((each) => (each as readonly unknown[])[1])).size).toBe(ids.length);
      }),
    );
  });
});

test('any id is as it was, unless an earlier call has it', () => {
  const fresh = createCallIdMaker('any');
  expect(['a', 'b', 'a', 'a_2', 'a'].map((id) => fresh(id))).toEqual(['a', 'b', 'a_2', 'a_2_2', 'a_3']);
});
