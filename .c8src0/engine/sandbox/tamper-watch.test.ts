import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import { builtInProfile } from '../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import { createTamperWatch } from './tamper-watch.ts';

test('a repository is not protected where Landlock let earlier commands change it', async () => {
  const folder = mkdtempSync('/var/tmp/capstan-ground-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, '.git', name), { recursive: true });
  for (const [name, text] of [
    ['HEAD', 'ref: refs/heads/main\n'],
    ['config', ''],
  ] as const)
    writeFileSync(join(folder, '.git', name), text);
  const watch = createTamperWatch({
    shellEnvironment: { variables: async () => ({ PATH: '/usr/bin:/bin', HOME: '/nowhere' }) },
    opened: new Set([folder]),
    temporary: [],
    gitGuard: { find: async () => ({ repositories: [], settings: [], unseen: [] }) },
    guardedGit: { folder: '/nowhere', variables: async () => ({}) },
  });
  const none = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
  const places = { cwd: folder, workspaceRoots: [folder], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  const kindUnder = async (more: { readonly landlock?: true }) => {
    const policy = resolvePolicy(builtInProfile('read-only', none), { ...places, ...more });
    const variables = { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], includeOnly: [], set: {} } as const;
    const asked = { programs: ['git'], reachOfGit: true, cwd: folder, workspace: folder, policy, variables };
    const { signal } = new AbortController();
    return (await watch.look({ ...asked, hasCompany: false, signal, warn: () => {} } as never)).repository;
  };
  expect([await kindUnder({}), await kindUnder({ landlock: true })]).toEqual(['protected', 'own']);
});
