import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { expectLinear } from '../../../../testing/test-inputs.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import type { Look } from '../../screen/text/look.ts';
import { parseLinkTarget } from './inline-text.ts';
import { drawMarkdown, MarkdownStream } from './markdown-stream.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

const drawn = (text: string, width = 60): string => drawMarkdown(text, { ...look, width }).join('\n');

describe('blocks of Markdown', () => {
  it.each([
    ['headings keep their signs', '# One\ntext\n### Three ###\n', '# One\n\ntext\n\n### Three'],
    ['an underlined title is a heading', 'One\n===\nTwo\n---', '# One\n\n## Two'],
    ['lines of a paragraph stay lines', 'one  \ntwo\\\nthree', 'one\ntwo\nthree'],
    ['a tight list', 'List:\n- a\n- b\n  more of b\n* c', 'List:\n• a\n• b\n  more of b\n• c'],
    ['a loose list', '1. a\n\n2. b\n\n   second block\n', '1. a\n\n2. b\n\n   second block'],
    ['numbers count on', '3. a\n3. b\n7. c', '3. a\n4. b\n5. c'],
    ['nested lists', '- a\n  - b\n    1. c\n- d', '• a\n  • b\n    1. c\n• d'],
    ['a list under a number', '1. a\n   - b\n2. c', '1. a\n   • b\n2. c'],
    ['a list that is indented too little', '1. a\n  - b\n2. c', '1. a\n• b\n2. c'],
    ['tasks', '- [ ] open\n- [x] done', '• ☐ open\n• ☑ done'],
    ['an empty item', '-\n- b', '• \n• b'],
    ['a year does not begin a list', 'It was in\n1986. A good year.', 'It was in\n1986. A good year.'],
    ['quotes', 'a\n> b\n> > c\n>\n> d\n\ne', 'a\n\n> b\n>\n> > c\n>\n> d\n\ne'],
    ['code', 'a\n```ts\nconst x = 1;\n\n  y\n```\nb', 'a\n\nconst x = 1;\n\n  y\n\nb'],
    ['code in an item', '- a\n  ```\n  x\n  ```\n- b', '• a\n  x\n• b'],
    ['code without an end', '```\nx\n- y', 'x\n- y'],
    ['indented code', 'a\n\n    x\n    y\n\nb', 'a\n\nx\ny\n\nb'],
    ['a rule', 'a\n\n***\nb', 'a\n\n───\n\nb'],
    ['markup is text', '<b>x</b>\n<!-- y -->', '<b>x</b>\n<!-- y -->'],
    [
      'a table',
      '| a | b |\n|---|--:|\n| long cell | 1 |\n| x | 22 |',
      'a           b\n━━━━━━━━━  ━━\nlong cell   1\nx          22',
    ],
    ['a table without outer pipes, under text', 'Text\na | b\n-|-\n1 | 2\n\nend', 'Text\n\na  b\n━  ━\n1  2\n\nend'],
    ['a table ends with a blank line', 'a | b\n-|-\n1 | 2\nend', 'a    b\n━━━  ━\n1    2\nend  '],
    ['more cells than the header has', 'a | b\n-|-\n1 | 2 | 3', 'a  b\n━  ━━━━━\n1  2 | 3'],
    [
      'labels that are defined above',
      '[a]: https://x.y\n\n[a] [b]\n\n[b]: z',
      '[a]: https://x.y\n\na (https://x.y) [b]\n\n[b]: z',
    ],
    ['a label that is defined twice', '[a]: b\n[a]: c', '[a]: b\n[a]: c'],
    ['entities', '&copy; &#8594; &#27;[31m &#x202E;x &#10;', '© → &#27;[31m &#x202E;x &#10;'],
    ['a table in a quote', '> a | b\n> -|-\n> 1 | 2', '> a  b\n> ━  ━\n> 1  2'],
    ['pipes in a cell', 'a | b\n-|-\n`x \\| y` | 2', 'a      b\n━━━━━  ━\nx | y  2'],
    [
      'line breaks in cells, and nowhere else',
      'a<br>b\n\na | b\n-|-\nx <br> yy<br/>`<br>` | 2\n3 | **4<BR />5**',
      'a<br>b\n\na     b\n━━━━  ━\nx     2\nyy    \n<br>  \n────  ─\n3     4\n      5',
    ],
    ['prose with pipes', 'this | that\nand more', 'this | that\nand more'],
  ])('%s', (_, text, wanted) => {
    expect(drawn(text)).toBe(wanted);
  });

  it('wraps a table in its columns, and makes records of it where they do not fit', () => {
    const table =
      '| Name | What it does |\n|---|---|\n| alpha | reads all of the lines in a file |\n| beta | writes them |';
    expect(drawn(table, 24)).toBe(
      'Name   What it does\n━━━━━  ━━━━━━━━━━━━━━━━━\nalpha  reads all of the\n       lines in a file\n─────  ─────────────────\nbeta   writes them',
    );
    expect(drawn('a<br>b | c\n-|-\n1 | two<br>words of a cell', 8)).toBe('a b: 1\nc: two\n  words\n  of a\n  cell');
    expect(drawn(table, 14)).toBe(
      'Name: alpha\nWhat it does:\n  reads all of\n  the lines in\n  a file\n──────────────\nName: beta\nWhat it does:\n  writes them',
    );
  });

  it.each([
    ['many columns and empty rows', (n: number) => `|${'h|'.repeat(90)}\n|${'-|'.repeat(90)}\n${'|\n'.repeat(n)}`],
    ['a long name', (n: number) => `|${'x '.repeat(n)}|b|\n|-|-|\n${'|a|\n'.repeat(n)}`],
  ])('a table with %s has rows in proportion to its text', (_, table) => {
    const text = table(500);
    expect(drawn(text, 80).length).toBeLessThan(50 * text.length);
    expect(drawMarkdown(text, { ...look, glyphs: 'words' }).join('\n').length).toBeLessThan(50 * text.length);
  });

  it('cuts a long word of a table only where prose has no more room to give', () => {
    const table =
      '| Option | Short | What it does |\n|---|---|---|\n| `--skip-git-repo-check` | Skip | runs outside a git repository, where no change can be taken back by git itself |';
    expect(drawn(table, 80)).toBe(
      'Option                 Short  What it does\n' +
        `${'━'.repeat(21)}  ${'━'.repeat(5)}  ${'━'.repeat(50)}\n` +
        '--skip-git-repo-check  Skip   runs outside a git repository, where no change can\n' +
        '                              be taken back by git itself',
    );
    expect(drawn(table, 52).split('\n').slice(2)).toEqual([
      '--skip-git-repo-che  Skip   runs outside a git',
      'ck                          repository, where no',
      '                            change can be taken back',
      '                            by git itself',
    ]);
  });
});

