import { describe, expect, it, test } from 'vitest';
import { analyseCommand, canonicalCommand, mayBeDangerous } from '../../src/core/policy/commands/analyse-command.ts';
import { quoteShellCommand } from '../../src/protocol/shell.ts';
import { destructiveScripts, forcedRemovals, safeScripts } from './dangerous-scripts.ts';
import { analyse, shellReader } from './reader.ts';
import { knownScripts, openReadOnlyScripts, readOnlyScripts, unknownScripts } from './scripts.ts';

function rendered({ commands }: ReturnType<typeof analyse>): string | undefined {
  return commands?.map((words) => quoteShellCommand(words).replaceAll("'{}'", '{}')).join('; ');
}

describe('a script', () => {
  it.each(readOnlyScripts)('changes nothing: %j', (script) => {
    const analysis = analyse(script);
    expect(analysis).toMatchObject({ isReadOnly: true });
    expect(analysis.commands).toBeDefined();
    expect(analysis.danger).toBeUndefined();
  });

  it.each(openReadOnlyScripts)('changes nothing, whatever words it reads: %j', (script) => {
    expect(analyse(script)).toMatchObject({ commands: undefined, isReadOnly: true });
  });

  it.each(knownScripts)('is known, and may change something: %j', (script, commands) => {
    const analysis = analyse(script);
    expect(rendered(analysis) ?? '').toBe(commands);
    expect(analysis).toMatchObject({ isReadOnly: false });
  });

  it.each(unknownScripts)('is not known: %j', (script) => {
    expect(analyse(script)).toMatchObject({ commands: undefined, isReadOnly: false });
  });

  it.each(forcedRemovals)('removes by force: %j', (script) => {
    expect(analyse(script)).toMatchObject({ isReadOnly: false, danger: { kind: 'forced-removal' } });
    expect(mayBeDangerous(['bash', '-c', script])).toBe(true);
  });

  it.each(destructiveScripts)('destroys: %j', (script) => {
    expect(analyse(script)).toMatchObject({ isReadOnly: false, danger: { kind: 'destructive' } });
    expect(mayBeDangerous(['bash', '-c', script])).toBe(true);
  });

  it.each(safeScripts)('only looks dangerous: %j', (script) => {
    expect(analyse(script).danger).toBeUndefined();
  });
});

describe('a script that is not known', () => {
  it.each([
    ['A=1 npm test', { kind: 'assignment', name: 'A' }],
    ['env A=1 npm test', { kind: 'assignment', name: 'A' }],
    ['npm test > /etc/x', { kind: 'redirection', written: '> /etc/x' }],
    ['npm test 2>>log', { kind: 'redirection', written: '2>> log' }],
    ['npm test $(cat f)', { kind: 'open-words' }],
    ['ls | xargs npm test', { kind: 'open-words' }],
    ['npm test > $OUT', { kind: 'open-words' }],
    ['if true; then npm test; fi', { kind: 'syntax' }],
    ['cat <<EOF\nx\nEOF', { kind: 'syntax' }],
  ])('%j says why: %j', (script, whyUnknown) => {
    expect(analyse(script)).toMatchObject({ commands: undefined, whyUnknown });
  });

  it.each([
    'test $(cat f)',
    '[ -f $x ]',
    'printf "$(cat f)"',
    'exit $x',
    'wait $x',
    'export $x',
    'timeout 5 sh -c "test \\$x"',
    '((x))',
    'if ((x)); then ls; fi',
    'for ((i=0; i<n; i++)); do ls; done',
    '((x) ) ; ((y))',
    'eval "test $x"',
  ])('%j may run what stands in its words', (script) => {
    expect(analyse(script)).toHaveProperty('evaluating');
  });

  it.each(['echo $(cat f)', 'cd $x', 'test -f f', 'printf "%s" x', '(ls)', '(ls; (pwd))'])('%j does not', (script) => {
    expect(analyse(script).evaluating).toBeUndefined();
  });

  it.each([
    'npm i $(cat f)',
    'npm i $x',
    'npm i *',
    '$x',
    'A=$x npm i',
    'ls | xargs npm i',
    'npm i > $x',
    'sh <<E\n$(cat f)\nE',
  ])('%j has words that are known only when it runs', (script) =>
    expect(analyse(script)).toHaveProperty('hasOpenWords', true),
  );

  it.each(['npm i', 'A=1 npm i', 'npm i > log', 'if true; then npm i; fi', 'cat <<E\nx\nE'])(
    '%j has none',
    (script) => {
      expect(analyse(script).hasOpenWords).toBeUndefined();
    },
  );
});

