import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantedPolicy } from '../../../core/policy/grants/granted-policy.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../../core/policy/profiles/resolve-policy.ts';
import type { FileSystemEntry, PathRule, ResolvedPolicy, SandboxMode } from '../../../protocol/permissions.ts';
import { computePatch } from './compute-patch.ts';
import { nodeDisk } from '../../disk/node-patch-disk.ts';
import { parsePatch } from './parse-patch.ts';
import { policyGuard } from './prepare-patch.ts';
import { noOwnPlaces } from '../../../core/policy/paths/special-places.ts';

let root: string;
let workspace: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-guard-')));
  workspace = join(root, 'workspace');
  mkdirSync(join(workspace, '.git'), { recursive: true });
  writeFileSync(join(workspace, 'f'), 'a\n');
  writeFileSync(join(root, 'secret'), 'a\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const policyFor = (mode: SandboxMode, cwd = workspace, writableRoots: readonly string[] = []): ResolvedPolicy =>
  resolvePolicy(builtInProfile(mode, { network: false, writableRoots, excludeTmpdir: true, excludeSlashTmp: true }), {
    cwd,
    workspaceRoots: [cwd],
    slashTmp: false,
    gitDirectories: [],
    own: noOwnPlaces,
  });

/** The verdict on a patch: the sentence that refuses it, `fits`, or the reason why it does not fit. */
function verdict(patch: string, { policy = policyFor('workspace-write'), cwd = workspace } = {}): string {
  const parsed = parsePatch(`*** Begin Patch\n${patch}\n*** End Patch`);
  if (parsed.kind === 'problem') return parsed.message;
  const disk = nodeDisk();
  const computed = computePatch(parsed.patch, { folder: cwd, disk, guard: policyGuard(policy, cwd, disk) });
  if (computed.kind === 'computed') return 'fits';
  return `${computed.kind}: ${computed.message}`.replaceAll(root, '<root>');
}

const update = (path: string) => `*** Update File: ${path}\n-a\n+b`;

describe('within the workspace', () => {
  it('files may be added, updated, moved and deleted', () => {
    expect(verdict(`${update('f')}\n*** Add File: new/x\n+a\n*** Delete File: new/x`)).toBe('fits');
    expect(verdict(`*** Update File: ${workspace}/f\n*** Move to: sub/g`)).toBe('fits');
  });

  it('the protected folders may not be written', () => {
    expect(verdict('*** Add File: .git/hooks/pre-commit\n+x')).toMatch(
      /^refused: <root>\/workspace\/\.git\/hooks\/pre-commit may not be written\. Writable: "<root>\/workspace"\. Read-only inside these: .*"<root>\/workspace\/\.git"/,
    );
    expect(verdict('*** Update File: f\n*** Move to: .codex/config.toml')).toMatch(/^refused/);
  });

  it('a link to a protected folder is no way around', () => {
    symlinkSync('.git', join(workspace, 'innocent'));
    expect(verdict('*** Add File: innocent/hooks/pre-commit\n+x')).toMatch(
      /^refused: <root>\/workspace\/innocent\/hooks\/pre-commit, which leads to <root>\/workspace\/\.git\/hooks\/pre-commit, may not be written/,
    );
  });
});

describe('outside the workspace', () => {
  it.each([
    ['an absolute path', () => update(join(root, 'secret'))],
    ['a path that climbs', () => update('../secret')],
    ['a new file', () => '*** Add File: ../new\n+x'],
    ['a deletion', () => '*** Delete File: ../secret'],
    ['a destination', () => '*** Update File: f\n*** Move to: ../moved'],
    ['a source', () => '*** Update File: ../secret\n*** Move to: here'],
  ])('%s is refused', (_, patch) => {
    expect(verdict(patch())).toMatch(/^refused: .* may not be written\. Writable: "<root>\/workspace"/);
  });

  it('a link that leads there is refused, at the end of a path and in it', () => {
    symlinkSync(join(root, 'secret'), join(workspace, 'link'));
    symlinkSync('..', join(workspace, 'up'));
    symlinkSync(join(root, 'dangling'), join(workspace, 'dangling'));
    for (const patch of [
      update('link'),
      '*** Add File: link\n+x',
      update('up/secret'),
      '*** Add File: up/new\n+x',
      '*** Add File: dangling\n+x',
      '*** Update File: f\n*** Move to: link',
      '*** Delete File: up/secret',
    ]) {
      expect(verdict(patch)).toMatch(/^refused: .*, which leads to <root>\/(secret|new|dangling), may not be written/);
    }
  });

  it('removing such a link touches the workspace alone', () => {
    symlinkSync(join(root, 'secret'), join(workspace, 'link'));
    expect(verdict('*** Delete File: link')).toBe('fits');
  });
});

describe('a policy', () => {
  it('that is read-only lets nothing be written', () => {
    expect(verdict(update('f'), { policy: policyFor('read-only') })).toBe(
      'refused: <root>/workspace/f may not be written: the sandbox is read-only and nothing may be.',
    );
  });

  it('without bounds lets everything be written', () => {
    expect(verdict(update('../secret'), { policy: policyFor('danger-full-access') })).toBe('fits');
  });

  it('may deny what is in the workspace, and links do not open it', () => {
    const deny: FileSystemEntry = { path: { type: 'path', path: join(workspace, 'private') }, access: 'deny' };
    const glob: FileSystemEntry = { path: { type: 'glob_pattern', pattern: '**/*.pem' }, access: 'deny' };
    const base = builtInProfile('workspace-write', {
      network: false,
      writableRoots: [],
      excludeTmpdir: true,
      excludeSlashTmp: true,
    });
    if (base.type !== 'managed' || base.file_system.type !== 'restricted') throw new Error('not restricted');
    const entries = [...base.file_system.entries, deny, glob];
    const policy = resolvePolicy(
      { ...base, file_system: { ...base.file_system, entries } },
      { cwd: workspace, workspaceRoots: [workspace], slashTmp: false, gitDirectories: [], own: noOwnPlaces },
    );
    mkdirSync(join(workspace, 'private'));
    writeFileSync(join(workspace, 'private/x'), 'a\n');
    writeFileSync(join(workspace, 'key.pem'), 'a\n');
    symlinkSync('private/x', join(workspace, 'x'));
    symlinkSync('key.pem', join(workspace, 'key'));
    for (const patch of [
      update('private/x'),
      update('x'),
      update('key'),
      '*** Update File: x\n*** Move to: copy',
      '*** Update File: key\n*** Move to: copy',
    ]) {
      expect(verdict(patch, { policy })).toMatch(/off limits: it may be neither read nor written/);
    }
  });

  it('holds at the place that a linked workspace leads to', () => {
    const linked = join(root, 'linked');
    symlinkSync('workspace', linked);
    const policy = policyFor('workspace-write', linked);
    expect(verdict(update('f'), { policy, cwd: linked })).toBe('fits');
    expect(verdict('*** Add File: .git/x\n+x', { policy, cwd: linked })).toMatch(/^refused/);
    symlinkSync('.git', join(workspace, 'innocent'));
    expect(verdict('*** Add File: innocent/x\n+x', { policy, cwd: linked })).toMatch(/^refused/);
    expect(verdict('*** Add File: ../x\n+x', { policy, cwd: linked })).toMatch(/^refused/);
  });

  it('opens what a user allowed in a folder that the profile only reads', () => {
    const docs = join(workspace, 'docs');
    mkdirSync(docs);
    const base = policyFor('workspace-write');
    if (base.files.kind !== 'restricted') throw new Error('not restricted');
    const rule: PathRule = { path: docs, access: 'read', ifMissing: 'skip' };
    const policy = { ...base, files: { ...base.files, rules: [...base.files.rules, rule] } };
    const patch = '*** Add File: docs/new.txt\n+x';
    expect(verdict(patch, { policy })).toMatch(/^refused/);
    const granted = grantedPolicy(policy, { where: 'sandbox', extra: { write: [docs] } });
    expect(verdict(patch, { policy: granted })).toBe('fits');
    expect(verdict('*** Add File: docs/.git/config\n+x', { policy: granted })).toMatch(/^refused/);

    // A grant by one name does not open what another name closes.
    symlinkSync(workspace, join(root, 'alias'));
    const other: PathRule = { path: join(root, 'alias/docs'), access: 'read', ifMissing: 'skip' };
    const closed = { ...granted, files: { ...base.files, rules: [...base.files.rules, other] } };
    expect(verdict(patch, { policy: grantedPolicy(closed, { where: 'sandbox', extra: { write: [docs] } }) })).toMatch(
      /^refused/,
    );
  });

  it('grants nothing through a link that commands could turn', () => {
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), join(workspace, 'granted'));
    const policy = policyFor('workspace-write', workspace, [join(workspace, 'granted')]);
    expect(verdict('*** Add File: granted/x\n+x', { policy })).toMatch(
      /^refused: .*, which leads to <root>\/elsewhere\/x/,
    );
  });
});
