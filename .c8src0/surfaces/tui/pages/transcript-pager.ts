import type { Look } from '../screen/text/look.ts';
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

/** `redraw` requests a frame that draws more. */
type DrawingParts = { redraw(): void; now(): number };

/** A conversation in a pager, from its end. */
export function transcriptPage(
  transcript: Transcript,
  parts: DrawingParts,
): Pick<PagerOptions, 'drawMore' | 'rows' | 'stops' | 'startsAtEnd'> {
  const rows = new TranscriptRows(transcript, parts);
  return {
    drawMore: (look) => rows.drawMore(look),
    rows: (look) => rows.rows(look),
    stops: (look) => rows.stops(look),
    startsAtEnd: true,
  };
}

/** Milliseconds per frame for drawing rows that are out of sight. */
const budgetMs = 10;

/** All rows of a conversation, drawn in steps from end to beginning, so that a long one is visible at once. */
export class TranscriptRows {
  readonly #transcript: Transcript;
  readonly #parts: DrawingParts;
  #first: TranscriptEntry | undefined;
  #width = 0;

  constructor(transcript: Transcript, parts: DrawingParts) {
    this.#transcript = transcript;
    this.#parts = parts;
  }

  drawMore(look: Look): { readonly added: number; readonly isWhole: boolean } {
    const { entries } = this.#transcript;
    if (this.#width !== look.width) this.#first = undefined;
    this.#width = look.width;
    const until = this.#parts.now() + budgetMs;
    let at = this.#from;
    let added = 0;
    const isFirst = this.#first === undefined;
    let least = isFirst ? 100 : 1;
    while (at > 0 && (least > 0 || this.#parts.now() < until)) {
      at -= 1;
      const { length } = this.#transcript.spacedRows(entries[at]!, look);
      added += length;
      least -= length;
    }
    this.#first = entries[at];
    if (at > 0) this.#parts.redraw();
    return { added: isFirst ? 0 : added, isWhole: at === 0 };
  }

  rows(look: Look): readonly string[] {
    return this.#drawn.flatMap((entry) => this.#transcript.spacedRows(entry, look));
  }

  stops(look: Look): readonly number[] {
    const found: number[] = [];
    let row = 0;
    for (const entry of this.#drawn) {
      // Skip the blank row before it.
      if (entry.prompt !== undefined) found.push(row + 1);
      row += this.#transcript.spacedRows(entry, look).length;
    }
    return found;
  }

  get #from(): number {
    const { entries } = this.#transcript;
    const at = this.#first === undefined ? -1 : entries.indexOf(this.#first);
    return at < 0 ? entries.length : at;
  }

  get #drawn(): readonly TranscriptEntry[] {
    return this.#transcript.entries.slice(this.#from);
  }
}

export function openNewestDetails(stage: TuiScreen): boolean {
  const entry = stage.transcript.entries.findLast(({ opens }) => opens === true);
  if (entry === undefined) return false;
  openPage(stage, { title: 'Details', rows: (look) => entry.cell.rows(look) });
  return true;
}
