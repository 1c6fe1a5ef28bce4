import { type Frame, frameBelow } from '../screen/frame.ts';
import type { Look } from '../text/look.ts';
import { type AnnouncedState, Announcements } from './announcements.ts';
import type { PromptMarks, Transcript } from './transcript.ts';

/**
 * Columns from which on rows are printed for good. A window is narrower only for a moment, while it is dragged or folded,
 * and what is printed then stays cut to pieces.
 */
const leastPrinted = 10;

/** What one frame of the inline screen prints for good, and what it draws again. */
interface PrintedFrame {
  readonly printed: readonly string[];
  readonly live: Frame;
}

/** The transcript on the inline screen: each row is printed once, when no later text can change it. */
export class PrintedTranscript {
  readonly #transcript: Transcript;
  readonly #marks: PromptMarks | undefined;
  readonly #announcements = new Announcements();

  constructor(transcript: Transcript, marks: PromptMarks | undefined) {
    this.#transcript = transcript;
    this.#marks = marks;
  }

  /** With what stands below it. */
  next(look: Look, height: number, bottom: Frame, state: Omit<AnnouncedState, 'transcript'>): PrintedFrame {
    const transcript = this.#transcript;
    // A screen reader does not wait for a wider window.
    const isTooNarrow = look.width < leastPrinted && look.glyphs !== 'words';
    const printed = isTooNarrow ? [] : transcript.takeFinished(look, this.#marks);
    if (look.glyphs === 'words') {
      const news = this.#announcements.news({ ...state, transcript }, look);
      return { printed: [...printed, ...news], live: bottom };
    }
    const room = Math.max(0, height - bottom.rows.length);
    const rows = transcript.unfinishedRows(look);
    return { printed, live: frameBelow(rows.slice(Math.max(0, rows.length - room)), bottom) };
  }
}
