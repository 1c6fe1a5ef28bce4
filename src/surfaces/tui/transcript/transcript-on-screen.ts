import type { FailedTurn, WaitingWords } from '../screen/bottom-frame.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { cutRow, drawRow, drawRows, filledRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapIn } from '../screen/text/wrap-row.ts';
import { type Frame, frameBelow } from '../screen/view.ts';
import type { PromptMarks, Transcript, TranscriptEntry } from './transcript.ts';

/** Narrower windows print nothing for good: windows are so narrow only while dragged, and rows would stay cut up. */
const leastPrinted = 10;

/** The transcript on the inline screen: each row is printed once, when no later text can change it. */
export class PrintedTranscript {
  readonly #transcript: Transcript;
  readonly #marks: PromptMarks | undefined;
  readonly #announcements = new TranscriptAnnouncements();

  constructor(transcript: Transcript, marks: PromptMarks | undefined) {
    this.#transcript = transcript;
    this.#marks = marks;
  }

  next(look: Look, height: number, bottom: Frame, state: Omit<AnnouncedState, 'transcript'>) {
    const transcript = this.#transcript;
    // A screen reader does not wait for a wider window.
    const isTooNarrow = look.width < leastPrinted && look.glyphs !== 'words';
    const printed = isTooNarrow ? [] : transcript.takeFinished(look, this.#marks);
    if (look.glyphs === 'words')
      return { printed: [...printed, ...this.#announcements.news({ ...state, transcript }, look)], live: bottom };
    const room = Math.max(0, height - bottom.rows.length);
    const rows = transcript.unfinishedRows(look);
    return { printed, live: frameBelow(rows.slice(Math.max(0, rows.length - room)), bottom) };
  }
}

export interface AnnouncedState {
  readonly busy: { readonly header: string; readonly detail?: string; readonly since: number } | undefined;
  readonly failed: FailedTurn | undefined;
  readonly waiting: WaitingWords;
  readonly transcript: Transcript;
}

/** Announcements of work wait at most this long for the user's words to reach the transcript. */
const heldMs = 1000;

/** For a screen reader: reports once, in lines of their own, what other screens redraw. */
export class TranscriptAnnouncements {
  #busy = '';
  /** Last entry of the transcript while nothing ran. */
  #newest: TranscriptEntry | undefined;
  #failed: FailedTurn | undefined;
  #waiting: readonly string[] = [];
  readonly #begun = new WeakSet<TranscriptEntry>();

  news({ busy, failed, waiting, transcript }: AnnouncedState, look: Look): readonly string[] {
    const lines: string[] = [];
    const newest = transcript.entries.at(-1);
    // Announce the user's message before the work on it.
    const isEarly = busy !== undefined && this.#busy === '' && newest === this.#newest;
    const isHeld = isEarly && look.now - busy.since < heldMs;
    if (busy === undefined) this.#newest = newest;
    const shown = isHeld ? undefined : busy;
    const state = [shown?.header, shown?.detail].filter((part) => part !== undefined).join(': ');
    if (state !== this.#busy && state !== '')
      lines.push(`${state}. ${hintKeyMapper(look, 'composer')('Escape')} interrupts.`);
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
    const rows = lines.flatMap((line) => wrapIn(look, [plain(cleanLine(line))]));
    return [...drawRows(rows, look), ...this.#calls(transcript, look)];
  }

  #calls(transcript: Transcript, look: Look): readonly string[] {
    return transcript.entries.flatMap((entry) => {
      if (entry.isFinal || entry.stableRows !== undefined || this.#begun.has(entry)) return [];
      this.#begun.add(entry);
      return transcript.rowsOf(entry, look).slice(0, 1);
    });
  }
}

const failedWords = ({ holdsQueue = false }: FailedTurn, look: Look): string =>
  `R tries again, ${hintKeyMapper(look, 'composer')('Up')} restores the message.${holdsQueue ? ' The queue waits.' : ''}`;

/** With fewer rows in sight, the message that they answer is not pinned above them. */
const leastPinned = 5;

export class ScrolledTranscript {
  readonly #transcript: Transcript;
  #back = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  scroll(rows: number, look: Look): void {
    this.#back = Math.max(0, this.#transcript.rowCount(look, Math.max(0, this.#back + rows) + 1) - 1);
  }

  toEnd(): void {
    this.#back = 0;
  }

  frame(look: Look, height: number, bottom: Frame): Frame {
    const room = Math.max(0, height - bottom.rows.length);
    const rows = this.#transcript.lastRows(look, room, this.#back);
    const prompt = room < leastPinned ? undefined : this.#transcript.promptAbove(look, room, this.#back);
    return frameBelow(prompt === undefined ? rows : [pinnedRow(prompt, look), ...rows.slice(1)], bottom);
  }
}

function pinnedRow(prompt: string, look: Look): string {
  const row: Row = [styled(`${glyphsOf(look).prompt} ${cleanLine(prompt.slice(0, 1000))}`, dimStyle)];
  return drawRow(filledRow(cutRow(row, look.width, look), look.width, { back: 'tint' }), look);
}