describe('words beside a script', () => {
  const nested = (depth: number) => [...Array.from({ length: depth }, () => 'env'), 'rm', '-rf', 'x'];

  test('eight wrappers are seen through, a ninth is danger by itself', () => {
    for (const argv of [nested(8), ['bash', '-lc', nested(8).join(' ')]]) {
      expect(analyseCommand(argv, shellReader).danger?.kind).toBe('forced-removal');
    }
    for (const argv of [nested(9), ['bash', '-lc', nested(9).join(' ')]]) {
      expect(analyseCommand(argv, shellReader)).toMatchObject({ commands: undefined, danger: { kind: 'destructive' } });
    }
  });

  test('a script in a script in a script is danger at the same depth', () => {
    const script = (depth: number): string =>
      depth === 0 ? 'rm -rf x' : `bash -c ${quoteShellCommand([script(depth - 1)])}`;
    expect(analyse(script(8)).danger?.kind).toBe('forced-removal');
    expect(analyse(script(9)).danger?.kind).toBe('destructive');
  });

  test('a command without a shell is its own words', () => {
    expect(analyseCommand(['ls', '$HOME'], shellReader)).toEqual({
      commands: [['ls', '$HOME']],
      seen: [['ls', '$HOME']],
      isReadOnly: true,
    });
    expect(analyseCommand(['rm', '-rf', 'x'], shellReader)).toEqual({
      commands: [['rm', '-rf', 'x']],
      seen: [['rm', '-rf', 'x']],
      isReadOnly: false,
      danger: { kind: 'forced-removal', words: ['rm', '-rf', 'x'] },
    });
    expect(analyseCommand([], shellReader)).toMatchObject({ commands: [[]], isReadOnly: false });
  });

  test.each(['', ' ', '\n', '# nothing'])('a script without a command is the command itself: %j', (script) => {
    const argv = ['bash', '-lc', script];
    expect(analyseCommand(argv, shellReader)).toEqual({ commands: [argv], seen: [], isReadOnly: false });
  });

  test('a shell outside of the folders of the system is a command of its own', () => {
    const commands = (program: string, shell?: string) =>
      analyseCommand([program, '-lc', 'ls'], shellReader, shell === undefined ? {} : { shell }).commands;
    for (const program of ['bash', '/bin/bash', '/usr/bin/bash', '/bin/sh', 'zsh']) {
      expect(commands(program)).toEqual([['ls']]);
    }
    for (const program of ['./bash', '/ws/bash', '/bin/../ws/bash', '/usr/local/bin/bash']) {
      expect(commands(program)).toEqual([[program], ['ls']]);
    }
    expect(commands('/usr/local/bin/bash', '/usr/local/bin/bash')).toEqual([['ls']]);
  });

  test('a letter may be written with up to eight digits', () => {
    expect(analyse("test $'-\\U00076' 'a[x]'").commands).toEqual([['test', '-v', 'a[x]']]);
    expect(analyse("$'\\U00000074ouch\\u0078' a").commands).toEqual([['touchx', 'a']]);
  });

  describe('a shell that may not be bash', () => {
    const inSh = (script: string, shell = 'sh') => analyseCommand([`/bin/${shell}`, '-c', script], shellReader);

    test.each([
      'echo a &>/dev/null touch x',
      'echo a &>>/dev/null touch x',
      'echo a >&/dev/null',
      'echo a |& cat',
      'cat <<< a',
      'env -u 10>/dev/null echo touch x',
      "echo $'a'",
      "echo $'a\\' b'",
      'echo $"a"',
      'echo {a,b}',
      'cat <(ls)',
      '[[ a ]]',
      '((a))',
      'function f { ls; }',
      'CI+=1 ls',
      'case a in a) ls;& b) ls;; esac',
    ])('does not read as bash does: %j', (script) => {
      expect(inSh(script)).toMatchObject({ commands: undefined, isReadOnly: false });
      expect(analyse(`eval ${quoteShellCommand([script])}`)).toMatchObject({ commands: undefined, isReadOnly: false });
    });

    test.each(['echo a &>/dev/null rm -rf x', "echo $'a\\'; rm -rf x #'", '((rm -rf x))', 'echo a 10>&1 |& rm -rf x'])(
      'runs what bash does not: %j',
      (script) => {
        expect(inSh(script).seen).toContainEqual(expect.arrayContaining(['rm', '-rf']));
        expect(inSh(script).danger?.kind).toBe('forced-removal');
        expect(analyse(`echo ${quoteShellCommand([script])} | sh`).danger?.kind).toBe('forced-removal');
      },
    );

    test('an answer for one script does not hold for another that only bash reads alike', () => {
      const canonical = (shell: string, script: string) => canonicalCommand([shell, '-c', script], shellReader);
      const [one, other] = ['echo a b &>/dev/null', 'echo a &>/dev/null b'];
      expect(canonical('bash', one)).toBe(canonical('bash', other));
      expect(canonical('sh', one)).not.toBe(canonical('sh', other));
    });

    test('reads what all shells read alike', () => {
      expect(inSh('cat a 2>&1 >/dev/null | wc -l && (ls; pwd) &').isReadOnly).toBe(true);
    });

    test('zsh has operators and wildcards of its own', () => {
      expect(inSh('ls a &>/dev/null', 'zsh').isReadOnly).toBe(true);
      for (const script of ['ls 2&>/dev/null a', 'ls 10>/dev/null a', 'env <1->/dev/null ls']) {
        expect(inSh(script, 'zsh')).toMatchObject({ commands: undefined, isReadOnly: false });
      }
    });

    test('however deep it is written, it is read in time', () => {
      const nested = (depth: number): string =>
        depth === 0 ? 'rm -rf x' : `true &>a; ((b)); sh -c ${quoteShellCommand([nested(depth - 1)])}`;
      expect(inSh(nested(8)).danger).toBeDefined();
    });
  });

  test.each([
    'env -u 5\\\n>/dev/null echo touch x',
    'exec -a 5\\\n>/dev/null echo touch x',
    'ls &\\\n>/dev/null echo',
    'ls &\\\n& pwd',
    'ls |\\\n& cat',
    'ls >\\\n&1',
    'ls 2\\\n\\\n>&1',
    'ls a\\\n>/dev/null',
    "echo $\\\n'a'",
    'cat <\\\n<E\nE',
  ])('a line that goes on at an operator is not sure: %j', (script) => {
    expect(analyse(script)).toMatchObject({ commands: undefined, isReadOnly: false });
  });

  test('lines that go on between words are joined, those of quotes and comments are not', () => {
    expect(analyse('a \\\n  b \\\n&& c &&\\\nd "e\\\nf" >\\\n/dev/null').commands).toEqual([
      ['a', 'b'],
      ['c'],
      ['d', 'ef'],
    ]);
    expect(analyse("a '\\\n' b\\\n#c \\\n# d \\\ne").commands).toEqual([['a', '\\\n', 'b#c'], ['e']]);
    expect(analyse('a \\#\\\nb').commands).toEqual([['a', '#b']]);
  });

  test('danger stands behind lines that go on', () => {
    for (const script of ['a &\\\n>/dev/null rm -rf x', 'a # \\\nrm -rf x', '"$(a # \\\nrm -rf x\n)"'])
      expect(analyse(script).danger?.kind).toBe('forced-removal');
  });

  test('programs that start others are named', () => {
    expect(analyse('timeout 5 nice /bin/ls; sh -c "env ls" && timeout 3 pwd').starters).toEqual([
      'timeout',
      'nice',
      'sh',
      'env',
    ]);
    expect(analyse('ls && pwd').starters).toBeUndefined();
  });

  test('rules that forbid see commands that rules to allow do not', () => {
    expect(analyse('sudo timeout 5 npm "$x" test > a; ls').seen).toEqual([
      ['sudo', 'timeout', '5', 'npm'],
      ['timeout', '5', 'npm'],
      ['npm'],
      ['ls'],
    ]);
    expect(analyse('for i in a; do curl x; done').seen).toEqual([['curl', 'x']]);
  });

  test.each([
    ["declare -i 'x=a[$(y)]' z", [['declare', '-i', 'x=a[$(y)]', 'z']]],
    ["typeset -a 'x=($(y))'", [['typeset', '-a', 'x=($(y))']]],
    [
      'export A=b C="$(curl x)"',
      [
        ['curl', 'x'],
        ['export', 'A=b'],
      ],
    ],
    [
      'readonly A=b; local "c"',
      [
        ['readonly', 'A=b'],
        ['local', 'c'],
      ],
    ],
    ["unset -f 'a[1]' b", [['unset', '-f', 'a[1]', 'b']]],
    ["[ -v 'a[$(y)]' ] && ls", [['[', '-v', 'a[$(y)]', ']'], ['ls']]],
    ['[ ! 1 -eq a"b"c ]', [['[', '!', '1', '-eq', 'abc', ']']]],
    ['if [[ -v "a" && b ]]; then ls; fi', [['[[', '-v', 'a'], ['ls']]],
    ['[[ "$(curl x)" = b ]]', [['curl', 'x'], ['[[']]],
  ])('rules that forbid see commands with a syntax of their own: %j', (script, seen) => {
    const found = analyse(script);
    expect(found.seen).toEqual(seen);
    expect(found).toMatchObject({ commands: undefined, isReadOnly: false });
  });

  test('the first danger is named with its words', () => {
    expect(analyse('ls && sudo rm -rf "$A" b; git reset --hard').danger).toEqual({
      kind: 'forced-removal',
      words: ['rm', '-rf', 'b'],
    });
  });
});
