import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { BrowseList } from './browse-page.ts';

export interface Confirmation {
  readonly title: string;
  /** What will happen, in sentences. */
  readonly about: readonly string[];
  readonly yes: string;
  readonly no: string;
  /** Called once, with what was chosen. */
  decide(isYes: boolean): void;
}

/** Asks whether something is meant. No is chosen first, so that no key pressed twice says yes. */
export function confirmPage({ title, about, yes, no, decide }: Confirmation): BrowseList {
  const answers = [no, yes];
  return {
    kind: 'list',
    title,
    head: ({ width }) => [...about.flatMap((line) => wrapRow([styled(line, dimStyle)], { width })), []],
    length: answers.length,
    enter: 'chooses',
    isNumbered: true,
    row: (index): Row => [plain(`${index + 1}. ${answers[index]!}`)],
    open(index) {
      decide(index === 1);
      return undefined;
    },
  };
}
