import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lab } from './lab.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;
const part = fc.constantFrom(
  'a',
  'b',
  '*',
  '**',
  '?',
  '/',
  '[ab]',
  '[!a]',
  '[^-a]',
  '[]a]',
  '\\*',
  '.log',
  ' ',
  '\\',
  '[[:alpha:]]',
  '[',
);
const pattern = fc
  .tuple(fc.constantFrom('', '!', '/', '#', '\\'), fc.array(part, { minLength: 1, maxLength: 5 }))
  .map(([head, parts]) => head + parts.join(''));
const ignoreFile = fc.array(pattern, { maxLength: 3 }).map((lines) => lines.join('\n'));
const files = [
  'a',
  'b',
  'ab',
  '*',
  'a ',
  'a.log',
  ']',
  'd/a',
  'd/b',
  'd/ab',
  'd/b.log',
  'd/a b',
  'ba/a',
  'ba/b/a',
  'ba/b/b.log',
  'ba/x/ab',
];

describe.runIf(hasGit)('a snapshot', () => {
  it('leaves out exactly what git ignores', async () => {
    const lab = Lab.forTest();
    execFileSync('git', ['init', '-q', lab.root]);
    for (const file of files) lab.write(file, file);
    const ignoring = fc.record({
      '.gitignore': ignoreFile,
      'ba/.gitignore': ignoreFile,
      '.git/info/exclude': ignoreFile,
    });
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      XDG_CONFIG_HOME: lab.base,
    };
    await fc.assert(
      fc.asyncProperty(ignoring, async (texts) => {
        for (const [path, text] of Object.entries(texts)) writeFileSync(join(lab.root, path), `${text}\n`);
        const words = ['-C', lab.root, 'ls-files', '--others', '--exclude-standard', '-z'];
        const byGit = execFileSync('git', words, { env })
          .toString()
          .split('\0')
          .filter((path) => path !== '');
        // Without what was known before, then with it.
        if (texts['ba/.gitignore'].length % 2 === 0)
          rmSync(join(lab.home, 'capstan'), { recursive: true, force: true });
        expect(lab.filesIn(await lab.take())).toEqual(byGit.toSorted());
      }),
      { numRuns: 60 },
    );
  });
});
