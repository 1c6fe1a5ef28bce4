// @module-tag attack
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPermissionPlaces } from '../../src/adapters/gather/permission-places.ts';
import { accessAt } from '../../src/core/policy/paths/access.ts';
import { describePolicy } from '../../src/core/policy/profiles/describe-policy.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { createSandboxed, sandboxIsPossible } from './sandboxed.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

/** Outside of /tmp, which commands may write anyway. */
let outside: string;
beforeEach(() => {
  outside = mkdtempSync('/var/tmp/capstan-root-');
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const patch = (path: string) =>
  callTool('exec_command', {
    cmd: `apply_patch <<'END'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEND`,
  });
const command = (path: string) => callTool('exec_command', { cmd: `mkdir -p ${join(path, '..')} && touch ${path}` });

async function threadWith(root: string, calls: readonly ReturnType<typeof patch>[]): Promise<LiveThread> {
  return LiveThread.in(
    (request) =>
      answer({ items: /"(?:function_call_output)"/.test(JSON.stringify(request.body)) ? [say('ok')] : calls }),
    `sandbox_workspace_write = { writable_roots = [${JSON.stringify(root)}] }`,
  );
}

describe('a writable root that does not exist', () => {
  test('is made neither by a command nor by a patch, and both user and model know', async () => {
    const root = join(outside, 'cache');
    const live = await threadWith(root, [command(join(root, 'a')), patch(join(root, 'b'))]);
    await live.turn('go');
    expect(existsSync(root)).toBe(false);
    expect(live.notices).toMatchObject([
      {
        code: 'writable-root-missing',
        message: `The writable root ${JSON.stringify(root)} does not exist, so commands and patches cannot write there.`,
      },
    ]);
    const told = live.rows(0).flat().join('\n');
    expect(told).toContain(`Not writable until the user creates them: ${JSON.stringify(root)}`);
    expect(told).toMatch(/Writable roots: (?!.*cache)/);
  });

  test('is writable for both from the turn on in which it exists', async () => {
    const root = join(outside, 'cache');
    const live = await threadWith(root, [command(join(root, 'a')), patch(join(root, 'b'))]);
    mkdirSync(root);
    await live.turn('go');
    expect(['a', 'b'].map((name) => existsSync(join(root, name)))).toEqual([true, true]);
    expect(live.notices).toEqual([]);
  });

  test('inside another writable root can be made by both', { tags: 'representative' }, async () => {
    const live = await LiveThread.in((request) =>
      answer({
        items: JSON.stringify(request.body).includes('"function_call_output"')
          ? [say('ok')]
          : [command(join(live.place.root, 'new/a')), patch(join(live.place.root, 'other/b'))],
      }),
    );
    const roots = JSON.stringify([join(live.place.root, 'new'), join(live.place.root, 'other')]);
    await live.open({ config: [`sandbox_workspace_write.writable_roots=${roots}`] });
    await live.turn('go');
    expect(['new/a', 'other/b'].map((name) => existsSync(join(live.place.root, name)))).toEqual([true, true]);
    expect(live.notices).toEqual([]);
  });
});

describe.runIf(sandboxIsPossible)('law: a missing root inside the workspace', () => {
  const sandboxed = createSandboxed();
  afterAll(sandboxed.remove);
  const user = process.getuid?.() ?? -1;
  const named = ['.codex/config.toml', '.agents/a', '.capstan/config.toml', 'plain/a', 'a'];

  test.each([
    ['directly', 'sub'],
    ['further down', 'a/b/sub'],
    ['in a folder that stays read-only', '.codex/sub'],
    ['in a folder that only this engine protects', '.capstan/sub'],
  ])('%s: the text, a patch and a command agree about what may be made', (_where, sub) => {
    const root = join(outside, sub);
    const options = { network: false, writableRoots: [root], excludeTmpdir: true, excludeSlashTmp: true };
    const profile = builtInProfile('workspace-write', options);
    const policy = resolvePolicy(profile, findPermissionPlaces(outside, {}, { own: noOwnPlaces, profile }));
    const { readOnlyPaths, writableRoots, missingRoots } = describePolicy(policy, outside);
    const isTold = (path: string) => !readOnlyPaths.some((closed) => path.startsWith(`${closed}/`));
    expect(writableRoots).toEqual([outside]);
    expect(missingRoots).toEqual(isTold(join(root, 'a')) ? [] : [root]);
    for (const name of named) {
      const path = join(root, name);
      sandboxed.run(policy, `mkdir -p ${join(path, '..')} && touch ${path}`, { user, cwd: outside });
      const isMade = existsSync(path);
      rmSync(join(outside, sub.split('/')[0]!), { recursive: true, force: true });
      expect([path, accessAt(policy, path) === 'write', isTold(path)]).toEqual([path, isMade, isMade]);
    }
  });
});
