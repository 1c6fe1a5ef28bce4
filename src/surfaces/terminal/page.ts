import { paint, type Span, wantsColor } from './look.ts';
import { wrap } from './wrap.ts';
import { terminalWidth } from './terminal-width.ts';

/** How standard output shows a page for people: tables and bars fit its width. */
export interface PageForm {
  readonly width: number;
  /** Of sentences, and of tables whose texts are worth more than their form. In a file or a pipe there is no limit. */
  readonly proseWidth: number;
  readonly color: boolean;
}

/** At most 120 columns, however wide the terminal is; a file or a program gets 100 and no colours. */
export function pageForm(stream: NodeJS.WriteStream = process.stdout): PageForm {
  const width = Math.min(120, Math.max(60, terminalWidth(stream) ?? 100));
  return { width, proseWidth: stream.isTTY ? width : Infinity, color: wantsColor(stream, 'auto') };
}

/** Writes a page to standard output. Only its own looks reach a terminal: `paint` makes everything else visible. */
export function printPage(spans: readonly Span[], { color }: PageForm): void {
  process.stdout.write(paint(spans, color));
}

/** Sentences, each line broken between words where it is too long. Each begins with `indent`. */
export function prose(text: string, { proseWidth }: PageForm, indent = ''): string {
  const lines = wrap(text, proseWidth - indent.length);
  return lines.map((line) => `${indent}${line}\n`).join('');
}
