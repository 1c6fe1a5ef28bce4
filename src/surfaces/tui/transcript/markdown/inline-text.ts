import { valueOr } from '../../../../base/objects.ts';
import type { Inline, InlineText, LinkInline } from '../../../../base/markdown/inline-text.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import type { Look } from '../../screen/text/look.ts';
import { dimStyle, type RowPiece, type Row, type Style } from '../../screen/text/style.ts';

type Places = Pick<Look, 'cwd' | 'home'>;
const linkStyle: Style = { colour: 'accent', underline: true };
const styles: Readonly<Record<Exclude<Inline['kind'], 'link' | 'picture'>, Style>> = {
  text: {},
  code: { colour: 'accent' },
  emphasis: { italic: true },
  strong: { weight: 'bold' },
  strike: { strike: true },
};

/** Marked-up text as lines of pieces, one for each source line. */
export function inlineLines({ parts }: InlineText, places: Places): readonly Row[] {
  const lines: RowPiece[][] = [[]];
  for (const { text, style } of piecesOf(parts, {}, places)) {
    const isPlain = style === undefined || Object.keys(style).length === 0;
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (line !== '') lines.at(-1)!.push(isPlain ? { text: line } : { text: line, style });
    }
  }
  return lines;
}

export const inlineRow = (text: InlineText, places: Places): Row => inlineLines(text, places)[0] ?? [];

function piecesOf(parts: readonly Inline[], around: Style, places: Places): readonly RowPiece[] {
  return parts.flatMap((part) => {
    if (part.kind === 'link' || part.kind === 'picture') return linkPieces(part, around, places);
    const style = { ...styles[part.kind], ...around };
    return 'text' in part ? [{ text: part.text, style }] : piecesOf(part.parts, style, places);
  });
}

function linkPieces({ target, parts, isAddress }: LinkInline, around: Style, places: Places): readonly RowPiece[] {
  const style = { ...linkStyle, ...around };
  const label = piecesOf(parts, style, places);
  if (isAddress) return label;
  const words = label.map(({ text }) => text).join('');
  const shown = parseLinkTarget(target, places);
  // The name of a file adds nothing to its path.
  if (shown.kind === 'file' && !/\s/.test(words.trim())) return [{ text: shown.text, style }];
  if (shown.kind === 'none' || words === shown.text) return label;
  return [...label, { text: words === '' ? shown.text : ` (${shown.text})`, style: { ...dimStyle, ...around } }];
}

export type LinkTarget =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string }
  | { readonly kind: 'none' };

export function parseLinkTarget(target: string, look: Pick<Look, 'cwd' | 'home'>): LinkTarget {
  if (target === '' || target.startsWith('#')) return { kind: 'none' };
  // A scheme of one letter is a Windows drive.
  const isAddress = /^[a-z][a-z0-9+.-]+:/i.test(target) && !/^file:/i.test(target);
  if (isAddress && !/^[\w.-]+\.\w+:\d/.test(target)) return { kind: 'address', text: cleanLine(target) };
  const [path = '', ...hash] = target.replace(/^file:(?:\/\/)?/i, '').split('#');
  return { kind: 'file', text: `${shownPath(decoded(path), look)}${lineWords(hash.join('#'))}` };
}

/** Converts `#L10`, `#L10-L20`, `#L10C3` and `#10-20` to `:10` or `:10-20`. */
function lineWords(hash: string): string {
  const [, from, to] = /^L?(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?$/.exec(hash) ?? [];
  if (from === undefined) return hash === '' ? '' : `#${cleanLine(hash)}`;
  return to === undefined || to === from ? `:${from}` : `:${from}-${to}`;
}

function decoded(path: string): string {
  return valueOr(path, () => decodeURIComponent(path));
}
