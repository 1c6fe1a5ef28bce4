import { expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { threadHtml } from './html.ts';
import { threadMarkdown } from './markdown.ts';
import { exportPage } from './export-page.ts';

const at = (second: number): string => `2026-11-15T00:00:${String(second).padStart(2, '0')}.000Z`;
const line = (type: string, payload: JsonObject, second = 0): Line => ({ timestamp: at(second), type, payload });
const said = (role: string, text: string, second = 0): Line =>
  line(
    'response_item',
    {
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    },
    second,
  );
const event = (type: string, more: JsonObject = {}): Line => line('event_msg', { type, ...more });
const tokens = (input: number): Line =>
  event('token_count', {
    info: { total_token_usage: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 } },
  });

const meta = line('session_meta', { id: 't', timestamp: at(0), cwd: '/repo', originator: 'x', cli_version: '1' });
const noMore = { cachedInput: 0, cacheWriteInput: 0, reasoningOutput: 0 };

it('a file without turn records has a turn for each message of the user', () => {
  const lines = [
    meta,
    said('user', 'one', 1),
    said('assistant', 'One.'),
    said('user', 'two', 2),
    said('assistant', 'Two.'),
  ];
  const turn = { status: 'completed', isTakenBack: false };
  expect(exportPage({ id: 't' }, [...lines, event('thread_rolled_back', { num_turns: 1 })])).toEqual({
    id: 't',
    startedAt: at(0),
    program: 'x 1',
    cwd: '/repo',
    usage: { input: 0, output: 0, total: 0, ...noMore },
    turns: [
      {
        ...turn,
        number: 1,
        id: 'rollout-1',
        startedAt: at(1),
        items: [
          { kind: 'user', texts: ['one'], pictures: [] },
          { kind: 'assistant', text: 'One.' },
        ],
      },
      {
        ...turn,
        number: 2,
        id: 'rollout-3',
        isTakenBack: true,
        startedAt: at(2),
        items: [
          { kind: 'user', texts: ['two'], pictures: [] },
          { kind: 'assistant', text: 'Two.' },
        ],
      },
    ],
  });
});

it('turns end as their records say, and cost what was counted in them', () => {
  const { turns, usage } = exportPage({ id: 't' }, [
    meta,
    event('task_started', { turn_id: 'a' }),
    said('user', 'one'),
    tokens(10),
    event('task_complete', { turn_id: 'a', error: { message: 'No.' } }),
    event('task_started', { turn_id: 'b' }),
    said('user', 'two'),
    line('compacted', { message: 'In short.' }),
    tokens(25),
    event('task_started', { turn_id: 'c' }),
    event('turn_aborted', { turn_id: 'c' }),
    event('thread_rolled_back', { num_turns: 9 }),
    event('task_started', { turn_id: 'd' }),
  ]);
  expect(turns.map(({ status, isTakenBack, error, usage: cost }) => [status, isTakenBack, error, cost?.input])).toEqual(
    [
      ['failed', true, 'No.', 10],
      ['interrupted', true, undefined, 15],
      ['interrupted', true, undefined, undefined],
      ['open', false, undefined, undefined],
    ],
  );
  expect(turns[1]!.items.at(-1)).toEqual({ kind: 'checkpoint', text: 'In short.' });
  expect(usage).toEqual({ input: 25, output: 1, total: 26, ...noMore });
});

it('an end that names another turn ends none, and what stands before the first turn belongs to it', () => {
  const { turns } = exportPage({ id: 't' }, [
    meta,
    said('user', '<environment_context>here</environment_context>', 1),
    event('task_started', { turn_id: 'a' }),
    said('user', 'one'),
    event('task_complete', { turn_id: 'a' }),
    event('turn_aborted', { turn_id: 'a' }),
    event('task_started', { turn_id: 'b' }),
    event('task_complete', { turn_id: 'another', error: { message: 'No.' } }),
  ]);
  expect(turns.map(({ items, ...turn }) => ({ ...turn, items: items.map(({ kind }) => kind) }))).toEqual([
    { number: 1, id: 'a', startedAt: at(1), status: 'completed', isTakenBack: false, items: ['context', 'user'] },
    { number: 2, id: 'b', startedAt: at(0), status: 'open', isTakenBack: false, items: [] },
  ]);
});

