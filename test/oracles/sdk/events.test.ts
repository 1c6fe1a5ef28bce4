import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadEvent } from '@openai/codex-sdk';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, callTool, cutAfter, httpError, reason, say, type Script } from '../../../src/testing/index.ts';
import { comparable } from '../events.ts';
import { typeMistakes } from '../type-check.ts';
import { kindsOf } from './kinds-of.ts';
import { type Program, programs, stage, type Stage } from './stage.ts';

const run = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });
const plan = (...status: readonly string[]) =>
  answer({
    items: [callTool('update_plan', { plan: status.map((each, index) => ({ step: `Step ${index}`, status: each })) })],
  });
const patch = (...lines: readonly string[]) => {
  const input = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  return answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input }] });
};
const done = answer({ items: [say('Done.')] });

const shared: Script = [
  answer({
    items: [
      reason('**Think**.'),
      say('I look.'),
      callTool('exec_command', { cmd: 'echo out; sleep 0.2; echo err >&2' }),
    ],
  }),
  run('exit 3'),
  run('kill -9 $$'),
  patch('*** Update File: changed', '-a', '+A', '*** Add File: added', '+x', '*** Delete File: deleted'),
  cutAfter({ bytes: 200, of: done }),
  done,
];

/** Codex has no tool for plans any more, and shows nothing of a patch that does not fit. */
const ours: Script = [
  plan('in_progress', 'pending'),
  patch('*** Update File: changed', '-not there', '+A'),
  plan('completed', 'completed'),
  ...shared,
];

interface Played extends Stage {
  readonly events: readonly ThreadEvent[];
}

async function play(program: Program, script: Script): Promise<Played> {
  const set = await stage(program, script);
  for (const name of ['changed', 'deleted']) writeFileSync(join(set.place.workspace, name), 'a\nb\n');
  const { events: stream } = await set.start().runStreamed('Go.');
  const events: ThreadEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch {
    // A turn that fails has told so by its last event.
  }
  return { ...set, events };
}

const sdkTypes = join(import.meta.dirname, '../node_modules/@openai/codex-sdk/dist/index.js');

/** The compiler's errors about the events, written down as events of the SDK; extra members are errors, too. */
async function mistakesIn({ place }: Stage, events: readonly JsonObject[]): Promise<readonly string[]> {
  const text = `import type { ThreadEvent } from ${JSON.stringify(sdkTypes)};
export const events: ThreadEvent[] = ${JSON.stringify(events, null, 1)};\n`;
  writeFileSync(join(place.root, 'events.ts'), text);
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--module', 'nodenext'];
  return typeMistakes(place.root, ...strict, '--types', '', 'events.ts');
}

/** Without the values and counts that the types of the SDK lack: see event-types.test.ts. */
function narrow(event: ThreadEvent): JsonObject {
  const text = JSON.stringify(event, (key, value: unknown) => {
    if (key === 'exit_code' && value === null) return undefined;
    if (key === 'estimated_tokens') return undefined;
    const item = value as { readonly type?: unknown; readonly status?: unknown } | null;
    return item?.type === 'file_change' && item.status === 'in_progress' ? { ...item, status: 'completed' } : value;
  });
  return JSON.parse(text) as JsonObject;
}

it('a rich turn and one that fails: each event has the type that the SDK gives it', async () => {
  const [rich, failing] = await Promise.all([
    play('capstan', ours),
    play('capstan', [httpError({ status: 400, body: { error: { message: 'no' } } })]),
  ]);
  const events = [...rich.events, ...failing.events];
  const kinds = [
    'error',
    'item.completed agent_message',
    'item.completed command_execution',
    'item.completed file_change',
    'item.completed reasoning',
    'item.completed todo_list',
    'item.started command_execution',
    'item.started file_change',
    'item.started todo_list',
    'item.updated todo_list',
    'thread.started',
    'turn.completed',
    'turn.failed',
    'turn.started',
  ];
  expect([...new Set(kindsOf(events))].toSorted()).toEqual(kinds);
  expect(await mistakesIn(rich, events.map(narrow))).toEqual([]);
});

it('the check of the types sees a wrong one', async () => {
  const set = await stage('capstan', []);
  const item = { id: 'item_0', type: 'agent_message', text: 'x', more: 1 };
  const mistakes = await mistakesIn(set, [{ type: 'item.completed', item }, { type: 'turn.paused' }]);
  expect(mistakes).toEqual([expect.stringContaining('"more"'), expect.stringContaining('turn.paused')]);
});

it('the events of a rich turn are those of Codex, what differs on purpose aside', async () => {
  const [capstan, codex] = await Promise.all(
    programs.map(async (program) => {
      const { events, place, model } = await play(program, shared);
      const own = JSON.parse(JSON.stringify(events).replaceAll(place.root, '(place)')) as readonly JsonObject[];
      return comparable({ code: 0, requests: model.requests.length, events: own });
    }),
  );
  expect(capstan).toEqual(codex);
});
