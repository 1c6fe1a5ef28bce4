import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { sandboxIsPossible } from '../security/sandboxed.ts';

// Plants files that an earlier command may have left in a workspace, to be run by Capstan itself the next time.
// Everything planted leaves a mark outside of the workspace, where no sandboxed process can write.

const suite = sandboxIsPossible ? describe : describe.skip;

let base = '';
let work = '';
let mark = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-helpers-'));
  work = join(base, 'work');
  mark = join(base, 'mark');
  mkdirSync(join(work, 'bin'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function program(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> ${mark}\nexit 0\n`);
  chmodSync(path, 0o755);
}

/** Programs that a command of ours starts: one that it does not start is no bait. */
const started = { 'capstan sandbox': ['bwrap', 'sh'], 'a command of the model': ['bwrap', 'flock', 'sh', 'bash'] };

type Attack = readonly [what: string, plant: () => Readonly<Record<string, string>>];

const planted = (name: string): Attack => [
  `a program called ${name} on the PATH, in the workspace`,
  () => {
    program(join(work, 'bin', name));
    return { PATH: `${join(work, 'bin')}:${process.env['PATH'] ?? ''}` };
  },
];

/** Each plants something and says which variables lead to it. */
const attacks: readonly Attack[] = [
  [
    'a bwrap in the working folder, found by an empty entry of the PATH',
    () => {
      program(join(work, 'bwrap'));
      return { PATH: `:.:${process.env['PATH'] ?? ''}` };
    },
  ],
  [
    'a bwrap behind a link into the workspace',
    () => {
      program(join(work, 'bin/bwrap'));
      symlinkSync(join(work, 'bin'), join(base, 'link'));
      return { PATH: `${join(base, 'link')}:${process.env['PATH'] ?? ''}` };
    },
  ],
  [
    'a repository whose configuration names programs',
    () => {
      program(join(work, 'evil'));
      mkdirSync(join(work, '.git/objects'), { recursive: true });
      mkdirSync(join(work, '.git/refs'));
      writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n');
      const evil = join(work, 'evil');
      const config = `[core]\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n\teditor = ${evil}\n\tsshCommand = ${evil}\n\thooksPath = ${work}\n[diff]\n\texternal = ${evil}\n[filter "x"]\n\tclean = ${evil}\n\tprocess = ${evil}\n`;
      writeFileSync(join(work, '.git/config'), config);
      writeFileSync(join(work, '.gitattributes'), '* filter=x\n');
      for (const hook of ['pre-commit', 'post-checkout', 'post-index-change']) program(join(work, '.git/hooks', hook));
      return {};
    },
  ],
  [
    'start-up files of shells',
    () => {
      writeFileSync(join(work, 'evil.sh'), `echo shell >> ${mark}\n`);
      return { BASH_ENV: join(work, 'evil.sh'), ENV: join(work, 'evil.sh') };
    },
  ],
  [
    'libraries for the loader',
    () => {
      writeFileSync(join(work, 'libcap.so.2'), 'no library');
      writeFileSync(join(work, 'libselinux.so.1'), 'no library');
      return { LD_LIBRARY_PATH: work };
    },
  ],
];

suite('what stands in a workspace is not run by Capstan', () => {
  test.each([...started['capstan sandbox'].map(planted), ...attacks])('%s: capstan sandbox', async (_what, plant) => {
    const place = new Place('http://127.0.0.1:9/');
    try {
      const env = plant();
      const node = process.execPath;
      const { code, stdout } = await place.runWith(
        { cwd: work, env },
        'sandbox',
        '-P',
        ':workspace',
        '--',
        node,
        '-p',
        '1',
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n' });
      expect(existsSync(mark)).toBe(false);
    } finally {
      place.remove();
    }
  });

  test.each([...started['a command of the model'].map(planted), ...attacks])(
    '%s: a command of the model',
    async (_what, plant) => {
      const call = callTool('exec_command', { cmd: `${process.execPath} -p 1` });
      const { place } = await scene([answer({ items: [call] }), answer({ items: [say('Done.')] })]);
      const env = plant();
      const { code } = await place.runWith(
        { cwd: work, env },
        'exec',
        '--skip-git-repo-check',
        '-s',
        'workspace-write',
        'Go',
      );
      expect(code).toBe(0);
      expect(existsSync(mark)).toBe(false);
    },
  );
});
