// @module-tag attack
import type { SandboxMode } from '../../src/protocol/permissions.ts';
import type { SettingsChange } from '../../src/index.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/core/envelope/settings.ts';
import { words } from '../../src/index.ts';
import { profileSandboxLevel } from '../../src/core/policy/profiles/profile-entries.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { killedNow } from '../harness/killed-now.ts';
import { LiveThread } from '../harness/live-thread.ts';

const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });

it('a read-only turn does not get the permissions of one that is submitted in the same tick', async () => {
  const live = await LiveThread.in((request) => {
    const asked = JSON.stringify(request.body['input']);
    if (asked.includes('function_call_output')) return answer({ items: [say('Done.')] });
    return answer({ items: [callTool('exec_command', { cmd: `echo written > ${join(live.place.root, 'outside')}` })] });
  });
  await live.open();
  const reads = live.thread.runWith({ sandbox: 'read-only' }, turn('look'));
  const writes = live.thread.runWith({ sandbox: 'danger-full-access' }, turn('do'));
  expect(await reads).toMatchObject({ kind: 'completed' });
  expect(existsSync(join(live.place.root, 'outside'))).toBe(false);
  expect(await writes).toMatchObject({ kind: 'completed' });
});

it('a turn that waits does not get permissions that are given after it was submitted', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ sandbox: 'read-only' });
  const turns = [live.thread.run(turn('one')), live.thread.run(turn('two'))];
  const change = { sandbox: 'danger-full-access' } as const;
  const changed = live.thread.overrideTurnContext(change);
  await Promise.all([...turns, changed]);
  const policies = live.place
    .lines()
    .filter(({ type }) => type === 'turn_context')
    .map(({ payload }) => payload['sandbox_policy']);
  expect(policies).toMatchObject([{ type: 'read-only' }, { type: 'read-only' }]);
});

it(
  'an object that its owner changes after it was submitted stays what it was',
  { tags: 'representative' },
  async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    await live.open();
    const change: { sandbox: SandboxMode } = { sandbox: 'read-only' };
    const asked = { ...turn('one'), outputSchema: { type: 'object' } };
    const done = live.thread.runWith(change, asked);
    change.sandbox = 'danger-full-access';
    asked.outputSchema.type = 'string';
    await done;
    expect(live.place.lines().find(({ type }) => type === 'turn_context')?.payload).toMatchObject({
      sandbox_policy: { type: 'read-only' },
    });
    expect(live.model.requests[0]?.body['text']).toMatchObject({ format: { schema: { type: 'object' } } });
  },
);

it('nor do words and items change that wait for the next request', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'as it was' }] };
  const injected = live.thread.inject(item);
  item.content[0]!.text = 'forged';
  expect(await injected).toEqual({ kind: 'injected' });
  await live.turn('one');
  expect(live.rows(0)).toContainEqual(['user', 'as it was']);
});

it('a change that fails to be copied is refused, not thrown', { tags: 'representative' }, async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  for (const change of [{ model: () => 'gpt-5.5' }, () => {}, { cwd: Symbol('x') }]) {
    expect(await live.thread.overrideTurnContext(change as SettingsChange)).toMatchObject({ kind: 'refused' });
  }
});

const policiesOf = (live: LiveThread) =>
  live.place
    .lines()
    .filter(({ type }) => type === 'turn_context')
    .map(({ payload }) => (payload['sandbox_policy'] as { type: string }).type);

it('a turn refuses a setting that stands beside its words', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ sandbox: 'read-only' });
  const wider = { ...turn('one'), profile: { type: 'disabled' }, model: 'another', approval: 'never' };
  expect(await live.thread.run(wider)).toEqual({
    kind: 'failed',
    outcome: {
      code: 'option-unknown',
      message: 'profile is not an option of run().',
      next: 'Remove it, or use input, signal, outputSchema, cyberAccessProgram.',
    },
  });
  const setting = { ...turn('one'), model: 'another' };
  expect(await live.thread.run(setting)).toMatchObject({
    kind: 'failed',
    outcome: { next: 'Change settings with runWith() or overrideTurnContext().' },
  });
  expect(live.model.requests).toEqual([]);
});

class Restriction {
  get sandbox(): string {
    return 'read-only';
  }
}

