import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { analyseCommand, mayBeDangerous } from '../../src/core/policy/commands/analyse-command.ts';
import { quoteShellWord } from '../../src/protocol/shell.ts';
import { destructiveScripts, forcedRemovals, safeScripts } from './dangerous-scripts.ts';
import { anyScript } from './random-scripts.ts';
import { shellReader } from './reader.ts';
import { knownScripts, readOnlyScripts, unknownScripts } from './scripts.ts';

const pieces = [
  ['rm', '-rf', '-f', '--force', 'git', 'reset', '--hard', 'clean', '-fdx', 'push', 'find', '-delete', '-exec', '{}'],
  ['dd', 'of=x', 'mkfs', 'mkfs.ext4', 'chmod', '-R', 'shred', 'kill', '-9', '-1', 'truncate', '-s', '0', 'reboot'],
  ['> /dev/sda', '>/dev/null', 'tee', '/dev/sdb', 'x', '--', 'alias.x=!y', '-c', 'f() {', 'f | f', '}'],
  ['sudo', 'env', 'env -S', 'nohup', 'time', 'xargs', 'bash -c', 'sh -lc', 'eval', 'trap', 'EXIT', 'ssh h', 'A=1'],
  [' ', ' ', ' ', '\n', ';', '&&', '|', '&', '\\\n', '\\', "'", '"', '$(', ')', '`', '(', '${x}', '$x', "$'", "'"],
  ['echo', '<<E\n', '\nE\n', '<<<', 'for i in a; do', 'done', 'if x; then', 'fi', '#', '\0', '\u00a0', 'é', '<>'],
].flat();

const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom('', ' ', ' ')), { minLength: 1, maxLength: 14 })
  .map((parts) => parts.flat().join(''));

/** Dangerous scripts in scripts in scripts, with quotes and escapes at odd places. */
const dressed = fc
  .tuple(
    fc.constantFrom(...forcedRemovals, ...destructiveScripts),
    fc.array(fc.constantFrom('bash -c', 'sudo sh -lc', 'eval', 'env A=1 zsh -c', 'timeout 5 bash -c', 'trap'), {
      maxLength: 9,
    }),
    fc.array(fc.tuple(fc.nat(30), fc.constantFrom("''", '""', '\\', '\\\n', '$""', ' ', '\n')), { maxLength: 3 }),
  )
  .map(([script, shells, marks]) => {
    const inner = marks.reduce((all, [at, mark]) => all.slice(0, at) + mark + all.slice(at), script);
    return shells.reduce((all, shell) => `${shell} ${quoteShellWord(all)}${shell === 'trap' ? ' EXIT' : ''}`, inner);
  });

test('whatever is dangerous may be dangerous', () => {
  const scripts = fc.oneof(text, dressed, anyScript);
  let dangerous = 0;
  fc.assert(
    fc.property(scripts, fc.constantFrom('bash', 'zsh', '/bin/sh'), (script, shell) => {
      for (const argv of [[shell, '-c', script], script.split(' ')]) {
        if (analyseCommand(argv, shellReader).danger === undefined) continue;
        dangerous += 1;
        expect(mayBeDangerous(argv)).toBe(true);
      }
    }),
    { numRuns: 150 * inject('runFactor') },
  );
  expect(dangerous).toBeGreaterThan(25 * inject('runFactor'));
});

test('everyday commands need no parser', () => {
  const everyday = [
    'git status',
    'git diff HEAD~1 -- src',
    'git add -A && git commit -m "Fix the build"',
    'npm test 2>&1 | tail -20',
    "rg -n 'foo' src | head",
    "sed -n '1,200p' src/index.ts",
    "find . -name '*.ts' | xargs wc -l",
    'cp a b && mv b c',
    'cargo build --release',
    'ls -la; cat package.json',
  ];
  expect(everyday.filter((script) => mayBeDangerous(['bash', '-lc', script]))).toEqual([]);
});

test('most harmless scripts of the tables need none either', () => {
  const harmless = [...readOnlyScripts, ...unknownScripts, ...safeScripts, ...knownScripts.map(([script]) => script)];
  const suspected = harmless.filter((script) => mayBeDangerous(['bash', '-lc', script]));
  expect(suspected.length).toBeLessThan(harmless.length / 4);
});
