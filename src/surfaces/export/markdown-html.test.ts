import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { markdownHtml } from './markdown-html.ts';

const link = (address: string, words = address): string =>
  `<a href="${address}" rel="noopener noreferrer">${words}</a>`;

describe('blocks', () => {
  it.each([
    ['one\ntwo\n\nthree', '<p>one\ntwo</p>\n<p>three</p>'],
    ['# A *b* ##\n## C\n###### D\n#no', '<h4>A <em>b</em></h4>\n<h5>C</h5>\n<h6>D</h6>\n<p>#no</p>'],
    ['a\n***\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
    ['> a\n> > b\n\nc', '<blockquote><p>a</p>\n<blockquote><p>b</p></blockquote></blockquote>\n<p>c</p>'],
    ['```ts\nif (a < b) *x*\n```\nend', '<pre><code>if (a &lt; b) *x*</code></pre>\n<p>end</p>'],
    ['````\n```\n````', '<pre><code>```</code></pre>'],
    ['```\nno end', '<pre><code>no end</code></pre>'],
    ['```diff\n-a\n+b\n c\n```', '<pre><span class="removed">-a</span>\n<span class="added">+b</span>\n c</pre>'],
    ['a\n\n    code\n    more', '<p>a</p>\n<pre><code>code\nmore</code></pre>'],
  ])('%j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(html);
  });

  it.each([
    ['- a\n- b', '<ul><li>a</li>\n<li>b</li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li>\n<li>b</li></ol>'],
    ['1. a\n\n   more\n2. b\n\nend', '<ol><li>a\n<p>more</p></li>\n<li>b</li></ol>\n<p>end</p>'],
    ['- a\n  - b\n    - c\n- d', '<ul><li>a\n<ul><li>b\n<ul><li>c</li></ul></li></ul></li>\n<li>d</li></ul>'],
    ['- a\n    - b', '<ul><li>a\n<ul><li>b</li></ul></li></ul>'],
    ['1. a\n  - b', '<ol><li>a\n<ul><li>b</li></ul></li></ol>'],
    ['- a\n  ```\n  x\n\n  y\n  ```', '<ul><li>a\n<pre><code>x\n\ny</code></pre></li></ul>'],
    ['- a\nb\n\nc', '<ul><li>a\nb</li></ul>\n<p>c</p>'],
    ['in\n2024. We', '<p>in\n2024. We</p>'],
  ])('lists: %j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(html);
  });

  it('tables, with numbers on the right', () => {
    expect(markdownHtml('Sizes:\n| a | b |\n|---|--:|\n| `x\\|y` | 2 |\n\nend')).toBe(
      '<p>Sizes:</p>\n<table><tr><th>a</th><th class="number">b</th></tr>\n' +
        '<tr><td><code>x|y</code></td><td class="number">2</td></tr></table>\n<p>end</p>',
    );
  });
});

describe('text', () => {
  it.each([
    ['**a *b*** _c_ ~~d~~', '<strong>a <em>b</em></strong> <em>c</em> <del>d</del>'],
    ['***a** b*', '<em><strong>a</strong> b</em>'],
    ['*a **b*', '<em>a **b</em>'],
    ['2 * 3 * 4, snake_case_name, *.ts and *.js', '2 * 3 * 4, snake_case_name, *.ts and *.js'],
    ['`a*b*` ``c ` d`` `e', '<code>a*b*</code> <code>c ` d</code> `e'],
    ['\\*a\\* \\<b>', '*a* &lt;b&gt;'],
    ['[`x` *y*](https://a.b/c_(d))', link('https://a.b/c_(d)', '<code>x</code> <em>y</em>')],
    ['See https://a.b/c_d_e. <https://f.g>', `See ${link('https://a.b/c_d_e')}. ${link('https://f.g')}`],
    ['[me](mailto:a@b.c "t")', link('mailto:a@b.c', 'me')],
    ['[x](javascript:alert(1)) [y](src/y.ts:3)', 'x (javascript:alert(1)) y (src/y.ts:3)'],
    ['[x](data:text/html,<b>)', '[x](data:text/html,&lt;b&gt;)'],
    ['[x](https://a"onclick="b)', 'x (https://a&quot;onclick=&quot;b)'],
    ['![a](https://b.c/d.png)', link('https://b.c/d.png', 'Picture: a')],
    ['<img src=x onerror=y> &amp; "q"', '&lt;img src=x onerror=y&gt; &amp;amp; &quot;q&quot;'],
  ])('%j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(`<p>${html}</p>`);
  });
});

