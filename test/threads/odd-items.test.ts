import { expect, it } from 'vitest';
import type { Item } from '../../src/protocol/item.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** Lists of parts as no server should send them, and as a file of another program may hold them. */
const oddLists = [
  [null],
  ['text'],
  [7, [], { text: null }],
  [{ type: 'summary_text', text: { a: 1 } }],
  null,
  'text',
  {},
];

const oddItems: readonly Item[] = oddLists.flatMap((parts): Item[] => [
  { type: 'reasoning', summary: parts },
  { type: 'reasoning', summary: [], content: parts },
  { type: 'message', role: 'assistant', content: parts },
  { type: 'message', role: 'user', content: parts },
  { type: 'agent_message', content: parts },
  { type: 'function_call', call_id: 'c', name: 'x', arguments: parts },
  { type: 'local_shell_call', call_id: 'd', action: parts },
  { type: 'function_call_output', call_id: 'c', output: parts },
  { type: 'custom_tool_call_output', call_id: 'c', output: parts },
  { type: 'tool_search_output', call_id: 'c', tools: parts },
  { type: 'web_search_call', action: { type: 'search', queries: parts } },
]);

const readers = [
  ['threads', 'show'],
  ['threads', 'export', '--format', 'html'],
  ['threads', 'export', '--format', 'markdown'],
  ['threads', 'export', '--format', 'jsonl'],
  ['context'],
  ['replay'],
];

async function readAll({ place, id }: LiveThread): Promise<readonly (readonly [string, number | null, string])[]> {
  const runs = readers.map(async ([name = '', ...more]) => {
    const { code, stderr } = await place.run(name, ...more.slice(0, 1), id, ...more.slice(1));
    return [name, code, stderr] as const;
  });
  return Promise.all(runs);
}

it('items with parts that are no parts are kept, sent back and shown, and break no turn', async () => {
  let asked = 0;
  const live = await LiveThread.in(() => answer({ items: asked++ === 0 ? [...oddItems, say('Yes.')] : [say('Yes.')] }));
  expect(await live.turn('one')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
  expect(await live.turn('two')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
  await live.open();
  expect(await live.turn('three')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
  await live.close();
  expect((await readAll(live)).filter(([, code]) => code !== 0)).toEqual([]);
});

it('a file with such items can be read and continued', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.turn('one');
  await live.rewrite((lines) =>
    lines.flatMap((line) => {
      const isSaid = line.type === 'response_item' && line.payload['role'] === 'assistant';
      return isSaid ? [...oddItems.map((payload) => ({ ...line, payload })), line] : [line];
    }),
  );
  const read = await readAll(live);
  expect(read.filter(([name, code]) => name !== 'replay' && code !== 0)).toEqual([]);
  await live.open();
  expect(await live.turn('two')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
  const compacted = await live.thread.compact({ signal: new AbortController().signal });
  expect(compacted.kind).not.toBe('aborted');
  expect(await live.turn('three')).toEqual({ kind: 'completed', lastMessage: 'Yes.' });
});

it('a picture whose address is a file of this machine is not sent: words stand in its place', async () => {
  const live = await LiveThread.in([answer({ items: [say('One.')] }), answer({ items: [say('Two.')] })]);
  await live.turn('first');
  const content = [
    { type: 'input_text', text: 'Look at these.' },
    { type: 'input_image', image_url: 'file:///home/ada/.ssh/id_ed25519.png' },
    { type: 'input_image', image_url: 'https://pictures.test/a.png' },
  ];
  const payload = { type: 'message', role: 'user', content };
  await live.rewrite((lines) => [...lines, { type: 'response_item', payload }]);
  await live.open();
  await live.turn('second');
  const { body } = live.model.requests[1]!;
  expect(JSON.stringify(body)).not.toContain('id_ed25519');
  const said = (body['input'] as unknown as readonly Item[]).find((item) => JSON.stringify(item).includes('Look at'));
  expect(said?.['content']).toEqual([
    content[0],
    { type: 'input_text', text: expect.stringMatching(/^\[A picture or file was left out: /) },
    content[2],
  ]);
  await live.close();
  expect(await live.place.run('replay', live.id)).toMatchObject({ code: 0 });
});
