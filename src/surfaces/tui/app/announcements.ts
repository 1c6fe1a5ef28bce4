import { hintKeys } from '../keys/hint-keys.ts';
import { cleanLine } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { plain } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { FailedTurn, WaitingWords } from './bottom-rows.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

export interface AnnouncedState {
  readonly busy: { readonly header: string; readonly detail?: string } | undefined;
  readonly failed: FailedTurn | undefined;
  readonly waiting: WaitingWords;
  readonly transcript: Transcript;
}

/** For a screen reader: what other screens draw again and again, said once in a line of its own. */
export class Announcements {
  #busy = '';
  #failed: FailedTurn | undefined;
  #waiting: readonly string[] = [];
  readonly #begun = new WeakSet<TranscriptEntry>();

  /** What there is to say since the last time. */
  news({ busy, failed, waiting, transcript }: AnnouncedState, look: Look): readonly string[] {
    const lines: string[] = [];
    const state = busy === undefined ? '' : [busy.header, busy.detail].filter((part) => part !== undefined).join(': ');
    if (state !== this.#busy && state !== '')
      lines.push(`${state}. ${hintKeys(look, 'composer')('Escape')} interrupts.`);
    this.#busy = state;
    if (failed !== this.#failed && failed !== undefined) lines.push(failedWords(failed, look));
    this.#failed = failed;
    const all = [
      ...waiting.steers.map((words) => `For the model's next request: ${words}`),
      ...waiting.refused.map((words) => `For when this has ended: ${words}`),
      ...waiting.queued.map((words) => `Queued: ${words}`),
    ];
    lines.push(...all.filter((words) => !this.#waiting.includes(words)));
    this.#waiting = all;
    const rows = lines.flatMap((line) => wrapRow([plain(cleanLine(line))], { width: look.width }));
    return [...drawRows(rows, look), ...this.#calls(transcript, look)];
  }

  /** What begins to run, by the first row of its cell. An answer is printed as it arrives. */
  #calls(transcript: Transcript, look: Look): readonly string[] {
    return transcript.entries.flatMap((entry) => {
      if (entry.isFinal || entry.stableRows !== undefined || this.#begun.has(entry)) return [];
      this.#begun.add(entry);
      return transcript.rowsOf(entry, look).slice(0, 1);
    });
  }
}

function failedWords({ holdsQueue = false }: FailedTurn, look: Look): string {
  return `R tries again, ${hintKeys(look, 'composer')('Up')} restores the message.${holdsQueue ? ' The queue waits.' : ''}`;
}
