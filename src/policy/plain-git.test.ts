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
])('%s', (command, isPlain) => {
  expect(isPlainGit(command.split(' '), '/p')).toBe(isPlain);
});
