import { invisibleClass, isJoining } from '../../base/invisible.ts';
import { lookalikePlaces } from './lookalikes.ts';
import { signOf } from './visible-text.ts';

/** Most lines are this. */
const plain = /^[\n\t -~]*$/;
/** What a sign looks like. Where it stands in a text itself, it must not pass for one. */
const looksLikeSign = /<(?=U\+[\dA-F]{4,6}>)/g;

/**
 * A text that the user is asked to allow, with a sign for every character that an eye could miss or take for another:
 * those that `visibleText` shows, and joiners, selectors, blanks that are no space, and letters that are written in two
 * ways, and letters of other scripts that look like ASCII (`lookalikes.ts`; `words`: a command, a path or the like).
 * Joiners and selectors stay only inside a picture that Unicode lists, and between letters of a script that needs
 * them. Two texts are never shown the same. Newline and tab stay.
 */
export function exactText(text: string, kind: 'words' | 'prose' = 'prose'): string {
  if (plain.test(text)) return text.includes('<U+') ? text.replaceAll(looksLikeSign, signOf) : text;
  const kept = keptPlaces(text);
  const alike = lookalikePlaces(text, kind);
  const isComposed = text.normalize('NFC') === text;
  let [shown, tail] = ['', ''];
  let at = 0;
  for (const sign of text) {
    const isShown = kept.has(at) || (isSeen(sign) && (isComposed || isOneSpelling(tail, sign)));
    const isMisread = sign === '<' && /^U\+[\dA-F]{4,6}>/.test(text.slice(at + 1, at + 10));
    shown += isShown && !isMisread && !alike.has(at) ? sign : signOf(sign);
    tail = isShown ? (tail + sign).slice(-16) : '';
    at += sign.length;
  }
  return shown;
}

/** The same in one line, with a sign for blanks at its end. */
export function exactLine(text: string, kind: 'words' | 'prose' = 'prose'): string {
  return exactText(text, kind)
    .replaceAll(/[\n\t]/g, signOf)
    .replace(/ +$/, (blanks) => '\u2420'.repeat(blanks.length));
}

/** Where joiners and selectors are part of what is seen. */
function keptPlaces(text: string): ReadonlySet<number> {
  const kept = new Set<number>();
  if (!/[\u200C\u200D]|\uFE0F/u.test(text)) return kept;
  // Made here: few texts need these, and properties take long to read.
  for (const { 0: picture, index } of text.matchAll(/\p{RGI_Emoji}/gv))
    for (const { index: at } of picture.matchAll(/\u200D|\uFE0F/g)) kept.add(index + at);
  for (const { index } of text.matchAll(/[\u200C\u200D]/g)) {
    const [next = ''] = text.slice(index + 1, index + 3);
    if (isJoining(text.slice(Math.max(0, index - 2), index)) && isJoining(next)) kept.add(index);
  }
  return kept;
}

let unseen: RegExp | undefined;

/** Whether it has a shape of its own, and is no sign of ours. U+2800 is a blank, too. */
function isSeen(sign: string): boolean {
  unseen ??= new RegExp(String.raw`[${invisibleClass}\p{Cn}\p{Z}\u2400-\u2421\u2800]`, 'u');
  return /[\n\t -~]/.test(sign) || !unseen.test(sign);
}

/** Whether no other characters are drawn like it behind what stands before: an accent and its letter have two spellings. */
function isOneSpelling(before: string, sign: string): boolean {
  const all = before + sign;
  return all.normalize('NFC') === all;
}
