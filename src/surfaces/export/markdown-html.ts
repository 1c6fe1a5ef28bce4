import { visibleText } from '../terminal/visible-text.ts';
import { diffHtml } from './diff-html.ts';
import { escapeHtml } from './escape-html.ts';
import { inlineHtml } from './inline-html.ts';
import { bullet, indentOf, isBlankLine, isRule, readList } from './list-lines.ts';

/**
 * Markdown as HTML: headings, lists, quotes, code, tables, and what `inlineHtml` knows. HTML in it is text like any other.
 * Line breaks stay where they are. Takes time in proportion to the text.
 */
export function markdownHtml(text: string): string {
  return blocksHtml(visibleText(text).split('\n').map(withoutTabs), { depth: 0 });
}

interface Nesting {
  readonly depth: number;
  /** The first paragraph of a list item stands without a tag of its own. */
  readonly isItem?: boolean;
}

interface Block {
  readonly html: string;
  /** The line after it. */
  readonly next: number;
}

type BlockReader = (lines: readonly string[], at: number, depth: number) => Block | undefined;

/** Deeper quotes and lists are shown as text: no reader needs them, and parsing them costs. */
const deepest = 8;

const readers: readonly BlockReader[] = [fenced, heading, rule, quote, list, tableBlock, indented];

function blocksHtml(lines: readonly string[], { depth, isItem = false }: Nesting): string {
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlankLine(lines[at]!)) {
      at++;
      continue;
    }
    const block = firstBlock(lines, at, depth) ?? paragraph(lines, at, isItem && out.length === 0);
    out.push(block.html);
    at = block.next;
  }
  return out.join('\n');
}

function firstBlock(lines: readonly string[], at: number, depth: number): Block | undefined {
  for (const read of readers) {
    const block = read(lines, at, depth);
    if (block !== undefined) return block;
  }
  return undefined;
}

const fence = /^ {0,3}(`{3,}|~{3,}) {0,9}([^`\s]{0,40})[^`]*$/;

function fenced(lines: readonly string[], at: number): Block | undefined {
  const [opening, marks = '', language = ''] = fence.exec(lines[at]!) ?? [];
  if (opening === undefined) return undefined;
  const ends = (line: string): boolean => {
    const text = line.trim();
    return text.length >= marks.length && text === marks[0]!.repeat(text.length) && indentOf(line) < 4;
  };
  let end = at + 1;
  while (end < lines.length && !ends(lines[end]!)) end++;
  const indent = indentOf(opening);
  const code = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))));
  const isDiff = language === 'diff' || language === 'patch';
  return { html: isDiff ? diffHtml(code.join('\n')) : codeHtml(code), next: end + 1 };
}

function indented(lines: readonly string[], at: number): Block | undefined {
  if (indentOf(lines[at]!) < 4) return undefined;
  let end = at;
  while (end < lines.length && indentOf(lines[end]!) >= 4) end++;
  return { html: codeHtml(lines.slice(at, end).map((line) => line.slice(4))), next: end };
}

function codeHtml(lines: readonly string[]): string {
  return `<pre><code>${escapeHtml(lines.join('\n'))}</code></pre>`;
}

const hashes = /^ {0,3}(#{1,6})(?= |$)/;

/** Below the headings of the page. */
function heading(lines: readonly string[], at: number): Block | undefined {
  const line = lines[at]!;
  const [start, signs = ''] = hashes.exec(line) ?? [];
  if (start === undefined) return undefined;
  let text = line.slice(start.length).trim();
  const closing = text.lastIndexOf(' ');
  if (/^#+$/.test(text.slice(closing + 1))) text = text.slice(0, Math.max(0, closing)).trimEnd();
  const level = Math.min(6, signs.length + 3);
  return { html: `<h${level}>${inlineHtml(text)}</h${level}>`, next: at + 1 };
}

function rule(lines: readonly string[], at: number): Block | undefined {
  return isRule(lines[at]!) ? { html: '<hr>', next: at + 1 } : undefined;
}

const quoteMark = /^ {0,3}> ?/;

function quote(lines: readonly string[], at: number, depth: number): Block | undefined {
  if (depth >= deepest || !quoteMark.test(lines[at]!)) return undefined;
  let end = at;
  while (end < lines.length && quoteMark.test(lines[end]!)) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(quoteMark, ''));
  return { html: `<blockquote>${blocksHtml(inner, { depth: depth + 1 })}</blockquote>`, next: end };
}

function list(lines: readonly string[], at: number, depth: number): Block | undefined {
  const found = depth >= deepest ? undefined : readList(lines, at, startsBlock);
  if (found === undefined) return undefined;
  const { items, start, next } = found;
  const html = items.map((item) => `<li>${blocksHtml(item, { depth: depth + 1, isItem: true })}</li>`).join('\n');
  if (start === undefined) return { html: `<ul>${html}</ul>`, next };
  return { html: `<ol${start === 1 ? '' : ` start="${start}"`}>${html}</ol>`, next };
}

const dashes = /^ {0,3}[|:-][-|: ]*$/;

function isTable(lines: readonly string[], at: number): boolean {
  const below = lines[at + 1] ?? '';
  return lines[at]!.includes('|') && below.includes('-') && below.includes('|') && dashes.test(below);
}

function tableBlock(lines: readonly string[], at: number): Block | undefined {
  if (!isTable(lines, at)) return undefined;
  const sides = cells(lines[at + 1]!).map((cell) => cell.length > 1 && cell.endsWith(':') && !cell.startsWith(':'));
  const row = (line: string, tag: 'th' | 'td'): string => {
    const shown = cells(line).map((cell, column) => {
      return `<${tag}${sides[column] === true ? ' class="number"' : ''}>${inlineHtml(cell)}</${tag}>`;
    });
    return `<tr>${shown.join('')}</tr>`;
  };
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes('|')) end++;
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  return { html: `<table>${[row(lines[at]!, 'th'), ...body].join('\n')}</table>`, next: end };
}

/** Those between bars; a bar after a backslash is a part of its cell. */
function cells(line: string): readonly string[] {
  const text = line.trim();
  const inner = text.slice(text.startsWith('|') ? 1 : 0, text.endsWith('|') && !text.endsWith('\\|') ? -1 : undefined);
  return inner
    .replaceAll('\\|', '\u0000')
    .split('|')
    .map((cell) => cell.replaceAll('\u0000', '|').trim());
}

function paragraph(lines: readonly string[], at: number, isBare: boolean): Block {
  let end = at + 1;
  while (end < lines.length && !isBlankLine(lines[end]!) && !startsBlock(lines[end]!) && !isTable(lines, end)) end++;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n');
  // People and models break lines where they want them broken.
  const html = inlineHtml(text).replaceAll('\n', '<br>\n');
  return { html: isBare ? html : `<p>${html}</p>`, next: end };
}

/** Whether the line ends the paragraph above it. A number does so only if it is the first: it may be a part of a sentence. */
function startsBlock(line: string): boolean {
  if ([fence, hashes, quoteMark].some((start) => start.test(line)) || isRule(line)) return true;
  const [, , mark = ''] = bullet.exec(line) ?? [];
  return mark !== '' && (mark.length === 1 || /^1\D/.test(mark));
}

function withoutTabs(line: string): string {
  return line.replace(/^[ \t]*\t/, (blanks) => blanks.replaceAll('\t', '    '));
}