it('a restriction in a map is refused, and not lost', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ sandbox: 'danger-full-access' });
  const change = new Map([['sandbox', 'read-only']]) as SettingsChange;
  expect(await live.thread.runWith(change, turn('one'))).toMatchObject({ kind: 'refused' });
  expect(await live.thread.overrideTurnContext(change)).toMatchObject({ kind: 'refused' });
  expect(live.model.requests).toEqual([]);
});

it.each<readonly [string, () => unknown]>([
  ['an instance of a class', () => new Restriction()],
  ['an object that inherits it', () => Object.create({ sandbox: 'read-only' })],
])('a restriction in %s counts', async (_, change) => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ sandbox: 'danger-full-access' });
  expect(await live.thread.runWith(change() as SettingsChange, turn('one'))).toMatchObject({ kind: 'completed' });
  expect(policiesOf(live)).toEqual(['read-only']);
});

it('a proxy is read when it is submitted', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  const target: { sandbox: SandboxMode } = { sandbox: 'read-only' };
  const asked = turn('as it was');
  const done = live.thread.runWith(new Proxy(target, {}), asked);
  target.sandbox = 'danger-full-access';
  (asked as { input: unknown }).input = words('forged');
  await done;
  expect(policiesOf(live)).toEqual(['read-only']);
  expect(JSON.stringify(live.model.requests[0]?.body)).toContain('as it was');
});

it('half a character is refused wherever it comes in', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  expect(await live.thread.runWith({}, turn('x\ud800y'))).toMatchObject({
    kind: 'failed',
    outcome: { code: 'odd-input' },
  });
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '\udc00' }] };
  expect(await live.thread.inject(item)).toMatchObject({ kind: 'refused' });
  expect(await live.thread.inject(undefined as never)).toMatchObject({ kind: 'refused' });
  expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
});

describe('turns that never began', () => {
  for (const end of ['killed', 'closed'] as const) {
    it(`leave their words and not their settings when the process is ${end}`, async () => {
      const said = Promise.withResolvers<void>();
      const live: LiveThread = await LiveThread.in(async ({ body }) => {
        if (JSON.stringify(body['input']).includes('"one"') && !isOver) await said.promise;
        return answer({ items: [say('Yes.')] });
      });
      let isOver = false;
      await live.open();
      await live.thread.overrideTurnContext({ sandbox: 'workspace-write' });
      const turns = [
        live.thread.run(turn('one')),
        live.thread.runWith({ sandbox: 'read-only' }, turn('look only')),
        live.thread.runWith({ sandbox: 'danger-full-access', approvals: 'never' }, turn('clean up')),
      ];
      await live.model.request(0);
      // An override stays, also between the turns; its answer tells the settings that hold and those that would.
      const overridden = await live.thread.overrideTurnContext({ effort: 'high' });
      expect(overridden).toMatchObject({
        settings: { effort: 'high' },
        queued: { approvals: 'never', effort: 'high' },
      });
      expect(sandboxOf(live.thread.settings)).toBe('workspace-write');
      const killed = killedNow(live);
      isOver = true;
      if (end === 'closed') await live.thread.close();
      said.resolve();
      await Promise.all(turns);
      if (end === 'killed') await killed.back(live);
      await live.open();
      expect(sandboxOf(live.thread.settings)).toBe('workspace-write');
      expect(live.thread.settings).toMatchObject({ effort: 'high', approvals: 'on-request' });
      await live.turn('and now?');
      expect(policiesOf(live).at(-1)).toBe('workspace-write');
      expect(live.rows(live.model.requests.length - 1).map(([, text]) => text)).toEqual(
        expect.arrayContaining(['look only', 'clean up', 'and now?']),
      );
    });
  }

  it('because their message cannot be sent leave no settings either', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    await live.turn('one');
    const before = live.thread.settings;
    const tooLong = turn('word '.repeat(2_000_000));
    expect(await live.thread.runWith({ sandbox: 'read-only' }, tooLong)).toMatchObject({ kind: 'failed' });
    expect(live.thread.settings).toBe(before);
    await live.turn('two');
    expect(policiesOf(live)).toEqual(['workspace-write', 'workspace-write']);
  });
});

function sandboxOf({ sandbox: profile }: Settings): string {
  return profileSandboxLevel(profile);
}
