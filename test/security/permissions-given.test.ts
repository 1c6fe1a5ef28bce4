import type { SettingsChange } from '../../src/index.ts';
import { expect, it } from 'vitest';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const scripted = () => LiveThread.in(() => answer({ items: [say('Yes.')] }));

it('a slip in the name of a restriction does not lose it', async () => {
  const live = await scripted();
  await live.open();
  const change = { sandbox: { type: 'workspace-write', exclude_slash_tmpp: true } };
  expect(await live.thread.overrideTurnContext(change as SettingsChange)).toMatchObject({
    kind: 'refused',
    outcome: { code: 'option-unknown', message: expect.stringContaining('mean exclude_slash_tmp?') as string },
  });
});

it('a profile for a thread is held to the same', async () => {
  const live = await scripted();
  const open = async (sandbox: unknown) => {
    const engine = await live.engine();
    return engine.start({ cwd: live.place.workspace, sandbox: sandbox as PermissionProfile });
  };
  const entry = { path: { type: 'path', path: 'sub' }, access: 'write' };
  const profile = { type: 'managed', network: 'restricted', file_system: { type: 'restricted', entries: [entry] } };
  expect(await open(profile)).toMatchObject({
    kind: 'refused',
    outcome: {
      code: 'option-wrong',
      message: 'sandbox.file_system.entries[0].path.path of start() must be an absolute path, not "sub".',
    },
  });
  expect(await open({ type: 'disabled', netwrok: 'restricted' })).toMatchObject({
    outcome: { code: 'option-unknown', message: 'sandbox of start() has no key "netwrok".' },
  });
});

it('a relative folder is refused', async () => {
  const live = await scripted();
  const engine = await live.engine();
  expect(await engine.start({ cwd: 'sub', listener: () => {} })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'folder-relative' },
  });
});

it('the settings of a thread cannot be changed but by asking the thread', async () => {
  const live = await scripted();
  await live.open();
  const changed = await live.thread.overrideTurnContext({ sandbox: 'read-only' });
  if (changed.kind === 'refused') throw new Error('refused');
  await live.thread.overrideTurnContext({ approvals: 'on-request' });
  const before = structuredClone(live.thread.settings);
  for (const settings of [live.thread.settings, changed.settings]) tamper(settings);
  expect(live.thread.settings).toEqual(before);
});

/** Tries to change everything in a value. */
function tamper(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of [...Object.keys(value), 'more']) {
    expect(() => Object.assign(value, { [key]: 'changed' })).toThrow(TypeError);
    tamper((value as Record<string, unknown>)[key]);
  }
}
