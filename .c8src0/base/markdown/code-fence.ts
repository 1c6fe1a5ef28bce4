const start = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

export interface Fence {
  /** At least so many marks end the code. */
  readonly marks: string;
  readonly indent: number;
  readonly language: string;
}

export function readFence(line: string): Fence | undefined {
  const [, blanks = '', marks, info = ''] = start.exec(line.trimEnd()) ?? [];
  return marks === undefined ? undefined : { marks, indent: blanks.length, language: codeFenceLanguage(info) };
}

export const codeFenceLanguage = (info: string): string => info.trim().split(/[\s,{]/, 1)[0] ?? '';

export function closesCodeFence({ marks }: Pick<Fence, 'marks'>, line: string): boolean {
  const found = line.trim();
  return found.length >= marks.length && found.replaceAll(marks[0]!, '') === '' && !/^ {4}/.test(line);
}