it('calls have their answers, in whatever form programs write them', () => {
  const call = (type: string, more: JsonObject): Line => line('response_item', { type, ...more });
  const { turns } = exportPage({ id: 't' }, [
    meta,
    said('user', 'go'),
    call('function_call', { name: 'shell', call_id: '1', arguments: '{"command":["ls","-l"]}' }),
    call('function_call', { name: 'odd', call_id: '2', arguments: '{broken' }),
    call('function_call_output', {
      call_id: '2',
      output: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'x' },
      ],
    }),
    call('local_shell_call', { call_id: '3', action: { type: 'exec', command: ['pwd'] } }),
    call('web_search_call', { id: 'ws_1', action: { type: 'search', query: 'q' } }),
    call('function_call_output', { call_id: '1', output: 'out' }),
    call('function_call_output', { call_id: 'no-call', output: 'lost' }),
  ]);
  expect(turns[0]!.items.slice(1)).toEqual([
    { kind: 'call', name: 'shell', form: 'command', input: 'ls -l', output: { text: 'out', pictures: [] } },
    { kind: 'call', name: 'odd', form: 'other', input: '{broken', output: { text: 'a', pictures: ['x'] } },
    { kind: 'call', name: 'local_shell_call', form: 'command', input: 'pwd' },
    {
      kind: 'call',
      name: 'web_search_call',
      form: 'other',
      input: JSON.stringify({ type: 'search', query: 'q' }, null, 2),
    },
  ]);
});

it('signs that move or hide text are shown, and a foreign address is no picture', () => {
  const lines = [
    meta,
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'a\u202eb\u0007\r\n> c' },
        { type: 'input_image', image_url: 'https://example.com/x.png' },
        { type: 'input_image', image_url: 'data:image/svg+xml;base64,AAAA' },
      ],
    }),
  ];
  const page = exportPage({ id: 't' }, lines);
  expect(threadHtml(page)).toContain(
    '<div class="text">a&lt;U+202E&gt;b\u2407\n&gt; c</div><p class="facts">2 pictures not shown</p>',
  );
  expect(threadMarkdown(page)).toContain('> a<U+202E>b\u2407\n> > c\n>\n> [2 pictures]');
});

it('an answer in Markdown ends where it ends', () => {
  const written = (text: string): string =>
    threadMarkdown(exportPage({ id: 't' }, [meta, said('user', 'go'), said('assistant', text)])).split(
      '**Assistant**\n\n',
    )[1]!;
  expect(written('a\n````sh\n```\n<b>')).toBe('a\n````sh\n```\n<b>\n````\n');
  expect(written('```\n```\n<!-- b')).toBe('```\n```\n\\<!-- b\n');
  expect(written('``` `a` ```\n `<b>`')).toBe('``` `a` ```\n `<b>`\n');
});

it('a turn names the settings that differ from those of the turn before', () => {
  const turn = (id: string, model: string): readonly Line[] => [
    event('task_started', { turn_id: id }),
    line('turn_context', { turn_id: id, model, cwd: '/repo' }),
    said('user', id),
  ];
  const page = threadHtml(
    exportPage({ id: 't', name: 'Named' }, [meta, ...turn('a', 'x'), ...turn('b', 'x'), ...turn('c', 'y')]),
  );
  expect(page.match(/(?<=<p class="facts">)[^<]*/g)).toEqual([
    `${at(0)} · model x · folder /repo`,
    at(0),
    `${at(0)} · model y`,
  ]);
  expect(page).toContain('<h1>Named</h1>');
});
