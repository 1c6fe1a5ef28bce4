import { endsCode, fenceIn } from '../../../base/markdown/fence.ts';

/** A part of an answer that can be copied by itself. */
export interface CopiedPart {
  readonly kind: 'answer' | 'code' | 'quote';
  /** Of code: its language, where the answer names it. */
  readonly language?: string;
  readonly text: string;
}

/** The whole answer, then each block of code and each quote of it, in their order. */
export function copiedParts(answer: string): readonly CopiedPart[] {
  const parts: CopiedPart[] = [{ kind: 'answer', text: answer.trimEnd() }];
  const lines = answer.split('\n');
  for (let at = 0; at < lines.length; at++) {
    // In an item of a list it stands further to the right.
    const fence = fenceIn(lines[at]!.trimStart());
    const from = at;
    if (fence !== undefined) {
      const [indent, { language }] = [indentOf(lines[at]!), fence];
      at += 1;
      while (at < lines.length && !endsCode(fence, lines[at]!.trimStart())) at += 1;
      const code = lines.slice(from + 1, at).map((line) => line.slice(Math.min(indentOf(line), indent)));
      if (code.length > 0)
        parts.push({ kind: 'code', ...(language === '' ? {} : { language }), text: code.join('\n') });
    } else if (isQuote(lines[at]!)) {
      while (at + 1 < lines.length && isQuote(lines[at + 1]!)) at += 1;
      const quoted = lines.slice(from, at + 1).map((line) => line.replace(/^\s*> ?/, ''));
      parts.push({ kind: 'quote', text: quoted.join('\n') });
    }
  }
  return parts;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}
