import { describe, expect, test } from 'vitest';
import type { FileSystemEntry, PermissionProfile, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import { describePolicy } from './describe-policy.ts';
import { grantedPolicy } from '../grants/granted-policy.ts';
import { landlockLeavesOpen, landlockLosses, landlockObstacle } from './landlock-policy.ts';
import { noOwnPlaces, type PermissionPlaces, protectedNames } from '../paths/special-places.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';

const home = '/home/me/.codex';
const places: PermissionPlaces = {
  cwd: '/ws',
  workspaceRoots: ['/ws'],
  slashTmp: true,
  temporaryDirectory: '/var/folders/t',
  gitDirectories: ['/ws/vendored/git'],
  gitIncludes: ['/ws/.gitconfig'],
  absentSubmodules: ['/ws/sub'],
  gitNames: ['HEAD'],
  own: { ...noOwnPlaces, program: ['/opt/capstan'], state: [home], secrets: [`${home}/auth.json`] },
};
const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const workspace = builtInProfile('workspace-write', options);
const entry = (path: string, access: FileSystemEntry['access']): FileSystemEntry => ({
  path: { type: 'path', path },
  access,
});
const managed = (...entries: readonly FileSystemEntry[]): PermissionProfile => ({
  type: 'managed',
  file_system: { type: 'restricted', entries: [entry('/', 'read'), ...entries] },
  network: 'restricted',
});
const fit = (profile: PermissionProfile, more: Partial<PermissionPlaces> = {}): ResolvedPolicy =>
  resolvePolicy(profile, { ...places, landlock: true, ...more });

describe('a policy that is fitted to Landlock', () => {
  test('gives up what protects names in writable folders, names it, and keeps the rest', () => {
    const policy = fit(workspace);
    const lost = ['.agents', '.aws', '.capstan', '.codex', '.git', '.gitconfig', 'HEAD', 'sub'].map((n) => `/ws/${n}`);
    expect(policy.landlock?.unprotected.filter((path) => path.startsWith('/ws/'))).toEqual([
      ...lost,
      '/ws/vendored/git',
    ]);
    expect(policy.landlock).toMatchObject({ unprotectedNames: ['.git'], closedRoots: [] });
    for (const path of policy.landlock!.unprotected) expect([path, accessAt(policy, path)]).toEqual([path, 'write']);
    expect(accessAt(policy, '/ws/deep/.git/hooks')).toBe('write');
    expect(accessAt(policy, `${home}/auth.json`)).toBe('deny');
    expect(accessAt(policy, `${home}/config.toml`)).toBe('read');
    expect(landlockObstacle(policy)).toBeUndefined();
  });

  test('the text for users names every protected name', () => {
    expect(landlockLeavesOpen.settings).toBe('.git, .codex, .capstan, .agents and .aws inside writable folders');
    expect(landlockLeavesOpen.settings.match(/\.\w+/g)?.toSorted()).toEqual(protectedNames.toSorted());
  });

  test('a temporary folder that is a link to what must be kept is closed like one that holds it', () => {
    const temporary = { temporaryDirectory: '/link', real: { '/link': '/home' } };
    const policy = fit(builtInProfile('workspace-write', { ...options, excludeTmpdir: false }), temporary);
    expect(policy.landlock?.closedRoots).toEqual(['/link']);
    expect([accessAt(policy, '/link/x'), landlockObstacle(policy)]).toEqual(['read', undefined]);
  });

  test('is the same but for that: nothing else is opened or closed', () => {
    const [whole, fitted] = [resolvePolicy(workspace, places), fit(workspace)];
    const paths = [
      '/',
      '/etc/passwd',
      '/ws',
      '/ws/a',
      '/tmp',
      '/tmp/a',
      '/var/folders/t',
      '/opt/capstan',
      home,
      '/proc',
    ];
    expect(paths.map((path) => accessAt(fitted, path))).toEqual(paths.map((path) => accessAt(whole, path)));
  });

  test('loses nothing where nothing may be written', () => {
    const policy = fit(builtInProfile('read-only', options));
    expect(policy.landlock).toEqual({ unprotected: [], unprotectedNames: [], closedRoots: [] });
    expect(landlockLosses(policy).join('\n')).not.toContain('can change');
  });

  test('does not write temporary folders that hold files of the engine', () => {
    const own = { ...places.own, state: ['/tmp/x/home'], secrets: ['/tmp/x/home/auth.json'] };
    const policy = fit(workspace, { own, cwd: '/tmp/x/ws', workspaceRoots: ['/tmp/x/ws'] });
    expect(policy.landlock?.closedRoots).toEqual(['/tmp']);
    const at = (path: string) => accessAt(policy, path);
    expect([at('/tmp'), at('/tmp/a'), at('/tmp/x/ws/a'), at('/tmp/x/home/auth.json')]).toEqual([
      'read',
      'read',
      'write',
      'deny',
    ]);
    expect(policy.landlock?.unprotected).not.toContain('/tmp/.git');
    expect(landlockObstacle(policy)).toBeUndefined();
    expect(landlockLosses(policy).join('\n')).toContain(
      'not writable, because they hold files that must be kept: /tmp',
    );
  });

  test.each([
    [
      'a folder that the user keeps',
      managed(entry('/ws', 'write'), entry('/ws/docs', 'read')),
      {},
      'keep read-only "/ws/docs"',
    ],
    ['a file that the user hides', managed(entry('/ws', 'write'), entry('/ws/key', 'deny')), {}, 'hide "/ws/key"'],
    ['a hidden .git', managed(entry('/ws', 'write'), entry('/ws/.git', 'deny')), {}, 'hide "/ws/.git"'],
    [
      'the home',
      workspace,
      { own: { ...noOwnPlaces, state: ['/ws/home'] } },
      '"/ws/home", which Capstan keeps for itself,',
    ],
    ['the login', workspace, { own: { ...noOwnPlaces, secrets: ['/ws/home/auth.json'] } }, 'hide "/ws/home/auth.json"'],
    ['the program', workspace, { own: { ...noOwnPlaces, program: ['/ws/dist'] } }, 'keep read-only "/ws/dist"'],
  ] as const)('cannot keep %s inside a writable folder', (_what, profile, more, why) => {
    const obstacle = landlockObstacle(fit(profile, more));
    expect(obstacle?.why).toContain(why);
    expect(obstacle?.why).toContain('inside the writable folder "/ws"');
  });

  test('opens what is granted, without names that it could not keep', () => {
    const granted = grantedPolicy(fit(workspace), { where: 'sandbox', extra: { write: ['/srv/x'], network: true } });
    expect(granted.landlock).toBeDefined();
    expect([accessAt(granted, '/srv/x/.git'), granted.network]).toEqual(['write', 'enabled']);
    expect(landlockObstacle(granted)).toBeUndefined();
    // Files of the engine stay protected, and the command is refused.
    const home = grantedPolicy(fit(workspace), { where: 'sandbox', extra: { write: ['/home/me'] } });
    expect(landlockObstacle(home)?.why).toContain('inside the writable folder "/home/me"');
  });

  test('is described with what it lost', () => {
    const { landlock, readOnlyPaths, keptGlobs } = describePolicy(fit(workspace), '/ws');
    expect({ readOnlyPaths, keptGlobs }).toEqual({ readOnlyPaths: [], keptGlobs: [] });
    expect(landlock).toEqual(fit(workspace).landlock);
  });
});