describe('marks in text', () => {
  const coloured = (text: string): string => drawMarkdown(text, { ...look, colours: 'sixteen' }).join('\n');
  const seen = (text: string): string =>
    coloured(text)
      .replaceAll('\u001B[', '<')
      .replaceAll(/<([\d;]+)m/g, '<$1>');

  it.each([
    ['**bold** and *italic*', '<1>bold<0> and <3>italic<0>'],
    ['***both***', '<1;3>both<0>'],
    ['~~gone~~', '<9>gone<0>'],
    ['snake_case_name and __x__', 'snake_case_name and <1>x<0>'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['**not closed', '**not closed'],
    ['`code` and ``a ` b``', '<36>code<0> and <36>a ` b<0>'],
    ['`not closed', '`not closed'],
    ['a **bold\nline** b', 'a <1>bold<0>\n<1>line<0> b'],
    ['[site](https://example.org "t")', '<4;36>site<0;2> (https://example.org)<0>'],
    ['[https://example.org](https://example.org)', '<4;36>https://example.org<0>'],
    ['[a.ts](/home/ada/engine/src/a%20b.ts#L10-L20)', '<4;36>src/a b.ts:10-20<0>'],
    ['[in\nthe file](src/a.ts)', '<4;36>in<0>\n<4;36>the file<0;2> (src/a.ts)<0>'],
    ['[**x**](#part) [y] [z](', '<1;4;36>x<0> [y] [z]('],
    ['see https://example.org/~ada_b/(c)_*d*, or', 'see <4;36>https://example.org/~ada_b/(c)_*d<0>*, or'],
    ['(https://example.org/a).', '(<4;36>https://example.org/a<0>).'],
    ['<https://example.org> &lt;b&gt; \\*c\\*', '<4;36>https://example.org<0> <b> *c*'],
    ['![picture](a.png)', '<4;36>a.png<0>'],
    ['# *a* `b`', '<1;4># <0;1;3;4>a<0;1;4> <0;1;4;36>b<0>'],
  ])('%s', (text, wanted) => {
    expect(seen(text)).toBe(wanted);
  });

  it.each([
    ['src/a.ts:12', 'src/a.ts:12'],
    ['C:\\work\\a.ts#L3', 'C:\\work\\a.ts:3'],
    ['file:///etc/hosts', '/etc/hosts'],
    ['/home/ada/x.md#L1C2-L3C4', '~/x.md:1-3'],
    ['%E0%A4%A', '%E0%A4%A'],
  ])('the link %s is shown as %s', (target, shown) => {
    expect(parseLinkTarget(target, look)).toEqual({ kind: 'file', text: shown });
  });

  it('gives code its colours', () => {
    const code = '```ts\nconst x = "a"; // no\n/* long\nend */ `t\n${1}` 42\n```';
    expect(seen(code)).toBe(
      '<35>const<0> x = <32>"a"<0>; <3;90>// no<0>\n<3;90>/* long<0>\n<3;90>end */<0> <32>`t<0>\n<32>${1}`<0> <33>42<0>',
    );
    expect(seen('```diff\n+a\n-b\n c\n```')).toBe('<32>+a<0>\n<31>-b<0>\n c');
    expect(seen('```nolang\nif x\n```')).toBe('if x');
  });

  it.each(['*', '**a', '_a ', '[', '](', '[a](', '`', '`a``', '<', '&', '~~', '> ', '- ', '| ', 'https://a', '\\'])(
    'takes a text of nothing but %s in one pass',
    (part) => {
      expectLinear(6400, (count) => drawn(part.repeat(count), 80));
    },
  );
});

/** Lines that begin, continue and end every kind of block. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', '', 'plain words here', 'more *words* in `code`', '**bold', 'text**') },
  fc.constantFrom(
    '- item',
    '* [ ] task',
    '1. one',
    '2. two',
    '12) twelve',
    '-',
    '  - nested',
    '    - deep',
    '   under it',
    '  two in',
  ),
  fc.constantFrom('> quote', '> - item in quote', '> ', '>> deep', '> | a | b |', '> |---|---|', '> ```', 'lazy'),
  fc.constantFrom('| a | b |', '|---|:-:|', 'a | b', '-|-', '| 1 | a longer cell with words |', '|', '| x'),
  fc.constantFrom('```', '```ts', '  ```', '~~~', 'const a = `x', '/* open', 'end */ 12', '\tcode', '    code'),
  fc.constantFrom(
    '# One',
    '## Two',
    '===',
    '---',
    '***',
    'see https://example.org/a_b',
    '[l](src/a.ts#L3)',
    '漢字漢字漢字 👩‍👩‍👧 é',
  ),
  fc.constantFrom(
    '&#27;[31m&#x202E;',
    '&copy; &#10;x',
    '[a]: https://b.c',
    '[a] [b][a]',
    '<b>',
    '</p>',
    'x@y.z www.a.b',
  ),
  fc.constantFrom('a\u001B[31mred\u001B[0m', 'x\r', 'a\rb', '\u001B]0;t\u0007z', '\u202Eabc'),
);
const source = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));
const anyLook = fc.record({
  width: fc.integer({ min: 1, max: 70 }),
  colours: fc.constantFrom('none' as const, 'true' as const),
  glyphs: fc.constantFrom('unicode' as const, 'ascii' as const),
});

