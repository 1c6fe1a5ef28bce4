// @module-tag attack
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPermissionPlaces } from '../../src/adapters/gather/permission-places.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { mountPointNames, noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { createSandboxed, sandboxIsPossible } from './sandboxed.ts';

const sandboxed = createSandboxed();
afterAll(() => sandboxed.remove());

/** Outside of /tmp, which commands may write anyway: a workspace in another one, and a folder that neither may write. */
let base: string;
let mono: string;
let pkg: string;
let victim: string;
beforeEach(() => {
  base = mkdtempSync('/var/tmp/capstan-swap-');
  [mono, pkg, victim] = [join(base, 'mono'), join(base, 'mono/pkg'), join(base, 'victim')];
  for (const folder of [pkg, victim]) mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Without what a sandbox keeps there for its next command. */
const namesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !mountPointNames.includes(name))
    .toSorted();

const command = (cmd: string) => callTool('exec_command', { cmd });
const patch = (path: string) =>
  command(`apply_patch <<'END'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEND`);

/** Makes the swap as a command of a thread that works in the folder around can. */
function swapByCommand(): void {
  const choices = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
  const profile = builtInProfile('workspace-write', choices);
  const policy = resolvePolicy(profile, findPermissionPlaces(mono, {}, { own: noOwnPlaces, profile }));
  const user = process.getuid?.() ?? -1;
  sandboxed.run(policy, `mv pkg pkg.old && ln -s ${victim} pkg`, { user, cwd: mono });
}

interface Attack {
  readonly cwd: string;
  readonly roots?: readonly string[];
  /** Between the first call of the turn and the second. */
  readonly swap: () => void;
  readonly calls: readonly ReturnType<typeof command>[];
}

/** The outputs of the calls after the first, as the model reads them. */
async function outputsOf({ cwd, roots = [], swap, calls }: Attack): Promise<readonly string[]> {
  const steps = [command('echo first > one'), ...calls];
  let step = 0;
  const live = await LiveThread.in(
    () => {
      if (step === 1) swap();
      const call = steps[step++];
      return answer({ items: [call ?? say('ok')] });
    },
    `sandbox_workspace_write = { writable_roots = ${JSON.stringify(roots)} }`,
  );
  await live.open({ cwd }, { cwd });
  await live.turn('go');
  const rows = live.rows(calls.length + 1).filter(([kind]) => kind === 'output');
  return rows.slice(1).map(([, text = '']) => text);
}

describe.runIf(sandboxIsPossible)('a workspace that another thread swaps for a link while a turn runs', () => {
  test('lets neither a command nor a patch write where the link leads, and both say why', async () => {
    const calls = [
      command(`echo x > ${join(victim, 'a')}`),
      command('echo x > b'),
      patch('c'),
      patch(join(victim, 'd')),
    ];
    const outputs = await outputsOf({ cwd: pkg, swap: swapByCommand, calls });
    expect(readdirSync(join(mono, 'pkg.old'))).toContain('one');
    expect(readdirSync(victim)).toEqual([]);
    for (const output of outputs.slice(0, 3)) {
      expect(output).toContain(`${JSON.stringify(pkg)} was moved or replaced during the turn`);
      expect(output).toContain('start the next turn in the right folder');
    }
    expect(outputs[3]).toContain('may not be written');
  });

  test('is as closed if it was reached through a link before', async () => {
    const real = join(base, 'real');
    mkdirSync(real);
    rmSync(pkg, { recursive: true });
    symlinkSync(real, pkg);
    const swap = () => {
      unlinkSync(pkg);
      symlinkSync(victim, pkg);
    };
    await outputsOf({
      cwd: pkg,
      swap,
      calls: [command(`echo x > ${join(victim, 'a')}`), command('echo x > b'), patch('c')],
    });
    expect([namesIn(real), readdirSync(victim)]).toEqual([['one'], []]);
  });

  test('grants nothing if it is another writable root; the workspace stays writable', async () => {
    const work = join(base, 'work');
    mkdirSync(work);
    const calls = [
      command(`echo x > ${join(pkg, 'a')}; echo x > ${join(victim, 'a')}; echo x > two`),
      patch(join(pkg, 'b')),
      patch('three'),
    ];
    const outputs = await outputsOf({ cwd: work, roots: [pkg], swap: swapByCommand, calls });
    expect([namesIn(work), readdirSync(victim)]).toEqual([['one', 'three', 'two'], []]);
    expect(outputs[1]).toContain('was moved or replaced during the turn');
  });
});

test.runIf(sandboxIsPossible)('a root in the workspace that becomes a link opens and closes nothing', async () => {
  const inner = join(pkg, 'inner');
  mkdirSync(inner);
  const swap = () => {
    renameSync(inner, `${inner}.old`);
    symlinkSync(victim, inner);
  };
  const calls = [
    command(`echo x > ${join(victim, 'a')}; echo x > inner/a; echo x > two`),
    patch('inner/b'),
    patch('three'),
  ];
  await outputsOf({ cwd: pkg, roots: [inner], swap: swap, calls });
  expect([namesIn(pkg), readdirSync(victim)]).toEqual([['inner', 'inner.old', 'one', 'three', 'two'], []]);
});

describe.runIf(sandboxIsPossible)('a workspace that nothing leads elsewhere', () => {
  const calls = [command('echo x > two'), patch('three')];

  test('is written through the link that led there from the beginning', { tags: 'representative' }, async () => {
    const link = join(base, 'link');
    symlinkSync(mono, link);
    await outputsOf({ cwd: join(link, 'pkg'), swap: () => {}, calls });
    expect(namesIn(pkg)).toEqual(['one', 'three', 'two']);
  });

  test('is written if another folder has taken its name', async () => {
    const swap = () => {
      renameSync(pkg, `${pkg}.old`);
      mkdirSync(pkg);
    };
    await outputsOf({ cwd: pkg, swap, calls });
    expect(readFileSync(join(pkg, 'three'), 'utf8')).toBe('x\n');
    expect(namesIn(pkg)).toEqual(['three', 'two']);
  });
});
