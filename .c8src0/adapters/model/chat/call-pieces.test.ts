import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { createCallCollector } from './decode.ts';

function made(pieces: readonly JsonObject[]): readonly Item[] | undefined {
  const calls = createCallCollector();
  for (const piece of pieces) calls.take([piece]);
  return calls.items('c1');
}

const called = (call_id: string, name: string, given: string): Item => ({
  type: 'function_call',
  name,
  arguments: given,
  call_id,
});
/** A piece under a number; what is undefined is left out. */
const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  given?: string,
): JsonObject => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), ...(given !== undefined && { arguments: given }) },
});

test.each<[string, readonly JsonObject[], readonly Item[]]>([
  [
    'interleaved',
    [
      piece(0, 'a', 'read', ''),
      piece(1, 'b', 'read', '{"p":'),
      piece(0, undefined, undefined, '{"p":1}'),
      piece(1, undefined, undefined, '2}'),
    ],
    [called('a', 'read', '{"p":1}'), called('b', 'read', '{"p":2}')],
  ],
  [
    'names in pieces',
    [piece(0, 'a', 're'), piece(0, undefined, 'ad', '{'), piece(0, undefined, undefined, '}')],
    [called('a', 'read', '{}')],
  ],
  [
    'names again with every piece',
    [piece(0, 'a', 'read', '{'), piece(0, 'a', 'read', '}')],
    [called('a', 'read', '{}')],
  ],
  [
    'all numbered 0',
    [piece(0, 'a', 'read', '{"p":1}'), piece(0, 'b', 'read', '{"p":2}')],
    [called('a', 'read', '{"p":1}'), called('b', 'read', '{"p":2}')],
  ],
  [
    'an id of its own for each piece',
    [piece(0, 'a', 'read', '{'), piece(0, 'x', undefined, '}')],
    [called('a', 'read', '{}')],
  ],
  [
    'no numbers',
    [
      piece(undefined, 'a', 'read', '{'),
      piece(undefined, undefined, undefined, '}'),
      piece(undefined, 'b', 'list', '{}'),
    ],
    [called('a', 'read', '{}'), called('b', 'list', '{}')],
  ],
  [
    'no ids',
    [piece(0, undefined, 'read', '{}'), piece(1, undefined, 'list')],
    [called('call_c1_0', 'read', '{}'), called('call_c1_1', 'list', '{}')],
  ],
  [
    'no number and no id',
    [piece(undefined, undefined, 'read', '{}'), piece(undefined, undefined, 'list', '{}')],
    [called('call_c1_0', 'read', '{}'), called('call_c1_1', 'list', '{}')],
  ],
  [
    'an object for arguments',
    [{ index: 0, id: 'a', function: { name: 'read', arguments: { p: 1 } } }],
    [called('a', 'read', '{"p":1}')],
  ],
  ['broken arguments', [piece(0, 'a', 'read', '{"p"')], [called('a', 'read', '{"p"')]],
  [
    'null in the place of what is not there',
    [
      { index: 0, id: 'a', function: { name: 'read', arguments: null } },
      { index: 0, id: null, function: null },
    ],
    [called('a', 'read', '{}')],
  ],
])('calls with %s', (_, pieces, items) => {
  expect(made(pieces)).toEqual(items);
});

test('a call without a name is none', () => {
  expect(made([piece(0, 'a', 'read', '{}'), piece(1, 'b', undefined, '{}')])).toBe(undefined);
});

test('calls are put together from any pieces, in the order in which they began', () => {
  const name = fc.stringMatching(/^[a-z]{2,8}$/);
  const given = fc.record({ name, input: fc.string(), cuts: fc.array(fc.nat(), { maxLength: 5 }) });
  const several = fc.uniqueArray(given, { selector: (each) => each.name, minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(several, fc.infiniteStream(fc.nat()), (calls, order) => {
      const queues = calls.map((each, index) => piecesOf(index, each));
      const pieces: JsonObject[] = [];
      for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
        pieces.push(left[(order.next().value as number) % left.length]!.shift()!);
      }
      const begun = pieces.flatMap(({ id }) => (id === undefined ? [] : [id]));
      const expected = begun.map((id) => {
        const { name: of, input } = calls.find((each) => each.name === id)!;
        return called(of, of, JSON.stringify({ input }));
      });
      expect(made(pieces)).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

interface Given {
  readonly name: string;
  readonly input: string;
  readonly cuts: readonly number[];
}

function piecesOf(index: number, { name, input, cuts }: Given): JsonObject[] {
  const text = JSON.stringify({ input });
  const places = [0, ...cuts.map((cut) => cut % text.length).toSorted((a, b) => a - b), text.length];
  const rest = places.slice(1).map((to, at) => piece(index, undefined, undefined, text.slice(places[at], to)));
  return [piece(index, name, name, ''), ...rest];
}
