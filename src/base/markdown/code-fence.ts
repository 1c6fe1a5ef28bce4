const start = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** The line before code, as it opens. */
export interface Fence {
  /** So many marks, or more, end the code. */
  readonly marks: string;
  readonly indent: number;
  /** May be empty. */
  readonly language: string;
}

export function readFence(line: string): Fence | undefined {
  const [, blanks = '', marks, info = ''] = start.exec(line.trimEnd()) ?? [];
  return marks === undefined ? undefined : { marks, indent: blanks.length, language: languageOf(info) };
}

/** The first word of what stands behind a fence. */
export function languageOf(info: string): string {
  return info.trim().split(/[\s,{]/, 1)[0] ?? '';
}

export function endsCode({ marks }: Pick<Fence, 'marks'>, line: string): boolean {
  const found = line.trim();
  return found.length >= marks.length && found.replaceAll(marks[0]!, '') === '' && !/^ {4}/.test(line);
}
