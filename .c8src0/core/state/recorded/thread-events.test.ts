import { expect, it } from 'vitest';
import { defined } from '../../../base/objects.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { foldRecorded, initialRecordedState } from './thread-events.ts';

const says = (role: string, text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

function read(
  lines: readonly (readonly [type: string, payload: JsonObject, metadata?: JsonObject])[],
): readonly unknown[] {
  let state = initialRecordedState('t' as ThreadId);
  return lines.flatMap(([type, payload, metadata]) => {
    const line: Line = { timestamp: '2026-01-01T00:00:00.000Z', type, payload, ...defined({ metadata }) };
    const folded = foldRecorded(state, line);
    state = folded.state;
    return folded.news.map((news) => (news.kind === 'event' ? news.event : news));
  });
}

it('a file of the old form, from another program, gives what its lines say', () => {
  const usage = { input_tokens: 40, output_tokens: 10, total_tokens: 50 };
  const counted = { input: 40, cachedInput: 0, cacheWriteInput: 0, output: 10, reasoningOutput: 0, total: 50 };
  const info = { total_token_usage: usage, last_token_usage: usage, model_context_window: 100 };
  const call = { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c' };
  const turnId = 'rollout-1';
  expect(
    read([
      ['session_meta', { id: 't' }],
      ['response_item', says('user', 'Look.')],
      ['event_msg', { type: 'user_message', message: 'Look.' }],
      ['response_item', call],
      [
        'response_item',
        { type: 'function_call_output', call_id: 'c', output: 'Exit code: 0\nWall time: 1 seconds\nOutput:\na b\n' },
      ],
      ['response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
      ['response_item', says('assistant', 'Two files.')],
      ['event_msg', { type: 'token_count', info }],
      ['event_msg', { type: 'thread_rolled_back', num_turns: 1 }],
    ]),
  ).toEqual([
    { kind: 'turn-started', turnId, usage: noUsage },
    { kind: 'context', turnId, itemId: 'item-1', content: 'plain', cause: 'user', text: 'Look.' },
    {
      kind: 'item-completed',
      turnId,
      item: {
        kind: 'tool-call',
        id: 'c',
        tool: 'shell',
        arguments: { command: ['ls'] },
        status: 'completed',
        output: 'Exit code: 0\nWall time: 1 seconds\nOutput:\na b\n',
      },
    },
    { kind: 'item-completed', turnId, item: { kind: 'reasoning', id: 'item-5', summary: ['Hm.'] } },
    { kind: 'item-completed', turnId, item: { kind: 'agent-message', id: 'item-6', text: 'Two files.' } },
    {
      kind: 'usage',
      turnId,
      step: 0,
      last: counted,
      total: counted,
      tokens: 50,
      measure: 'exact',
      effectiveWindow: 100,
      percentRemaining: 50,
    },
    { kind: 'rewound' },
  ]);
});

it('a turn that another program left open ends when the next one begins', () => {
  expect(
    read([
      ['event_msg', { type: 'task_started', turn_id: 'a' }],
      ['event_msg', { type: 'task_started', turn_id: 'b' }],
      ['event_msg', { type: 'task_complete', turn_id: 'b', last_agent_message: 'Yes.' }],
    ]),
  ).toMatchObject([
    { kind: 'turn-started', turnId: 'a' },
    { kind: 'turn-aborted', turnId: 'a' },
    { kind: 'turn-started', turnId: 'b' },
    { kind: 'turn-completed', turnId: 'b', lastMessage: 'Yes.' },
  ]);
});

it('commands of the user are shown once, when they were run, also those in files of other programs', () => {
  const text = (command: string, exit: string, output: string): string =>
    `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: ${exit}\nDuration: 0.5000 seconds\nOutput:\n${output}\n</result>\n</user_shell_command>`;
  const ours = { ...says('user', text('false', '1', 'no')), id: 'msg_1' };
  const item = { kind: 'command', byUser: true, cwd: '', status: 'failed', exitCode: 1, durationMs: 500 };
  const told = { kind: 'item', id: 'w', item: ours };
  const shown = {
    kind: 'item-completed',
    turnId: '',
    item: { ...item, id: 'msg_1', argv: ['sh', '-c', 'false'], output: 'no' },
  };
  expect(
    read([
      ['capstan_waiting', told],
      // A rollback says again what waits.
      ['capstan_waiting', told],
      ['capstan_waiting', { kind: 'item', id: 'x', item: says('user', 'Words of a program.') }],
      ['response_item', says('user', text('ls', '1', 'gone'))],
    ]),
  ).toEqual([shown, { ...shown, item: { ...item, id: 'item-3', argv: ['sh', '-c', 'ls'], output: 'gone' } }]);
});

it('a command of the user that another program wrote as an item and as a message is shown once', () => {
  const told = (command: string): JsonObject =>
    says(
      'user',
      `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: 0\nDuration: 0.5000 seconds\nOutput:\na\n</result>\n</user_shell_command>`,
    );
  const ended = (id: string, command: string): JsonObject => {
    const end = { status: 'completed', exit_code: 0, aggregated_output: 'a\n' };
    const item = { type: 'CommandExecution', id, command: ['bash', '-lc', command], cwd: '/x', source: 'user_shell' };
    return { type: 'item_completed', turn_id: 'A', item: { ...item, ...end } };
  };
  const events = read([
    ['event_msg', { type: 'task_started', turn_id: 'A' }],
    ['event_msg', ended('1', 'ls')],
    ['response_item', told('ls')],
    ['response_item', told('pwd')],
    ['event_msg', ended('2', 'pwd')],
    // The user ran it again.
    ['event_msg', ended('3', 'ls')],
    ['response_item', told('ls')],
    ['event_msg', { type: 'task_complete', turn_id: 'A' }],
  ]) as readonly { readonly kind: string; readonly item?: { readonly argv: readonly string[] } }[];
  const shown = events.filter(({ kind }) => kind === 'item-completed').map(({ item }) => item?.argv.at(-1));
  expect(shown).toEqual(['ls', 'pwd', 'ls']);
});

it('a patch has the lines that a file says, and else the call that has them', () => {
  const call = { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'c' };
  const answered = (output: string): JsonObject => ({ type: 'custom_tool_call_output', call_id: 'c', output });
  const changed = (update: JsonObject, add: string, status: string) => ({
    type: 'item_completed',
    item: {
      type: 'FileChange',
      id: 'c',
      changes: { '/a': { type: 'update', ...update }, '/b': { type: 'add', content: add } },
      status,
    },
  });
  const item = (more: object) => ({
    kind: 'item-completed',
    turnId: '',
    item: { kind: 'file-change', id: 'c', ...more },
  });
  expect(
    read([
      ['response_item', call],
      ['event_msg', changed({ unified_diff: '@@ -1 +1 @@\n-a\n+b\n' }, 'one\ntwo\n', 'completed')],
      ['response_item', answered('Done.')],
      ['response_item', call],
      ['event_msg', changed({ unified_diff: '' }, '', 'failed')],
      ['response_item', answered('It does not fit.')],
    ]),
  ).toEqual([
    item({
      status: 'completed',
      changes: [
        { path: '/a', kind: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' },
        { path: '/b', kind: 'add', diff: '+one\n+two' },
      ],
    }),
    item({
      status: 'failed',
      problem: 'It does not fit.',
      call: { tool: 'apply_patch', input: '*** Begin Patch' },
      changes: [
        { path: '/a', kind: 'update' },
        { path: '/b', kind: 'add' },
      ],
    }),
  ]);
});

it('a reader hears what a request broke, unless the file makes no sense of it', () => {
  const request = (breaks: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
    turn_id: 't',
    step: 2,
    prefix: { kept: { items: 1, tokens: 9 }, breaks },
    ...more,
  });
  const known = { kind: 'setting', name: 'model', tokens: 5 };
  expect(
    read([
      ['capstan_request', request([known, { kind: 'tools', tokens: 3 }, { kind: 'other', tokens: 3 }])],
      ['capstan_request', request([{ kind: 'setting', tokens: 5 }])],
      ['capstan_request', request([known], { auxiliary: {} })],
    ]),
  ).toEqual([{ kind: 'prefix-broken', turnId: 't', step: 2, keptTokens: 9, breaks: [known] }]);
});

it.each([
  ['the command', { tool: 'exec_command' }, { kind: 'command', argv: ['sh', '-c', 'ls a'], status: 'declined' }],
  ['a patch', { tool: 'exec_command', patch: true }, { kind: 'file-change', changes: [] }],
  [
    'the tool of a server',
    { tool: 'mcp__a__b', mcp: { server: 'a', tool: 'b' } },
    { kind: 'tool-call', server: 'a', tool: 'b' },
  ],
])('a call that was refused says %s', (_, refused, item) => {
  const call = { type: 'function_call', call_id: 'c', name: refused.tool, arguments: '{"cmd":"ls a"}' };
  const events = read([
    ['event_msg', { type: 'task_started', turn_id: 'a' }],
    ['response_item', call],
    [
      'response_item',
      { type: 'function_call_output', call_id: 'c', output: 'Not run: why.' },
      { capstan: { refused } },
    ],
  ]);
  expect(events.at(-1)).toMatchObject({ kind: 'call-refused', tool: refused.tool, reason: 'Not run: why.', item });
});
