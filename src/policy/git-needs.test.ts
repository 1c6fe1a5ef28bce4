import { expect, test } from 'vitest';
import type { GuardedRepository } from './command-ground.ts';
import { neededByGit } from './git-needs.ts';
import { plainGit } from './plain-git.ts';

const place = { top: '/p', folder: '/p/.git', common: '/p/.git' };
const sockets = { ssh: ['/ssh'], gpg: ['/gpg'], names: ['/names'] };

function needed(script: string, hooks: readonly string[] = []) {
  const git: GuardedRepository = { ...place, variables: {}, hooks, sockets };
  const commands = script.split(' && ').flatMap((text) => plainGit(text.split(' '), '/p') ?? []);
  return neededByGit(commands, git);
}

const repository = (...agents: readonly string[]) => ({ repository: { ...place, sockets: agents } });
const withSettings = (...agents: readonly string[]) => ({ repository: { ...place, settings: true, sockets: agents } });

test.each([
  ['git status', {}],
  ['git ls-remote origin', { network: true, ...repository('/ssh', '/names') }],
  ['git add . && git status', repository()],
  ['git commit -m x', repository('/gpg')],
  ['git checkout x', repository()],
  ['git pull', { network: true, ...repository('/ssh', '/names', '/gpg') }],
  ['git fetch -u origin', { network: true, ...repository('/ssh', '/names') }],
  ['git push origin x', { network: true, ...repository('/ssh', '/names', '/gpg') }],
  ['git push -u origin x', { network: true, ...withSettings('/ssh', '/names', '/gpg') }],
  ['git branch -m a b', withSettings()],
  ['git checkout -b x && git branch -u origin/x', repository()],
])('%s', (script, expected) => {
  expect(needed(script)).toEqual(expected);
});

test.each([
  ['git push -u origin x', ['pre-push'], undefined],
  ['git push -u origin x', ['pre-commit'], true],
  ['git add . && git push -u origin x', ['pre-commit'], undefined],
  ['git add . && git push -u origin x', [], true],
  ['git branch -d x', ['reference-transaction'], undefined],
])('%s may write settings only where no hook runs: %j', (script, hooks, settings) => {
  expect(needed(script, hooks)?.repository?.settings).toBe(settings);
});

test('git that writes files comes first, or its folder could be known by then', () => {
  expect(needed('git fetch && git rebase origin/main')).toBeUndefined();
  expect(needed('git stash && git status')).toEqual(repository());
});
