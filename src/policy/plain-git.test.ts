import { expect, test } from 'vitest';
import { isPlainGit, entersCheckout } from './plain-git.ts';

test.each<readonly [string, boolean]>([
  ['git status --short', true],
  // A rule may ask before the subcommand that stands first.
  ['git --no-pager log -p', false],
  ['git -P push origin', false],
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
  // A strategy that git does not know is the name of a program, also one of the checkout.
  ['git rebase -s y/x main', false],
  ['git rebase -iqs y/x main', false],
  ['git pull --rebase --strategy=y/x ./b.bundle side', false],
  ['git cherry-pick --strat /x side', false],
  ['git cherry-pick -s -x side', true],
  ['git commit -sm words', true],
  // Which remote a branch follows.
  ['git fetch --set-upstream ./up main', false],
  ['git pull --set-up origin main', false],
  ['git push -u origin main', true],
])('%s', (command, isPlain) => {
  expect(isPlainGit(command.split(' '), '/p')).toBe(isPlain);
});

test.each<readonly [string, boolean]>([
  ['git commit -m x', false],
  ['git commit -q --allow-empty -m x', false],
  ['git commit -F words --author me', false],
  ['git commit -qm x', false],
  ['git commit --amend --no-edit', false],
  ['git push', false],
  ['git log -p', false],
  ['git commit -am x', true],
  ['git commit -m x file', true],
  ['git commit --all -m x', true],
  ['git add x', true],
  ['git status', true],
  ['git checkout main', true],
  ['git stash pop', true],
  ['git pull --rebase', true],
  ['git reset --hard', true],
  // What is not known may do it.
  ['git x', true],
  ['git', true],
])('%s: goes through the files of the checkout: %s', (command, enters) => {
  expect(entersCheckout(command.split(' '))).toBe(enters);
});
