import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../protocol/item.ts';
import { entryOf } from './entry.ts';
import { append, emptyHistory, entries, type History, historyOf } from './history.ts';
import { project } from './project.ts';

const history = (...items: readonly Item[]): History => historyOf(items.map((item) => entryOf(item, undefined)));
const call = (id: string): Item => ({ type: 'function_call', id: `fc_${id}`, name: 'x', arguments: '{}', call_id: id });
const output = (id: string): Item => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const message = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

describe('project', () => {
  it('answers a call that has no answer, right after it, with an id that depends on the call alone', () => {
    const projected = project(history(call('a'), message('next')));
    expect(projected).toEqual([
      call('a'),
      {
        type: 'function_call_output',
        id: expect.stringMatching(/^fco_[0-9a-f-]{36}$/),
        call_id: 'a',
        output: 'aborted',
      },
      message('next'),
    ]);
    expect(project(history(call('a')))[1]).toEqual(projected[1]);
  });

  it('leaves out an answer to nothing, but not an event from outside', () => {
    const event: Item = { type: 'function_call_output', name: 'clock', output: 'tick' };
    expect(project(history(output('gone'), event))).toEqual([event]);
  });

  it('keeps what a server answered itself', () => {
    const served: Item = { type: 'tool_search_output', call_id: 'x', execution: 'server', tools: [] };
    expect(project(history(served))).toEqual([served]);
  });

  it('projects a longer history to a longer list with the same beginning', () => {
    const item = fc.oneof(fc.constantFrom('a', 'b', 'c').map(call), fc.string().map(message));
    fc.assert(
      fc.property(fc.array(item), fc.array(fc.string().map(message)), (items, later) => {
        const before = project(history(...items));
        expect(project(history(...items, ...later)).slice(0, before.length)).toEqual(before);
      }),
    );
  });
});

describe('history', () => {
  it('is a value: what grows from it does not change it', () => {
    const one = append(emptyHistory(), entryOf(message('1'), undefined));
    const two = append(one, entryOf(message('2'), undefined));
    const other = append(one, entryOf(message('3'), undefined));
    const text = (value: History) => entries(value).map(({ item }) => JSON.stringify(item['content']));
    expect(text(one)).toHaveLength(1);
    expect(text(two).at(-1)).toContain('2');
    expect(text(other).at(-1)).toContain('3');
  });
});
