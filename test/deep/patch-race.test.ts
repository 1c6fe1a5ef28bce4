import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { applyChanges } from '../../src/adapters/tools/apply-patch/apply-changes.ts';
import { computePatch } from '../../src/adapters/tools/apply-patch/compute-patch.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { parsePatch } from '../../src/adapters/tools/apply-patch/parse-patch.ts';
import { policyGuard } from '../../src/adapters/tools/apply-patch/prepare-patch.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

const durationMs = 10_000;

/** Puts a link in the place of the folder `d` and back, as fast as it can. */
const swap = `
  const { renameSync } = process.getBuiltinModule('node:fs');
  process.stdout.write('swapping');
  for (;;) {
    renameSync('d', 'folder'); renameSync('link', 'd');
    renameSync('d', 'link'); renameSync('folder', 'd');
  }`;

test.runIf(process.platform === 'linux')(
  'a command that swaps a folder for a link gets no patch out of the workspace',
  async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-race-')));
    const workspace = join(root, 'workspace');
    mkdirSync(join(workspace, 'd'), { recursive: true });
    mkdirSync(join(root, 'outside'));
    writeFileSync(join(workspace, 'd/f'), 'inside\n');
    writeFileSync(join(root, 'outside/f'), 'outside\n');
    symlinkSync(join(root, 'outside'), join(workspace, 'link'));
    const profile = builtInProfile('workspace-write', {
      network: false,
      writableRoots: [],
      excludeTmpdir: true,
      excludeSlashTmp: true,
    });
    const policy = resolvePolicy(profile, {
      cwd: workspace,
      workspaceRoots: [workspace],
      slashTmp: false,
      gitDirectories: [],
      own: noOwnPlaces,
    });
    const parsed = parsePatch('*** Begin Patch\n*** Update File: d/f\n@@\n+more\n*** End Patch');
    if (parsed.kind === 'problem') throw new Error(parsed.message);

    const swapper = spawn(process.execPath, ['-e', swap], { cwd: workspace, stdio: ['ignore', 'pipe', 'inherit'] });
    const ends = { applied: 0, failed: 0, refused: 0, unfit: 0 };
    try {
      await once(swapper.stdout, 'data');
      for (const end = Date.now() + durationMs; Date.now() < end;) {
        const disk = nodeDisk();
        const guard = policyGuard(policy, workspace, disk);
        const computed = computePatch(parsed.patch, { folder: workspace, disk, guard });
        ends[computed.kind === 'computed' ? applyChanges(computed.changes, disk).kind : computed.kind]++;
      }
      expect(swapper.exitCode).toBeNull();
    } finally {
      swapper.kill('SIGKILL');
    }
    // All of it happened: the folder was there, the link was there, and one took the other's place in between.
    expect(
      Object.values(ends).every((count) => count > 0),
      JSON.stringify(ends),
    ).toBe(true);
    expect(readdirSync(join(root, 'outside'))).toEqual(['f']);
    expect(readFileSync(join(root, 'outside/f'), 'utf8')).toBe('outside\n');
    rmSync(root, { recursive: true, force: true });
  },
);
