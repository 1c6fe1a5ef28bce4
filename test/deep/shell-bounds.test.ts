import { describe, expect, test } from 'vitest';
import { analyseCommand, canonicalCommand, mayBeDangerous } from '../../src/core/policy/commands/analyse-command.ts';
import { quoteShellCommand } from '../../src/protocol/shell.ts';
import { shellReader } from '../shell/reader.ts';

const megabyte = 1024 * 1024;
const fill = (text: string): string => text.repeat(Math.ceil(megabyte / text.length));

/** A careless reader takes minutes. */
const boundMs = 20_000;

/** Milliseconds of work, not of waiting: a busy machine is not an endless reader. */
function stopwatch(): () => number {
  const before = process.cpuUsage();
  return () => process.cpuUsage(before).user / 1000;
}

/** Scripts of a megabyte. */
const endless: Readonly<Record<string, string>> = {
  words: `echo ${fill('ab ')}`,
  commands: fill('ls -l\n'),
  pipes: `${fill('a|')}a`,
  parentheses: fill('('),
  'closed parentheses': `${fill('(')}a${fill(')')}`,
  substitutions: fill('$('),
  'quoted substitutions': fill('"$('),
  quotes: fill('"'),
  'single quotes': fill("'"),
  backticks: fill('`'),
  backslashes: fill('\\'),
  arrays: fill('a=(b '),
  heredocs: fill('cat <<E\n'),
  'one word': fill('a'),
  'one string': `echo "${fill('a')}"`,
  comment: `#${fill('a')}`,
  wrappers: fill('env '),
  options: `sudo ${fill('-x ')}`,
  'git options': `git ${fill('-c alias.x=y ')} x`,
  shells: fill("bash -c 'ls'; "),
  garbage: fill('&|;()<>"$`{}[]!\n a'),
  signs: fill('😀é\u00a0'),
};

describe('a script of a megabyte', () => {
  test.each(Object.entries(endless))('is looked at in bounded time: %s', (_, script) => {
    const argv = ['bash', '-lc', script];
    const worked = stopwatch();
    expect(mayBeDangerous(argv)).toBe(true);
    expect(analyseCommand(argv, shellReader)).toMatchObject({ commands: undefined, isReadOnly: false });
    canonicalCommand(argv, shellReader);
    expect(worked()).toBeLessThan(boundMs);
  });

  test('is searched for danger to its end', () => {
    const argv = ['bash', '-lc', `${fill('# note\n')}rm -rf x`];
    expect(analyseCommand(argv, shellReader).danger?.kind).toBe('forced-removal');
  });
});

describe('a script that the parser takes long for', () => {
  test.each(Object.entries(endless))('is given up: %s', (_, script) => {
    const argv = ['bash', '-lc', script.slice(0, 128 * 1024)];
    const worked = stopwatch();
    analyseCommand(argv, shellReader);
    expect(worked()).toBeLessThan(boundMs);
  });

  test('is not given up again and again', () => {
    const script = `bash -c ${quoteShellCommand(['a=(b '.repeat(400)])}\n`.repeat(20);
    const worked = stopwatch();
    expect(analyseCommand(['bash', '-lc', script], shellReader).commands).toBeUndefined();
    expect(worked()).toBeLessThan(boundMs);
  });
});

describe('odd text', () => {
  test('a zero byte makes a script unknown', () => {
    expect(analyseCommand(['bash', '-c', 'ls\0'], shellReader)).toMatchObject({ commands: undefined });
    expect(analyseCommand(['bash', '-c', 'ls\0; rm -rf x'], shellReader).danger?.kind).toBe('forced-removal');
  });

  test('letters of any script stay as they are', () => {
    const words = ['echo', 'naïve', '日本語', '😀', '\u202e', '\ud800', '‘quoted’', 'a\u00a0b'];
    const argv = ['bash', '-c', words.join(' ')];
    expect(analyseCommand(argv, shellReader).commands).toEqual([words]);
  });

  test('a letter that looks like another is another', () => {
    expect(analyseCommand(['bash', '-c', 'rｍ -rf x; ｒm -rf x; ls\u00a0-l'], shellReader)).toMatchObject({
      commands: [['rｍ', '-rf', 'x'], ['ｒm', '-rf', 'x'], ['ls\u00a0-l']],
      isReadOnly: false,
    });
  });

  test('deep nesting is unknown, and danger in it is found', () => {
    const deep = (depth: number) => `${'('.repeat(depth)} rm -rf x ${')'.repeat(depth)}`;
    for (const depth of [50, 1_000, 20_000]) {
      expect(analyseCommand(['bash', '-c', deep(depth)], shellReader).danger?.kind).toBe('forced-removal');
    }
  });
});
