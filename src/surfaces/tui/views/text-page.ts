import { cleanLines } from '../text/clean.ts';
import { ownWords } from '../text/glyphs.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { BrowseAction, BrowseText } from './browse-page.ts';

export interface ShownText {
  readonly title: string;
  /** What the text is, in lines above it. */
  readonly about: readonly string[];
  /** Of any origin. Made when the page is drawn. */
  text(): string;
  readonly actions?: readonly BrowseAction[];
}

/** A text of any origin with what is known about it. Nothing of it is left out, and nothing of it steers the terminal. */
export function textPage({ title, about, text, actions = [] }: ShownText): BrowseText {
  return {
    kind: 'text',
    title,
    rows: (look) => {
      const lines = (from: string): readonly string[] => cleanLines(from).map((line) => line.trimEnd());
      const { width } = look;
      const head = about.flatMap((line) => lines(ownWords(line, look))).map((line): Row => [styled(line, dimStyle)]);
      const body = lines(text()).map((line): Row => [plain(line)]);
      return [...head, ...(head.length === 0 ? [] : [[]]), ...body].flatMap((row) => wrapRow(row, { width }));
    },
    actions,
  };
}
