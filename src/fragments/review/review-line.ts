import { controlClass } from '../../base/invisible.ts';
import { gap, jsonEscape, many, toTheEye } from '../text/markup.ts';
import { cutText } from '../text/cut-text.ts';
import { byteLength, bytesPerToken } from '../text/truncate.ts';

/** JSON on one line in which none of our tags can stand and no line can end. It reads as the same value. */
export function reviewLine(value: unknown): string {
  const tag = `<(?=${gap}${many}(?:/${gap}${many})?(?:${toTheEye('transcript')}|${toTheEye('action')})\\b)`;
  pattern ??= new RegExp(`${tag}|[${controlClass}]`, 'giu');
  return JSON.stringify(value).replace(pattern, jsonEscape);
}

let pattern: RegExp | undefined;

export interface CutLine {
  readonly line: string;
  readonly isCut: boolean;
}

/** The line that a text gives, with so much cut out of the text that the line fits. Marks say how much is missing. */
export function cutLine(text: string, tokens: number, lineOf: (text: string) => unknown): CutLine {
  const most = tokens * bytesPerToken;
  for (let space = tokens; ;) {
    const short = cutText(text, space);
    const line = reviewLine(lineOf(short));
    const bytes = byteLength(line);
    // Marks stay however small the space is.
    if (bytes <= most || space === 0) return { line, isCut: short !== text };
    space = Math.max(0, Math.min(space - 1, Math.floor((space * most) / bytes) - 1));
  }
}
