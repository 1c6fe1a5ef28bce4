import { type MarkdownBlock, LinkDefinitions, type TableBlock } from '../../../base/markdown/blocks.ts';
import type { Inline, InlineText, LinkInline } from '../../../base/markdown/inline-text.ts';
import { MarkdownReader } from '../../../base/markdown/markdown-reader.ts';
import { visibleText } from '../terminal/visible-text.ts';

/** Embedded HTML stays text, every character is escaped, only web and mail addresses are links. Keeps line breaks. */
export function markdownHtml(text: string): string {
  const blocks: MarkdownBlock[] = [];
  const reader = new MarkdownReader((block) => blocks.push(block), new LinkDefinitions('all'));
  for (const line of visibleText(text).split('\n'))
    reader.line(line.replace(/^[ \t]*\t/, (blanks) => blanks.replaceAll('\t', '    ')));
  reader.end();
  return blocksHtml(blocks);
}

function blocksHtml(blocks: readonly MarkdownBlock[]): string {
  const out: string[] = [];
  for (let at = 0, end = 0; at < blocks.length; at = end) {
    for (end = at + 1; blocks[end]?.isContinued === true;) end += 1;
    out.push(blockHtml(blocks.slice(at, end)));
  }
  return out.filter((html) => html !== '').join('\n');
}

function blockHtml(parts: readonly MarkdownBlock[]): string {
  const [first] = parts as readonly [MarkdownBlock];
  switch (first.kind) {
    case 'paragraph':
      return `<p>${linesHtml(parts)}</p>`;
    case 'heading': {
      // Below the headings of the page.
      const level = Math.min(6, first.level + 3);
      return `<h${level}>${wordsHtml(first.words)}</h${level}>`;
    }
    case 'code': {
      const code = parts.flatMap((part) => (part.kind === 'code' ? part.lines : [])).join('\n');
      const isDiff = first.language === 'diff' || first.language === 'patch';
      return isDiff ? diffHtml(code) : `<pre><code>${escapeHtml(code)}</code></pre>`;
    }
    case 'rule':
      return '<hr>';
    case 'quote':
      return `<blockquote>${blocksHtml(first.blocks)}</blockquote>`;
    case 'item': {
      const items = parts.map(itemHtml).join('\n');
      if (first.number === undefined) return `<ul>${items}</ul>`;
      return `<ol${first.number === 1 ? '' : ` start="${first.number}"`}>${items}</ol>`;
    }
    case 'table':
      return tableHtml(first);
    case 'definition':
      return '';
  }
}

/** The first paragraph of a list item gets no tag. */
function itemHtml(item: MarkdownBlock): string {
  if (item.kind !== 'item') return '';
  const { blocks, task } = item;
  const box = task === undefined ? '' : task === 'done' ? '☑ ' : '☐ ';
  const bare = blocks[0]?.kind === 'paragraph' ? 1 : 0;
  const html = [linesHtml(blocks.slice(0, bare)), blocksHtml(blocks.slice(bare))].filter((part) => part !== '');
  return `<li>${box}${html.join('\n')}</li>`;
}

const alignmentClass = { left: '', right: ' class="number"', centre: ' class="centre"' } as const;

function tableHtml({ header, alignments, rows }: TableBlock): string {
  const row = (cells: readonly InlineText[], tag: 'th' | 'td'): string => {
    const shown = cells.map((cell, column) => {
      const words = wordsHtml(cell).replaceAll('\n', '<br>');
      return `<${tag}${alignmentClass[alignments[column] ?? 'left']}>${words}</${tag}>`;
    });
    return `<tr>${shown.join('')}${'<td></td>'.repeat(header.length - cells.length)}</tr>`;
  };
  return `<table>${[row(header, 'th'), ...rows.map((cells) => row(cells, 'td'))].join('\n')}</table>`;
}

/** Line breaks of people and models are intentional. */
function linesHtml(paragraphs: readonly MarkdownBlock[]): string {
  const texts = paragraphs.map((part) => (part.kind === 'paragraph' ? wordsHtml(part.words) : ''));
  return texts.join('\n').replaceAll('\n', '<br>\n');
}

const wordsHtml = ({ parts }: InlineText): string => inlineHtml(parts, false);

const inlineHtml = (parts: readonly Inline[], isInLink: boolean): string =>
  parts.map((part) => partHtml(part, isInLink)).join('');

const inlineTags = { emphasis: 'em', strong: 'strong', strike: 'del' } as const;

function partHtml(part: Inline, isInLink: boolean): string {
  switch (part.kind) {
    case 'text':
      return escapeHtml(part.text);
    case 'code':
      return `<code>${escapeHtml(part.text)}</code>`;
    case 'link':
    case 'picture':
      return linkHtml(part, isInLink);
    default: {
      const tag = inlineTags[part.kind];
      return `<${tag}>${inlineHtml(part.parts, isInLink)}</${tag}>`;
    }
  }
}

const safeAddress = /^(?:https?:\/\/|mailto:)[^\s"'<>`\\]+$/i;

/** The target of a link does not learn where the reader came from. */
function linkHtml({ kind, target, parts, isAddress }: LinkInline, isInLink: boolean): string {
  const words = (kind === 'picture' ? 'Picture: ' : '') + inlineHtml(parts, true);
  if (isInLink) return words;
  if (safeAddress.test(target)) return `<a href="${escapeHtml(target)}" rel="noopener noreferrer">${words}</a>`;
  return isAddress ? words : `${words} (${escapeHtml(target)})`;
}

export function diffHtml(text: string): string {
  const lines = text.split('\n').map((line) => {
    const kind = kinds.find(([start]) => start.test(line))?.[1];
    return kind === undefined ? escapeHtml(line) : `<span class="${kind}">${escapeHtml(line)}</span>`;
  });
  return `<pre>${lines.join('\n')}</pre>`;
}

const kinds = [
  [/^(?:\*{3} |diff |index |--- |\+{3} )/, 'file'],
  [/^@@/, 'place'],
  [/^\+/, 'added'],
  [/^-/, 'removed'],
] as const;

/** Escapes text for use between tags or in a quoted attribute. The caller handles hidden characters. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => signs.get(sign)!);
const signs = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }));
