// @module-tag attack
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { anyCharacter, expectLinear } from '../../src/testing/test-inputs.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { exportPage } from '../../src/surfaces/views/export/export-page.ts';
import { threadHtml } from '../../src/surfaces/views/export/html.ts';
import { markdownHtml } from '../../src/surfaces/views/export/markdown-html.ts';

const names =
  'html|head|body|header|main|title|style|meta|section|article|details|summary|div|dl|dt|dd|small|img|h[1-6]|' +
  'p|hr|blockquote|pre|code|ul|ol|li|table|tr|th|td|em|strong|del|a|span|br';
/** Tags with attributes, as we write them. The values that a thread decides are held to a form. */
const withAttributes = [
  '!doctype html',
  'html lang="en"',
  'meta charset="utf-8"',
  'meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:"',
  'meta name="viewport" content="width=device-width, initial-scale=1"',
  'section id="turn-\\d+"(?: class="taken-back")?',
  'a href="#turn-\\d+"',
  'article class="(?:user|assistant|call|checkpoint)"',
  'div class="text"',
  'p class="facts"',
  'small class="bad"',
  'pre class="output(?: bad)?"',
  'img alt="" src="data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*"',
  'ol start="\\d{1,9}"',
  't[hd] class="number"',
  'span class="(?:added|removed|file|place)"',
  'a href="(?:https?://|mailto:)[^"\'<>\\s]+" rel="noopener noreferrer"',
].join('|');
const tag = new RegExp(`<(?:/?(?:${names})|${withAttributes})>`, 'gi');
const empty = new Set(['meta', 'img', 'hr', 'br', 'doctype']);

/** Every tag is one that we write, tags are closed in order, and nothing else could be taken for one. */
function expectOurs(html: string): void {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [written] of html.matchAll(tag)) {
    const name = /\w+/.exec(written)![0];
    if (!written.startsWith('</')) open.push(...(empty.has(name) ? [] : [name]));
    else if (open.pop() !== name) wrong.push(written);
  }
  expect([open, wrong]).toEqual([[], []]);
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
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3 }) },
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

it('no part of a thread does so in the whole page', () => {
  fc.assert(
    fc.property(fc.func(hostile), (textOf) => {
      let count = 0;
      const text = (): string => textOf(count++);
      const html = threadHtml(exportPage({ id: text(), name: text() }, hostileLines(text)));
      // The style is ours, and says nothing about a thread.
      expectOurs(html.replace(/(<style>)[^<]*(<\/style>)/, '$1$2'));
    }),
    { numRuns: 200 * inject('runFactor') },
  );
});

/** Every field that reaches the page, whoever wrote the file. */
function hostileLines(text: () => string): readonly Line[] {
  const line = (type: string, payload: JsonObject): Line => ({ timestamp: text(), type, payload });
  const item = (payload: JsonObject): Line => line('response_item', payload);
  const call = (form: JsonObject, output: string): readonly Line[] => {
    const id = text();
    return [item({ ...form, call_id: id }), item({ type: 'function_call_output', call_id: id, output })];
  };
  const picture = { type: 'input_image', image_url: text() };
  return [
    line('session_meta', { id: text(), timestamp: text(), cwd: text(), originator: text(), forked_from_id: text() }),
    line('event_msg', { type: 'task_started', turn_id: 'a' }),
    line('turn_context', { turn_id: 'a', cwd: text(), model: text(), effort: text(), approval_policy: text() }),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: text() }, picture] }),
    item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: text() }] }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: text() }] }),
    item({ type: 'message', role: 'assistant', phase: text(), content: [{ type: 'output_text', text: text() }] }),
    ...call({ type: 'function_call', name: text(), arguments: JSON.stringify({ cmd: text() }) }, text()),
    ...call({ type: 'function_call', name: text(), arguments: text() }, `Exit code: 3\nOutput:\n${text()}`),
    ...call({ type: 'custom_tool_call', name: 'apply_patch', input: text() }, `diff --git ${text()}`),
    line('compacted', { message: text() }),
    line('event_msg', { type: 'task_complete', turn_id: 'a', error: { message: text() } }),
  ];
}

/** True if all letters of one text are in the other, in the same order. */
function isWithin(one: string, other: string): boolean {
  let at = -1;
  return [...one].every((letter) => (at = other.indexOf(letter, at + 1)) >= 0);
}

it('every letter of the text is on the page', { tags: 'representative' }, () => {
  const letters = (text: string): string => text.replaceAll(/[^a-zé漢]/g, '');
  const words = fc
    .array(fc.constantFrom(...'*_~`[]()!#>-| \n\\', 'a', 'b', 'cd', 'é', '漢', '\n- ', '\n1. ', '\n> ', '\n|-|-|\n'))
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(words, (markdown) => {
      const page = markdownHtml(markdown)
        .replaceAll(tag, '')
        .replaceAll('Picture: ', '')
        .replaceAll(/&#?\w+;/g, '');
      // The language behind a fence is not shown; what only looks like a fence is text.
      expect(isWithin(letters(markdown.replaceAll(/```.*/g, '```')), letters(page))).toBe(true);
      expect(isWithin(letters(page), letters(markdown))).toBe(true);
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
    expectLinear(25_600, (length) => markdownHtml(piece.repeat(length / piece.length)));
  }
});
