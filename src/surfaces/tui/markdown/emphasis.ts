import type { Style } from '../text/style.ts';

/** A part of a line of text while its marks are sorted out. */
export interface InlinePart {
  text: string;
  style: Style;
}

/** A run of `*`, `_` or `~` that may begin or end something. */
export interface Delimiter {
  readonly part: InlinePart;
  readonly index: number;
  readonly sign: string;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  count: number;
}

/** More of them are no prose. */
const mostDelimiters = 2000;

/** Gives the parts between runs that belong together their style, and takes those runs out of the text. */
export function applyEmphasis(parts: readonly InlinePart[], delimiters: Delimiter[]): void {
  if (delimiters.length > mostDelimiters) return;
  const bottoms = new Map<string, number>();
  for (let at = 0; at < delimiters.length; at += 1) {
    const closer = delimiters[at]!;
    while (closer.canClose && closer.count > 0) {
      const opener = openerFor(delimiters, at, bottoms.get(closer.sign) ?? 0);
      if (opener < 0) {
        bottoms.set(closer.sign, at);
        break;
      }
      const start = delimiters[opener]!;
      const taken = start.count >= 2 && closer.count >= 2 ? 2 : 1;
      for (let between = start.index + 1; between < closer.index; between += 1) {
        const part = parts[between]!;
        part.style = { ...part.style, ...styleOf(closer.sign, taken) };
      }
      for (const each of [start, closer]) {
        each.count -= taken;
        each.part.text = each.sign.repeat(each.count);
      }
      // What began between the two and did not end is text.
      for (let between = opener + 1; between < at; between += 1) delimiters[between]!.count = 0;
    }
  }
}

function openerFor(delimiters: readonly Delimiter[], closer: number, bottom: number): number {
  const { sign, count } = delimiters[closer]!;
  for (let at = closer - 1; at >= bottom; at -= 1) {
    const each = delimiters[at]!;
    if (each.sign !== sign || !each.canOpen || each.count === 0) continue;
    // A strike has the same number on both sides.
    if (sign !== '~' || (each.count === count && count <= 2)) return at;
  }
  return -1;
}

function styleOf(sign: string, taken: number): Style {
  if (sign === '~') return { strike: true };
  return taken === 2 ? { weight: 'bold' } : { italic: true };
}

/** Whether a run may begin or end something, by the signs around it. */
export function flanks(before: string, after: string, sign: string): Pick<Delimiter, 'canOpen' | 'canClose'> {
  const [isBlankBefore, isBlankAfter] = [isBlank(before), isBlank(after)];
  const [isSignBefore, isSignAfter] = [isPunctuation(before), isPunctuation(after)];
  const left = !isBlankAfter && (!isSignAfter || isBlankBefore || isSignBefore);
  const right = !isBlankBefore && (!isSignBefore || isBlankAfter || isSignAfter);
  if (sign !== '_') return { canOpen: left, canClose: right };
  return { canOpen: left && (!right || isSignBefore), canClose: right && (!left || isSignAfter) };
}

function isBlank(sign: string): boolean {
  return sign === '' || /\s/.test(sign);
}

function isPunctuation(sign: string): boolean {
  return /[!-/:-@[-`{-~\u00A1-\u00BF\u2010-\u2027\u2030-\u205E\u3001-\u3003\u3008-\u3011\uFF01-\uFF0F\uFF1A-\uFF20]/.test(
    sign,
  );
}
