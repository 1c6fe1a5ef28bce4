import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../../harness/run-capstan.ts';

function git({ workspace }: Place, ...words: readonly string[]): string {
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...as, ...words], { cwd: workspace, encoding: 'utf8' }).trim();
}

/** Two commits on `main`, one more on `topic`, which is checked out, and a change that is not committed. */
export function makeRepository(place: Place): void {
  const write = (text: string): void => writeFileSync(join(place.workspace, 'a.txt'), text);
  git(place, 'init', '--quiet');
  git(place, 'symbolic-ref', 'HEAD', 'refs/heads/main');
  for (const [at, title] of ['Begin', 'Go on'].entries()) {
    write(`${at}\n`);
    git(place, 'add', '.');
    git(place, 'commit', '--quiet', '-m', title);
  }
  git(place, 'checkout', '--quiet', '-b', 'topic');
  write('topic\n');
  git(place, 'commit', '--quiet', '-am', 'Of the topic');
  write('topic\nnot committed\n');
}