describe('Markdown that arrives in pieces', () => {
  it('ends in the rows of the whole, however it is split; stable rows never change', () => {
    fc.assert(
      fc.property(source, anyLook, fc.array(fc.nat(12), { minLength: 1, maxLength: 30 }), (text, some, sizes) => {
        const at = { ...look, ...some };
        const stream = new MarkdownStream();
        let stable: readonly string[] = [];
        for (let from = 0, step = 0; from < text.length; step += 1) {
          const size = 1 + sizes[step % sizes.length]!;
          stream.append(text.slice(from, from + size));
          from += size;
          const now = [...stream.stableRows(at)];
          expect(now.slice(0, stable.length)).toEqual(stable);
          expect(stream.rows(at).slice(0, now.length)).toEqual(now);
          stable = now;
        }
        const before = stream.rows(at);
        stream.end();
        expect(stream.rows(at)).toEqual(drawMarkdown(text, at));
        expect(before).toEqual(stream.rows(at));
        expect(stream.stableRows(at)).toEqual(stream.rows(at));
        expect(stream.stableRows(at).slice(0, stable.length)).toEqual(stable);
      }),
      { numRuns: 400 * inject('runFactor') },
    );
  });

  it('has every split point of a text with all kinds of blocks', () => {
    const text =
      '# T\n\nSome **bold\ntext**:\n- a\n\n- b\n  ```ts\n  const x = `1\n  2`;\n  ```\n> q\n\na | b\n-|-\n1 | `2`\n\nend';
    for (const width of [8, 20, 60]) {
      const whole = drawMarkdown(text, { ...look, width });
      for (let at = 0; at <= text.length; at += 1) {
        const stream = new MarkdownStream();
        stream.append(text.slice(0, at));
        const stable = [...stream.stableRows({ ...look, width })];
        stream.append(text.slice(at));
        stream.end();
        expect(stream.rows({ ...look, width })).toEqual(whole);
        expect(whole.slice(0, stable.length)).toEqual(stable);
      }
    }
  });

  it('draws rows that fit, without control characters', () => {
    fc.assert(
      fc.property(source, anyLook, (text, some) => {
        for (const row of drawMarkdown(text, { ...look, ...some })) {
          const bare = row.replaceAll(/\u001B\[[\d;]*m/g, '');
          expect(bare).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
          expect(countColumns(bare)).toBeLessThanOrEqual(some.width);
          expect(some.colours === 'none' ? row : bare).toBe(bare);
          expect(/\u001B/.test(row) ? /\u001B\[0m[^\u001B]*$/.test(row) : true).toBe(true);
        }
      }),
      { numRuns: 400 * inject('runFactor') },
    );
  });

  it('holds a table back, and gives out lines of open code at once', () => {
    const stream = new MarkdownStream();
    stream.append('text\n\na | b\n-|-\n1 | 2\n');
    expect(stream.stableRows(look)).toEqual(['text']);
    stream.append('\n```\none\ntwo\nthr');
    expect(stream.stableRows(look)).toEqual(['text', '', 'a  b', '━  ━', '1  2', '', 'one', 'two']);
    expect(stream.rows(look).at(-1)).toBe('thr');
  });

  it('draws again when the look changes', () => {
    const stream = new MarkdownStream();
    stream.append('some words that wrap\n\nend');
    expect(stream.rows({ ...look, width: 10 })).toEqual(['some words', 'that wrap', '', 'end']);
    expect(stream.rows(look)).toEqual(['some words that wrap', '', 'end']);
  });

  it('appends lines of code without drawing what is stable again', () => {
    const rows = expectLinear(3200, (count) => {
      const stream = new MarkdownStream();
      stream.append('```ts\n');
      for (let number = 0; number < count; number += 1) {
        stream.append(`const line${number} = "text"; // comment\n`);
        if (number % 10 === 0) stream.tailRows(look);
        if (number % 10 === 0) stream.stableRows(look);
      }
      return stream.stableRows(look);
    });
    expect(rows).toHaveLength(3200);
  });

  it.each(['[', '*_', '`a``', '> ', '- ', '</p>\n', '  b\n'])(
    'of nothing but %j costs a bounded time, however small the pieces are',
    (part) => {
      const before = process.cpuUsage();
      const stream = new MarkdownStream();
      const text = part.repeat((inject('runFactor') > 1 ? 20_000 : 600) / part.length);
      for (const character of text) {
        stream.append(character);
        stream.stableRows(look);
        stream.tailRows(look);
      }
      stream.end();
      expect(stream.rows(look)).toEqual(drawMarkdown(text, look));
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(8000);
    },
  );
});
