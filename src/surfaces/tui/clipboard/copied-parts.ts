/** A part of an answer that can be copied by itself. */
export interface CopiedPart {
  readonly kind: 'answer' | 'code' | 'quote';
  /** Of code: its language, where the answer names it. */
  readonly language?: string;
  readonly text: string;
}

const fence = /^(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/;

/** The whole answer, then each block of code and each quote of it, in their order. */
export function copiedParts(answer: string): readonly CopiedPart[] {
  const parts: CopiedPart[] = [{ kind: 'answer', text: answer.trimEnd() }];
  const lines = answer.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', marks, language = ''] = fence.exec(lines[at]!) ?? [];
    const from = at;
    if (marks !== undefined) {
      at += 1;
      while (at < lines.length && !closes(lines[at]!, marks)) at += 1;
      const code = lines.slice(from + 1, at).map((line) => withoutIndent(line, indent.length));
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

function closes(line: string, marks: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith(marks) && [...trimmed].every((sign) => sign === marks[0]);
}

function withoutIndent(line: string, most: number): string {
  const blanks = line.length - line.trimStart().length;
  return line.slice(Math.min(blanks, most));
}

function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}
