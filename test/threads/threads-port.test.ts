import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OwnTool, words } from '../../src/index.ts';
import type { Threads } from '../../src/ports/threads.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';

/** Lets a second thread answer, and says what it said and which threads were open meanwhile. */
const delegate: OwnTool = {
  name: 'delegate',
  description: 'Gives a task to another thread.',
  parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
  async run({ task }, { threads, cwd, signal }) {
    const other = await threads.start({ cwd, model: 'gpt-5.4', ephemeral: true });
    if (other.kind === 'refused') return { output: other.outcome.message, ok: false };
    try {
      const end = await other.run({ input: words(String(task)), signal });
      return `${end.kind}: ${end.lastMessage}, of ${threads.open.length} threads`;
    } finally {
      await other.close();
    }
  },
};

it('a tool starts a thread, which works under the policy of the turn that called it', async () => {
  const live = await LiveThread.in([
    answer({ items: [callTool('delegate', { task: 'Count to three.' })] }),
    answer({ items: [say('One two three.')] }),
    answer({ items: [say('Done.')] }),
  ]);
  await live.open({ config: ['sandbox_mode=read-only'] }, { tools: [delegate] });
  await live.thread.overrideTurnContext({ sandbox: 'danger-full-access' });
  expect(await live.turn('Have another thread count.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
  expect(textsOf(inputOf(live.model, 2)).at(-1)).toBe('completed: One two three., of 2 threads');
  const [first, second] = live.model.requests.map(({ body }) => [
    body['model'],
    /<sandbox_mode>([a-z-]+)</.exec(JSON.stringify(body['input']))?.[1],
  ]);
  expect([first?.[1], second]).toEqual(['danger-full-access', ['gpt-5.4', 'danger-full-access']]);
  // The other one was ephemeral.
  expect(live.place.rollouts()).toHaveLength(1);
});

it('a thread that is being written is refused to a tool like to any other', async () => {
  const again: OwnTool = {
    ...delegate,
    async run(_given, { threads, threadId }) {
      const [open] = threads.open;
      const own = await threads.resume(open!.id, {});
      const forked = await threads.fork(open!.id, { kind: 'latest' }, { ephemeral: true });
      if (forked.kind === 'thread') await forked.close();
      return `${open!.id === threadId} ${own.kind} ${forked.kind}`;
    },
  };
  const live = await LiveThread.in([
    answer({ items: [callTool('delegate', { task: '' })] }),
    answer({ items: [say('Done.')] }),
  ]);
  await live.open({}, { tools: [again] });
  await live.turn('Go.');
  expect(textsOf(inputOf(live.model, 1)).at(-1)).toBe('true refused thread');
});

/** A thread whose tool opens another one with these settings, and whose model lets that one answer once. */
async function opening(wanted: Partial<Parameters<Threads['start']>[0]>): Promise<{ live: LiveThread; tool: OwnTool }> {
  const tool: OwnTool = {
    ...delegate,
    async run(_given, { threads, cwd, signal }) {
      const other = await threads.start({ cwd, ephemeral: true, ...wanted });
      if (other.kind === 'refused') return `refused ${other.outcome.code}`;
      await other.run({ input: words('Look.'), signal });
      await other.close();
      return 'ran';
    },
  };
  const live = await LiveThread.in([
    answer({ items: [callTool('delegate', { task: '' })] }),
    answer({ items: [say('Looked.')] }),
    answer({ items: [say('Done.')] }),
  ]);
  return { live, tool };
}

/** The sandbox of the thread that was opened, or what the tool was answered. */
function given({ model }: LiveThread): unknown {
  const output = textsOf(inputOf(model, model.requests.length - 1)).at(-1);
  if (output !== 'ran') return output;
  return /<sandbox_mode>([a-z-]+)</.exec(JSON.stringify(model.requests[1]?.body['input']))?.[1];
}

it.each([
  ['nothing of its own', {}, 'read-only'],
  ['a profile that is undefined', { sandbox: undefined }, 'read-only'],
  ['no sandbox', { sandbox: { type: 'disabled' } }, 'refused wider-than-caller'],
] as const)('a thread of a read-only turn that asks for %s gets no more than the turn', async (_what, wanted, gets) => {
  const { live, tool } = await opening(wanted as Parameters<typeof opening>[0]);
  await live.open({ config: ['sandbox_mode=danger-full-access'] }, { tools: [tool] });
  await live.thread.overrideTurnContext({ sandbox: 'read-only' });
  await live.turn('Go.');
  expect(given(live)).toBe(gets);
});

it('a thread in a folder that the calling turn may not write is read-only', async () => {
  const { live, tool } = await opening({ cwd: mkdtempSync(join(tmpdir(), 'capstan-elsewhere-')) });
  const narrow = ['exclude_slash_tmp', 'exclude_tmpdir_env_var'].map((key) => `sandbox_workspace_write.${key}=true`);
  await live.open({ config: ['sandbox_mode=workspace-write', ...narrow] }, { tools: [tool] });
  await live.turn('Go.');
  expect(given(live)).toBe('read-only');
});
