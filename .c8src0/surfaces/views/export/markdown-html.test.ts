import { describe, expect, it } from 'vitest';
import { markdownHtml } from './markdown-html.ts';

const link = (address: string, words = address): string =>
  `<a href="${address}" rel="noopener noreferrer">${words}</a>`;

describe('blocks', () => {
  it.each([
    ['one\ntwo\n\nthree', '<p>one<br>\ntwo</p>\n<p>three</p>'],
    ['# A *b* ##\n## C\n###### D\n#no', '<h4>A <em>b</em></h4>\n<h5>C</h5>\n<h6>D</h6>\n<p>#no</p>'],
    ['One\n===\nTwo *x*\n---', '<h4>One</h4>\n<h5>Two <em>x</em></h5>'],
    ['<div onclick=x>\n*a*\n</div>', '<p>&lt;div onclick=x&gt;<br>\n<em>a</em><br>\n&lt;/div&gt;</p>'],
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
    ['1. a\n  - b', '<ol><li>a</li></ol>\n<ul><li>b</li></ul>'],
    ['1. a\n   - b\n1. c', '<ol><li>a\n<ul><li>b</li></ul></li>\n<li>c</li></ol>'],
    ['- [ ] a\n- [x] b', '<ul><li>☐ a</li>\n<li>☑ b</li></ul>'],
    ['- a\n  ```\n  x\n\n  y\n  ```', '<ul><li>a\n<pre><code>x\n\ny</code></pre></li></ul>'],
    ['- a\nb\n\nc', '<ul><li>a<br>\nb</li></ul>\n<p>c</p>'],
    ['in\n2024. We', '<p>in<br>\n2024. We</p>'],
  ])('lists: %j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(html);
  });

  it('tables, with numbers on the right', () => {
    expect(markdownHtml('Sizes:\n| a | b |\n|---|--:|\n| `x\\|y` | 2 |\n\nend')).toBe(
      '<p>Sizes:</p>\n<table><tr><th>a</th><th class="number">b</th></tr>\n' +
        '<tr><td><code>x|y</code></td><td class="number">2</td></tr></table>\n<p>end</p>',
    );
  });

  it('tables with a column in the centre, and a short row', () => {
    expect(markdownHtml('| a | b | c |\n|---|:-:|---|\n| 1 | 2 |')).toBe(
      '<table><tr><th>a</th><th class="centre">b</th><th>c</th></tr>\n' +
        '<tr><td>1</td><td class="centre">2</td><td></td></tr></table>',
    );
  });

  it('line breaks in cells, and nowhere else', () => {
    expect(markdownHtml('a<br>b\n\n| a<br/>b |\n|---|\n| **c <br> d**<BR />`<br>` \\<br> &lt;br> |')).toBe(
      '<p>a&lt;br&gt;b</p>\n<table><tr><th>a<br>b</th></tr>\n' +
        '<tr><td><strong>c<br>d</strong><br><code>&lt;br&gt;</code> &lt;br&gt; &lt;br&gt;</td></tr></table>',
    );
  });
});

describe('text', () => {
  it.each([
    ['**a *b*** _c_ ~~d~~', '<strong>a <em>b</em></strong> <em>c</em> <del>d</del>'],
    ['***a** b*', '<em><strong>a</strong> b</em>'],
    ['*a **b*', '*a *<em>b</em>'],
    ['2 * 3 * 4, snake_case_name, *.ts and *.js', '2 * 3 * 4, snake_case_name, *.ts and *.js'],
    ['`a*b*` ``c ` d`` `e', '<code>a*b*</code> <code>c ` d</code> `e'],
    ['\\*a\\* \\<b>', '*a* &lt;b&gt;'],
    ['[`x` *y*](https://a.b/c_(d))', link('https://a.b/c_(d)', '<code>x</code> <em>y</em>')],
    ['See https://a.b/c_d_e. <https://f.g>', `See ${link('https://a.b/c_d_e')}. ${link('https://f.g')}`],
    ['[me](mailto:a@b.c "t")', link('mailto:a@b.c', 'me')],
    ['[x](javascript:alert(1)) [y](src/y.ts:3)', 'x (javascript:alert(1)) y (src/y.ts:3)'],
    ['[x](data:text/html,<b>)', 'x (data:text/html,&lt;b&gt;)'],
    ['[x](https://a"onclick="b)', 'x (https://a&quot;onclick=&quot;b)'],
    ['![a](https://b.c/d.png)', link('https://b.c/d.png', 'Picture: a')],
    ['<img src=x onerror=y> &amp; "q"', '&lt;img src=x onerror=y&gt; &amp; &quot;q&quot;'],
    ['&copy; &#8594; &#x1F600; &unknown; \\&copy;', '© → 😀 &amp;unknown; &amp;copy;'],
    ['&#27;[31m &#x202E; &#0; &shy; &#10;', '&amp;#27;[31m &amp;#x202E; &amp;#0; &amp;shy; &amp;#10;'],
    ['[x](java&#115;cript:alert(1))', 'x (javascript:alert(1))'],
    ['[x](https://a.b/?c=1&amp;d)', link('https://a.b/?c=1&amp;d', 'x')],
    ['<javascript:alert(1)> <data:x>', '&lt;javascript:alert(1)&gt; &lt;data:x&gt;'],
    ['www.a.b x@y.z', `${link('http://www.a.b', 'www.a.b')} ${link('mailto:x@y.z', 'x@y.z')}`],
    ['[![p](q.png)](https://a.b)', link('https://a.b', 'Picture: p')],
  ])('%j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(`<p>${html}</p>`);
  });
});

describe('definitions, wherever they stand', () => {
  it.each([
    [
      '[x][1] [Y]\n\n[1]: https://a.b\n[y]: <https://c.d> "t"',
      `<p>${link('https://a.b', 'x')} ${link('https://c.d', 'Y')}</p>`,
    ],
    ['[x][1]\n\n> [1]: javascript:alert(1)', '<p>x (javascript:alert(1))</p>\n<blockquote></blockquote>'],
    ['[constructor] [x][toString]', '<p>[constructor] [x][toString]</p>'],
    ['[__proto__]\n\n[__proto__]: https://a.b', `<p>${link('https://a.b', '<strong>proto</strong>')}</p>`],
    ['[a]: b\n[a]: c\n\n[a]', '<p>a (b)</p>'],
  ])('%j', (markdown, html) => {
    expect(markdownHtml(markdown)).toBe(html);
  });
});
