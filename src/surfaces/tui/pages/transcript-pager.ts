import type { TuiScreen } from '../screen/tui-screen.ts';
import type { Transcript, TranscriptEntry } from '../transcript/transcript.ts';
import { openPage, type PagerOptions } from './pager-view.ts';

/** Opens the conversation with all details. Calls `goBack` if the user wants to rewind to an earlier message. */
export function openTranscript({ stage, now }: { readonly stage: TuiScreen; now(): number }, goBack: () => void): void {
  const run = (): void => {
    stage.openPager(undefined);
    goBack();
  };
  const page = transcriptPage(stage.transcript, { now, redraw: () => stage.draw() });
  openPage(stage, { title: 'Transcript', ...page, escape: { does: 'goes back to a message', run } });
}

/** Milliseconds per frame for drawing rows that are out of sight. */
const budgetMs = 10;

/**
 * A conversation in a pager, drawn in steps from end to beginning, so that a long one is visible at once. `redraw`
 * requests a frame that draws more.
 */
export function transcriptPage(
  transcript: Transcript,
  { redraw, now }: { redraw(): void; now(): number },
): Required<Pick<PagerOptions, 'drawMore' | 'rows' | 'stops' | 'startsAtEnd'>> {
  const { entries } = transcript;
  let first: TranscriptEntry | undefined;
  let width = 0;
  const firstIndex = (): number => {
    const at = first === undefined ? -1 : entries.indexOf(first);
    return at < 0 ? entries.length : at;
  };
  const drawn = (): readonly TranscriptEntry[] => entries.slice(firstIndex());
  return {
    startsAtEnd: true,
    drawMore(look) {
      if (width !== look.width) first = undefined;
      width = look.width;
      const until = now() + budgetMs;
      let [at, added] = [firstIndex(), 0];
      const isFirst = first === undefined;
      let least = isFirst ? 100 : 1;
      while (at > 0 && (least > 0 || now() < until)) {
        at -= 1;
        const { length } = transcript.spacedRows(entries[at]!, look);
        added += length;
        least -= length;
      }
      first = entries[at];
      if (at > 0) redraw();
      return { added: isFirst ? 0 : added, isWhole: at === 0 };
    },
    rows: (look) => drawn().flatMap((entry) => transcript.spacedRows(entry, look)),
    stops(look) {
      const found: number[] = [];
      let row = 0;
      for (const entry of drawn()) {
        // Skip the blank row before it.
        if (entry.prompt !== undefined) found.push(row + 1);
        row += transcript.spacedRows(entry, look).length;
      }
      return found;
    },
  };
}

export function openNewestDetails(stage: TuiScreen): boolean {
  const entry = stage.transcript.entries.findLast(({ opens }) => opens === true);
  if (entry === undefined) return false;
  openPage(stage, { title: 'Details', rows: (look) => entry.cell.rows(look) });
  return true;
}
