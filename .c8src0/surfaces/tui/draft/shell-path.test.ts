import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { canQuoteBehind, quoteShellPath } from './draft-elements.ts';

describe('a path in a command', () => {
  it('is one word for the shell, whatever is in it', () => {
    const paths = [
      'a b',
      '$(echo x)',
      '`echo x`',
      "it's",
      '"q"',
      'a\nb',
      '*',
      '~',
      '=ls',
      'a;b',
      '\\',
      'x\u001B];y\u0007',
      '-n',
    ];
    const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${paths.map(quoteShellPath).join(' ')}`], {
      encoding: 'utf8',
    });
    expect(printed.split('\0')).toEqual([...paths.slice(0, -1), './-n', '']);
  });

  it('stands bare where it needs no quotes', () => {
    expect(['src/a-b.ts', '/x/@y', 'a b'].map(quoteShellPath)).toEqual(['src/a-b.ts', '/x/@y', "'a b'"]);
  });

  it.each([
    'cat ',
    `grep "a $x" 'b' c\\' `,
    'cat $(dirname ',
    'wc < ',
    'a#b ',
    '(cd x; cat ',
    '[ -f ',
    'ls a[0-9] ${b} ',
  ])('can be quoted behind %j', (before) => expect(canQuoteBehind(before)).toBe(true));

  it.each([
    'echo "see ',
    "echo 'see ",
    'cat \\',
    'cat $',
    "cat $'a\\'b ",
    'x `cat ',
    '"$(cat "',
    'cat << E\n',
    'ls # ',
    '$((1 + ',
    '((x = ',
    'for ((',
    'echo $[1 + ',
    'a[',
    'a[1 + ',
    'echo ${x:',
  ])('cannot be quoted behind %j', (before) => expect(canQuoteBehind(before)).toBe(false));
});
