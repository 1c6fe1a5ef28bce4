import { Silence } from './silence.ts';

/**
 * So long behind its beginning the rest of a sequence is still known. Digits of it would answer a question as keys.
 */
const lateMs = 1000;

/** What a terminal sends: an answer, a report or a key, each complete, or a paste that begins. */
const sent =
  /^\u001B(?:\[(?:[IO]|M[^\u0001-\u001F]{3}|[<=>?]?[\d;:]+[ -/]*[A-Za-z~])|\]\d+;[^\u0007\u001B]*(?:\u0007|\u001B\\)|P[^\u001B]*\u001B\\)$/;
const paste = /^\u001B\[200~/;

/**
 * Knows the rest of a sequence whose beginning was taken for a key, or dropped, because nothing followed in time. Only
 * what comes in one read, and makes the whole of a sequence with that beginning, is its rest. One character alone is a
 * key, and so is everything else: a user who presses Escape and types on loses nothing.
 */
export class LateRest {
  /** Empty: no sequence was given up lately. */
  #begun = '';
  readonly #silence = new Silence(() => this.clear());

  /** The rest of this did not come in time. */
  begin(open: string): void {
    this.#begun = open;
    this.#silence.restart(lateMs);
  }

  /** What is to be read now: a rest with its beginning, or the text as it is. */
  take(text: string): string {
    const whole = this.#begun + text;
    const isRest = this.#begun !== '' && text.length > 1 && (sent.test(whole) || paste.test(whole));
    this.clear();
    return isRest ? whole : text;
  }

  clear(): void {
    this.#silence.stop();
    this.#begun = '';
  }
}
