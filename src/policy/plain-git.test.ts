import { expect, test } from 'vitest';
import { plainGit } from './plain-git.ts';

test.each<readonly [string, boolean]>([
  ['git status --short', true],
  ['git --no-pager log -p', true],
  ['git commit -am fix', true],
  ['git apply fix.patch', true],
  ['git apply --unsafe-paths fix.patch', true],
  ['git bisect run ./x.sh', false],
  ['git submodule foreach ./x.sh', false],
  ['git -C sub status', false],
  ['git diff --output=x', true],
  ['git push ../other', false],
  ['git remote-ext a x', false],
  ['git x', false],
  ['git config alias.x y', false],
  ['git merge-index ./x -a', false],
  ['git worktree add .git/xx wt', false],
  ['git ls-files --recurse-submodules', false],
  ['git grep --recurse x', false],
  ['git mv x .git/hooks/x', true],
  ['git rebase -x ./x.sh', false],
  ['git rebase --ex ./x.sh', false],
  ['git fetch file:///x', false],
  ['git rm vendor', true],
  ['git rm -r --cached vendor', true],
])('%s', (command, isPlain) => {
  expect(plainGit(command.split(' '), '/p') !== undefined).toBe(isPlain);
});
