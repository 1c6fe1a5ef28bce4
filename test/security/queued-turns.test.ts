import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });

it('a read-only turn does not get the permissions of one that is submitted in the same tick', async () => {
  const live = await LiveThread.in((request) => {
    const asked = JSON.stringify(request.body['input']);
    if (asked.includes('function_call_output')) return answer({ items: [say('Done.')] });
    return answer({ items: [callTool('exec_command', { cmd: `echo written > ${join(live.place.root, 'outside')}` })] });
  });
  await live.open();
  const reads = live.thread.runWith({ sandboxMode: 'read-only' }, turn('look'));
  const writes = live.thread.runWith({ sandboxMode: 'danger-full-access' }, turn('do'));
  expect(await reads).toMatchObject({ kind: 'completed' });
  expect(existsSync(join(live.place.root, 'outside'))).toBe(false);
  expect(await writes).toMatchObject({ kind: 'completed' });
});

it('a turn that waits does not get permissions that are given after it was submitted', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ sandboxMode: 'read-only' });
  const turns = [live.thread.run(turn('one')), live.thread.run(turn('two'))];
  const change = { sandboxMode: 'danger-full-access' };
  const changed = live.thread.overrideTurnContext(change);
  await Promise.all([...turns, changed]);
  const policies = live.place
    .lines()
    .filter(({ type }) => type === 'turn_context')
    .map(({ payload }) => payload['sandbox_policy']);
  expect(policies).toMatchObject([{ type: 'read-only' }, { type: 'read-only' }]);
});

it('an object that its owner changes after it was submitted stays what it was', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  const change = { sandboxMode: 'read-only' };
  const asked = { ...turn('one'), outputSchema: { type: 'object' } };
  const done = live.thread.runWith(change, asked);
  change.sandboxMode = 'danger-full-access';
  asked.outputSchema.type = 'string';
  await done;
  expect(live.place.lines().find(({ type }) => type === 'turn_context')?.payload).toMatchObject({
    sandbox_policy: { type: 'read-only' },
  });
  expect(live.model.requests[0]?.body['text']).toMatchObject({ format: { schema: { type: 'object' } } });
});

it('nor do words and items change that wait for the next request', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'as it was' }] };
  live.thread.inject(item);
  item.content[0]!.text = 'forged';
  await live.turn('one');
  expect(live.rows(0)).toContainEqual(['user', 'as it was']);
});

it('a change that fails to be copied is refused, not thrown', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  for (const change of [{ model: () => 'gpt-5.5' }, () => {}, { cwd: Symbol('x') }]) {
    expect(await live.thread.overrideTurnContext(change)).toMatchObject({ kind: 'refused' });
  }
});