const tag =
  /<(?:\/?(?:p|h[456]|hr|blockquote|pre|code|ul|ol|li|table|tr|th|td|em|strong|del|a|span)|ol start="\d{1,9}"|t[hd] class="number"|span class="(?:added|removed|file|place)"|a href="(?:https?:\/\/|mailto:)[^"'<>\s]+" rel="noopener noreferrer")>/gi;

/** Every tag is one that we write, tags are closed in order, and nothing else could be taken for one. */
function expectOurs(html: string): void {
  const open: string[] = [];
  for (const [written] of html.matchAll(tag)) {
    const name = /\w+/.exec(written)![0];
    if (written.startsWith('</')) expect(open.pop()).toBe(name);
    else if (name !== 'hr') open.push(name);
  }
  expect(open).toEqual([]);
  const rest = html.replaceAll(tag, '');
  expect(rest).not.toMatch(/[<>"']/);
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  expect(rest).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
}

// Signs that mean something, in any order, are more hostile than any list of known tricks.
const hostile = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...' \n\n\t#>-+*_~`|:[]()!<>"\'&\\=/1.0') },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          '```',
          '```diff\n',
          '\n- ',
          '\n  - ',
          '\n1. ',
          '\n> ',
          '|-|-|\n',
          '**',
          '](',
          '![',
          'https://a.b',
          'HTTPS://a',
          'javascript:',
          'data:text/html,',
          'mailto:x',
          '<script>',
          '</pre>',
          ' onerror=x ',
          '&quot;',
          '\u0000',
          '\r\n',
        ),
      },
      { weight: 2, arbitrary: fc.constantFrom('a', 'word', 'é', '漢', '😀') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }) },
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));

it('no text makes a tag or an attribute of its own', () => {
  fc.assert(
    fc.property(hostile, (markdown) => expectOurs(markdownHtml(markdown))),
    { numRuns: 2000 * inject('runFactor') },
  );
});

it('every letter of the text is on the page', () => {
  const letters = (text: string): string => text.replaceAll(/[^a-zé漢]/g, '');
  const words = fc
    .array(fc.constantFrom(...'*_~`[]()!#>-| \n\\', 'a', 'b', 'cd', 'é', '漢', '\n- ', '\n1. ', '\n> ', '\n|-|-|\n'))
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(words, (markdown) => {
      expect(
        letters(
          markdownHtml(markdown)
            .replaceAll(tag, '')
            .replaceAll('Picture: ', '')
            .replaceAll(/&#?\w+;/g, ''),
        ),
      ).toBe(letters(markdown.replaceAll(/```.*/g, '```')));
    }),
    { numRuns: 1000 * inject('runFactor') },
  );
});

it('a long text takes no longer than its length', () => {
  const pieces = [
    '*a ',
    '_a',
    '`',
    '` ``',
    '[',
    '[a](',
    '![',
    '](',
    '\\',
    '> ',
    '- ',
    '1. ',
    '\n- ',
    '\n  ',
    '- a\n\n',
    '#',
    ' ',
    '|',
    '|-',
    '<',
    'h',
    'https://',
    '**a*',
    '~~a ',
    '```\n',
    '```',
    '[](b"',
  ];
  for (const piece of pieces) {
    const text = piece.repeat(200_000 / piece.length);
    const start = performance.now();
    markdownHtml(text);
    expect([piece, performance.now() - start < 5000]).toEqual([piece, true]);
  }
});
