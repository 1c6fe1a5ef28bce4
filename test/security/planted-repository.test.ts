// @module-tag attack
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noNamespaces } from '../harness/namespaces.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { Place } from '../harness/run-capstan.ts';

let base = '';
let evil = '';
let place: Place;
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-planted-'));
  evil = mkdtempSync('/tmp/capstan-evil-');
  place = new Place('http://127.0.0.1:9');
  for (const name of ['repo/sub', 'repo/sub/deep', 'alone', 'repo/papers/refs', 'repo/both/refs', 'repo/both/objects'])
    mkdirSync(join(base, name), { recursive: true });
  for (const name of ['papers/refs', 'both/refs', 'both/objects']) writeFileSync(join(base, 'repo', name, 'real'), '');
  git('repo', 'init', '-q', '.');
});
afterEach(() => {
  for (const folder of [base, evil]) rmSync(folder, { recursive: true, force: true });
  place.remove();
});

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: base, LC_ALL: 'C' });

/** Runs git as a user, a prompt or an editor does. */
function git(folder: string, ...words: readonly string[]) {
  return spawnSync('git', words, { cwd: join(base, folder), env: env(), encoding: 'utf8' });
}

/** Every way to name a program that git runs by itself. */
const settings = (folder: string): string => {
  const program = `touch ${evil}/ran`;
  const config = `[core]\n\tbare = false\n\tworktree = ${base}\n\tfsmonitor = "${program};false"\n\tpager = ${program}\n\thooksPath = ${evil}/hooks\n[alias]\n\tst = "!${program}"\n`;
  return `mkdir -p ${folder}/hooks; printf '%s' '${config}' > ${folder}/config; for h in post-index-change reference-transaction; do printf '#!/bin/sh\ntouch ${evil}/ran\n' > ${folder}/hooks/$h; chmod +x ${folder}/hooks/$h; done`;
};

/** Attempts to make a bare repository of the working folder, by what a sandbox might not have thought of. */
const attacks: Readonly<Record<string, string>> = {
  'all three names': 'echo "ref: refs/heads/x" > HEAD; mkdir -p objects refs/heads',
  'a HEAD that is a link': 'ln -s refs/heads/x HEAD; mkdir -p objects refs/heads',
  'a HEAD with a hash': 'git hash-object -t tree /dev/null > HEAD; mkdir -p objects refs',
  'common folders elsewhere': `mkdir -p ${'$EVIL'}/objects $EVIL/refs; echo "ref: refs/heads/x" > HEAD; echo $EVIL > commondir`,
  'a commondir that is a link':
    'mkdir -p $EVIL/objects $EVIL/refs; echo $EVIL > $EVIL/to; ln -s $EVIL/to commondir; echo "ref: refs/heads/x" > HEAD',
  'names moved into place':
    'mkdir -p a b; echo "ref: refs/heads/x" > c; for n in HEAD commondir objects refs; do mv -T b $n; mv -T a $n; mv -f c $n; done',
  'names exchanged':
    'rmdir commondir refs objects HEAD; rm -rf commondir refs objects HEAD; mkdir objects refs; echo "ref: refs/heads/x" > HEAD',
  'links in their place':
    'mkdir -p $EVIL/objects $EVIL/refs; for n in objects refs; do ln -sfn $EVIL/$n $n; done; echo "ref: refs/heads/x" > HEAD',
  'the whole folder exchanged':
    'mkdir -p ../new/objects ../new/refs; echo "ref: refs/heads/x" > ../new/HEAD; mv -T ../new . ; mv $PWD ../old; mv ../new $PWD',
};

const wait = `touch planted; while [ ! -e go ]; do sleep 0.02; done`;

describe.skipIf(noNamespaces)('a bare repository planted in the working folder', () => {
  test.each(Object.keys(attacks).flatMap((name) => ['repo/sub', 'alone'].map((folder) => [name, folder] as const)))(
    '%s, in %s: git never takes it, while the command runs and after',
    async (name, folder) => {
      expect(await gitMeanwhile(folder, attacks[name]!)).toEqual({ isTaken: false, hasRun: false });
    },
  );

  test.each(['repo', 'repo/papers', 'repo/both'])('in %s, whatever is there already', async (folder) => {
    for (const attack of Object.values(attacks).slice(0, 4))
      expect(await gitMeanwhile(folder, attack)).toEqual({ isTaken: false, hasRun: false });
  });

  test('one name that another run left there completes nothing', async () => {
    for (const left of ['HEAD', 'commondir', 'objects', 'refs']) {
      writeFileSync(join(base, 'repo/sub', left), left === 'HEAD' ? 'ref: refs/heads/x\n' : '');
      expect(await gitMeanwhile('repo/sub', attacks['names exchanged']!)).toEqual({ isTaken: false, hasRun: false });
      rmSync(join(base, 'repo/sub'), { recursive: true });
      mkdirSync(join(base, 'repo/sub'));
    }
  });

  test('nothing is left of the guard', { tags: 'representative' }, async () => {
    await gitMeanwhile('repo/sub', 'true');
    expect(readdirSync(join(base, 'repo/sub')).filter((name) => name !== 'deep')).toEqual([
      'config',
      'go',
      'hooks',
      'planted',
    ]);
  });
});

/** Runs the attack in a sandbox, and git outside of it: while the command runs, and when it has ended. */
async function gitMeanwhile(folder: string, attack: string) {
  const engine = await placeEngine(place, { env: { ...env(), CAPSTAN_HOME: place.home } });
  const cwd = join(base, folder);
  for (const name of ['planted', 'go']) rmSync(join(cwd, name), { force: true });
  const sandbox = await engine.openSandbox({
    cwd,
    permissions: { named: ':workspace' },
    env: { ...env(), EVIL: evil },
  });
  if ('code' in sandbox) throw new Error(sandbox.message);
  const script = `${attack}; ${settings('.')}; ${settings(evil)}; ${wait}`;
  const running = sandbox.capture(['bash', '-c', script]);
  await expect.poll(() => existsSync(join(cwd, 'planted'))).toBe(true);
  const sights = [useGit(folder)];
  writeFileSync(join(cwd, 'go'), '');
  await running;
  sights.push(useGit(folder));
  return { isTaken: sights.some((sight) => sight), hasRun: existsSync(join(evil, 'ran')) };
}

/** True if git takes the folder itself for a repository. It may refuse to work there. */
function useGit(folder: string): boolean {
  for (const words of [['status'], ['st'], ['log'], ['-c', 'x.y=z', 'update-ref', 'refs/heads/y', 'HEAD']])
    git(folder, ...words);
  const found = git(folder, 'rev-parse', '--absolute-git-dir');
  return found.status === 0 && found.stdout.trim() !== join(base, 'repo/.git');
}
