import { hintKeys } from '../keys/hint-keys.ts';
import { cleanLine } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { plain } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { FailedTurn, WaitingWords } from './bottom-rows.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

export interface AnnouncedState {
  readonly busy: { readonly header: string; readonly detail?: string; readonly since: number } | undefined;
  readonly failed: FailedTurn | undefined;
  readonly waiting: WaitingWords;
  readonly transcript: Transcript;
}

/** So long the words of the user may take to be in the transcript. */
const heldMs = 1000;

/** For a screen reader: what other screens draw again and again, said once in a line of its own. */
export class Announcements {
  #busy = '';
  /** Of the transcript while nothing ran. */
  #newest: TranscriptEntry | undefined;
  #failed: FailedTurn | undefined;
  #waiting: readonly string[] = [];
  readonly #begun = new WeakSet<TranscriptEntry>();

  /** What there is to say since the last time. */
  news({ busy, failed, waiting, transcript }: AnnouncedState, look: Look): readonly string[] {
    const lines: string[] = [];
    const newest = transcript.entries.at(-1);
    // What the user said comes before what is done about it.
    const isEarly = busy !== undefined && this.#busy === '' && newest === this.#newest;
    const isHeld = isEarly && look.now - busy.since < heldMs;
    if (busy === undefined) this.#newest = newest;
    const state =
      busy === undefined || isHeld ? '' : [busy.header, busy.detail].filter((part) => part !== undefined).join(': ');
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
