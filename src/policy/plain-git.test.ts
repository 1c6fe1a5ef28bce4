import { expect, test } from 'vitest';
import { isPlainGit } from './plain-git.ts';

test.each<readonly [string, boolean]>([
  ['git status --short', true],
  ['git --no-pager log -p', true],
  ['git commit -am fix', true],
  ['git apply fix.patch', true],
  ['git apply --unsafe-paths fix.patch', false],
  ['git apply --unsafe fix.patch', false],
  ['git bisect run ./x.sh', false],
  ['git submodule foreach ./x.sh', false],
  ['git -C sub status', false],
  ['git diff --output=x', false],
  ['git push ../other', false],
  ['git remote-ext a x', false],
  ['git x', false],
  ['git config alias.x y', false],
  ['git merge-index ./x -a', false],
  ['git worktree add .git/xx wt', false],
  ['git ls-files --recurse-submodules', false],
  ['git grep --recurse x', false],
  ['git mv x .git/hooks/x', false],
  ['git rm vendor', false],
  ['git rm -r --cached vendor', true],
])('%s', (command, isPlain) => {
  expect(isPlainGit(command.split(' '), '/p')).toBe(isPlain);
});
