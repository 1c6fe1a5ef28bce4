import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import { entryFromLine } from './entry.ts';
import { appendEntry, emptyHistory, historyEntries, type History, historyOf } from './history.ts';
import { toSentItems } from './sent-items.ts';

const history = (...items: readonly Item[]): History => historyOf(items.map((item) => entryFromLine(item, undefined)));
const call = (id: string): Item => ({ type: 'function_call', id: `fc_${id}`, name: 'x', arguments: '{}', call_id: id });
const output = (id: string): Item => ({ type: 'function_call_output', call_id: id, output: 'ok' });
const message = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

describe('project', () => {
  it('answers a call that has no answer, right after it, with an id that depends on the call alone', () => {
    const projected = toSentItems(history(call('a'), message('next')));
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
    expect(toSentItems(history(call('a')))[1]).toEqual(projected[1]);
  });

  it('leaves out an answer to nothing, but not an event from outside', () => {
    const event: Item = { type: 'function_call_output', name: 'clock', output: 'tick' };
    expect(toSentItems(history(output('gone'), event))).toEqual([event]);
  });

  it('keeps what a server answered itself', () => {
    const served: Item = { type: 'tool_search_output', call_id: 'x', execution: 'server', tools: [] };
    expect(toSentItems(history(served))).toEqual([served]);
  });

  it('gives a late answer its place, and a late call its answer back', () => {
    const early = [call('a'), output('b'), message('x')].map((item) => entryFromLine(item, undefined));
    let growing = historyOf(early);
    const types = () => toSentItems(growing).map((item) => [item.type, item['output']]);
    expect(types()).toEqual([
      ['function_call', undefined],
      ['function_call_output', 'aborted'],
      ['message', undefined],
    ]);
    growing = appendEntry(
      appendEntry(growing, entryFromLine(output('a'), undefined)),
      entryFromLine(call('b'), undefined),
    );
    expect(toSentItems(growing)).toEqual([call('a'), output('b'), message('x'), output('a'), call('b')]);
  });

  it('grown step by step is what it is from scratch, for every value on the way', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const served: Item = { type: 'tool_search_output', call_id: 'a', execution: 'server', tools: [] };
    const item = fc.oneof(ids.map(call), ids.map(output), fc.string().map(message), fc.constant(served));
    fc.assert(
      fc.property(fc.array(fc.array(item, { maxLength: 4 })), fc.nat(), (steps, chosen) => {
        let growing = emptyHistory();
        const values = steps.map((batch) => {
          for (const each of batch) growing = appendEntry(growing, entryFromLine(each, undefined));
          const scratch = historyOf(historyEntries(growing));
          expect(toSentItems(growing)).toEqual(toSentItems(scratch));
          return { value: growing, scratch };
        });
        // Older values are still what they were, and what branches off from them is a history of its own.
        for (const { value, scratch } of values) expect(toSentItems(value)).toEqual(toSentItems(scratch));
        const { value } = values[chosen % Math.max(1, values.length)] ?? { value: emptyHistory() };
        const branch = appendEntry(value, entryFromLine(message('branch'), undefined));
        expect(toSentItems(branch)).toEqual(toSentItems(historyOf(historyEntries(branch))));
        expect(toSentItems(growing)).toEqual(toSentItems(historyOf(historyEntries(growing))));
      }),
    );
  });

  it('does not change what it gave before', () => {
    let growing = history(message('1'), call('a'));
    const given = ['2', '3', '4'].map((text) => {
      growing = appendEntry(growing, entryFromLine(message(text), undefined));
      return toSentItems(growing);
    });
    expect(given.map(({ length }) => length)).toEqual([4, 5, 6]);
  });

  it('projects a longer history to a longer list with the same beginning', () => {
    const item = fc.oneof(fc.constantFrom('a', 'b', 'c').map(call), fc.string().map(message));
    fc.assert(
      fc.property(fc.array(item), fc.array(fc.string().map(message)), (items, later) => {
        const before = toSentItems(history(...items));
        expect(toSentItems(history(...items, ...later)).slice(0, before.length)).toEqual(before);
      }),
    );
  });
});

describe('history', () => {
  it('is a value: what grows from it does not change it', () => {
    const one = appendEntry(emptyHistory(), entryFromLine(message('1'), undefined));
    const two = appendEntry(one, entryFromLine(message('2'), undefined));
    const other = appendEntry(one, entryFromLine(message('3'), undefined));
    const text = (value: History) => historyEntries(value).map(({ item }) => JSON.stringify(item['content']));
    expect(text(one)).toHaveLength(1);
    expect(text(two).at(-1)).toContain('2');
    expect(text(other).at(-1)).toContain('3');
  });
});
