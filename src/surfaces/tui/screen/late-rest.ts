import { Silence } from './silence.ts';

/**
 * So long behind its beginning the rest of a sequence is still known. Digits of it would answer a question as keys.
 */
const lateMs = 1000;

/** An answer, a report or a mark, complete or begun beyond doubt. */
const answer = /^\u001B(?:\[(?:[IO]$|M[^\u0001-\u001F]{3}|[<=>?]?[\d;:]+[ -/]*[A-Za-z~])|\]\d+;|P[\d!$>|])/;
/** One that was dropped in the middle of its text, up to its end. */
const droppedAnswer = /^\u001B[\]P][^\u0007\u001B]*(?:\u0007|\u001B\\)/;
const isText = /^\u001B[\]P]./;
/** What may become an answer with more. */
const beginning = /^\u001B(?:\]\d*|P|\[(?:M[^\u0001-\u001F]{0,2}|[<=>?]?[\d;:]*))$/;

/**
 * Knows the rest of a sequence whose beginning was taken for a key, or dropped, because nothing followed in time. What
 * comes in one go and makes an answer of the terminal with that beginning is its rest. One character alone is a key: so a
 * user who presses Escape and types on loses nothing.
 */
export class LateRest {
  /** Empty: no sequence was given up lately. */
  #begun = '';
  #held = '';
  readonly #silence = new Silence(() => this.forget());

  /** The rest of this did not come in time. */
  begin(open: string): void {
    this.forget();
    this.#begun = open;
    this.#silence.restart(lateMs);
  }

  /** What is to be read now: a rest with its beginning, or the text as it is. Undefined: it is held for what may follow. */
  take(text: string): string | undefined {
    const rest = this.#held + text;
    const whole = this.#begun + rest;
    if (this.#begun === '') return rest;
    const form = isText.test(this.#begun) ? droppedAnswer : answer;
    if (form === answer && beginning.test(whole)) {
      this.#held = rest;
      return undefined;
    }
    this.forget();
    return rest.length > 1 && form.test(whole) ? whole : rest;
  }

  /** What is held was typed. More of a sequence that comes in slow pieces may still follow. */
  release(): string {
    const held = this.#held;
    if (this.#begun !== '') this.#begun += held;
    this.#held = '';
    return held;
  }

  get holds(): boolean {
    return this.#held !== '';
  }

  /** Something else was typed. What is held stays. */
  forget(): void {
    this.#silence.stop();
    this.#begun = '';
  }

  clear(): void {
    this.forget();
    this.#held = '';
  }
}
