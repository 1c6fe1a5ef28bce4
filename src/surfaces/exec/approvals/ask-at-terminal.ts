import { valueOrAbort } from '../../../protocol/abort.ts';
import type { Answer, Question, UserQuestion } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import {
  type Choice,
  choiceLines,
  choicesFor,
  fieldChoices,
  fillForm,
  pressKeyText,
  singleFormField,
} from '../../views/questions/question-choices.ts';
import { questionLines } from '../../views/questions/question-lines.ts';
import { bold, dim, type Span } from '../../views/terminal/styled-text.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { type ApprovalAnswerer, AskedItems } from './approvals.ts';

export interface TerminalParts extends KeyboardParts {
  show(...spans: readonly Span[]): void;
  width(): number;
  /** Shows the typed text in a line that is overwritten; undefined removes it. Absent: the terminal echoes. */
  readonly typing?: (text: string | undefined) => void;
  readonly rulesFile: string;
  readonly configFile: string;
}

/** Keys typed before a question could be read do not answer it: they count after this much silence. */
const deafMs = 300;
/** The silence required after another question, whose answer the person may be about to give. */
const replacedMs = 700;
const mostDrainMs = 3000;
const lapsed: Answer = { kind: 'lapsed' };

export function askAtTerminal(parts: TerminalParts): ApprovalAnswerer {
  const items = new AskedItems();
  const person = new PersonAtTerminal(parts);
  let last: Promise<unknown> = Promise.resolve();
  return {
    seen: (event) => items.seen(event),
    askUser: {
      ask(question, signal) {
        const answer = last.then(() =>
          askEach(question, (one) => person.ask(one, { item: items.of(question), signal })),
        );
        last = answer;
        return answer;
      },
    },
    async close() {
      person.leave();
      await last;
      await person.drain();
    },
  };
}

class PersonAtTerminal {
  readonly #parts: TerminalParts;
  readonly #keyboard: Keyboard;
  readonly #left = new AbortController();
  /** The end of the previous question; undefined: there was none. */
  #before: 'answered' | 'over' | undefined;
  #again = (..._before: readonly Span[]): void => {};

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#keyboard = new Keyboard(parts, () => this.#again());
  }

  async ask(
    question: Question,
    { item, signal: ofQuestion }: { readonly item: TurnItem | undefined; readonly signal: AbortSignal },
  ): Promise<Answer> {
    const signal = AbortSignal.any([ofQuestion, this.#left.signal]);
    if (signal.aborted) return lapsed;
    const { show, width, rulesFile, configFile } = this.#parts;
    const [wanted] = question.input ?? [];
    const field = singleFormField(question);
    const ofForm = field === undefined ? choicesFor(question) : fieldChoices(field);
    const choices = wanted === undefined ? ofForm : inputChoices(wanted);
    const isReplacing = this.#before === 'over';
    const replaces = bold('The question before is over and needs no answer. This is another one:\n');
    this.#again = (...before) =>
      show(...before, ...questionLines(question, item, { width: width() }), ...choiceLines(choices));
    this.#again(...(isReplacing ? [replaces] : []));
    this.#keyboard.open();
    try {
      const answer = await this.#answer(choices, {
        signal,
        quietMs: isReplacing ? replacedMs : deafMs,
        goesTo: `the ${question.mcp === undefined ? `rule goes to ${rulesFile}` : `approval goes to ${configFile}`}`,
      });
      this.#before = answer === lapsed ? 'over' : 'answered';
      return answer;
    } finally {
      this.#keyboard.close();
    }
  }

  leave(): void {
    this.#left.abort();
  }

  /** Drops unused typed keys: the program that gets the terminal next would take them as its own input. */
  async drain(): Promise<void> {
    const { interrupted, lastKeyAt } = this.#keyboard;
    if (this.#before === undefined) return;
    this.#keyboard.open();
    const milliseconds = this.#before === 'over' && !interrupted.aborted ? replacedMs : 0;
    await this.#keyboard.silence(milliseconds, AbortSignal.timeout(mostDrainMs), { since: lastKeyAt });
    this.#keyboard.close();
  }

  async #answer(
    choices: readonly Choice[],
    { signal, quietMs, goesTo }: { readonly signal: AbortSignal; readonly quietMs: number; readonly goesTo: string },
  ): Promise<Answer> {
    for (;;) {
      const chosen = await this.#chosen(choices, { signal, quietMs });
      if (chosen === undefined) return lapsed;
      const note = chosen.takesNote === true ? await this.#note(signal, chosen) : noLine;
      if (signal.aborted) return lapsed;
      if (note.end === 'back') {
        this.#parts.show(dim(`  Nothing was sent. ${pressKeyText(choices)}`));
        continue;
      }
      const text = note.text.trim();
      const read = chosen.reads?.(text);
      if (typeof read !== 'string') {
        this.#parts.show(dim(`  ${saidWords(chosen, text, visibleLine(goesTo))}`));
        return read ?? (text === '' ? chosen.answer : { ...chosen.answer, note: text });
      }
      this.#parts.show(`  Nothing was sent: ${visibleLine(read)} ${pressKeyText(choices)}`);
    }
  }

  /** Undefined: the question is over. Only a single key after a silence answers, no letter of a word or of a paste. */
  async #chosen(
    choices: readonly Choice[],
    { signal, quietMs }: { readonly signal: AbortSignal; readonly quietMs: number },
  ): Promise<Choice | undefined> {
    let isHelped = false;
    for (;;) {
      const isEarly = await this.#keyboard.silence(isHelped ? deafMs : quietMs, signal);
      const typed = isEarly ? '' : await this.#keyboard.burst(signal);
      if (signal.aborted) return undefined;
      const chosen = choices.find(({ key }) => key === typed.replace(/[\r\n]+$/, '').toLowerCase());
      if (chosen !== undefined) return chosen;
      if (!isHelped) this.#parts.show(dim(`  ${isEarly ? 'Keys count after a pause. ' : ''}${pressKeyText(choices)}`));
      isHelped = true;
    }
  }

  /** Reads until the person ends the line, even if the question is over: no other question may get their keys. */
  async #note(signal: AbortSignal, { reads }: Choice): Promise<TypedLine> {
    const { typing, show } = this.#parts;
    const back = typing === undefined ? '' : ' Esc goes back.';
    const asked = reads === undefined ? 'What should the model know?' : 'Type the answer.';
    show(`  ${asked} Enter sends the line.${back}`);
    const ends = AbortSignal.any([this.#left.signal, this.#keyboard.interrupted]);
    const over = `  The question is over, and the line will not be sent. ${back === '' ? 'Enter' : 'Enter or Esc'} ends it.`;
    const onOver = (): void => void (ends.aborted || show(over));
    signal.addEventListener('abort', onOver, { once: true });
    if (typing === undefined) this.#keyboard.takeLines(true);
    let line = noLine;
    typing?.('');
    while (line.end === undefined && !ends.aborted) {
      line = typeInto(line, await this.#keyboard.next(ends));
      typing?.(line.text);
    }
    typing?.(undefined);
    if (typing === undefined) this.#keyboard.takeLines(false);
    signal.removeEventListener('abort', onOver);
    // Ctrl-C ends the turn, and the question with it.
    if (line.end === undefined) await valueOrAbort(new Promise(() => {}), signal, undefined);
    if (signal.aborted && line.text !== '') show(dim(`  Not sent: ${visibleLine(line.text)}`));
    return line;
  }
}

function saidWords({ words, answer }: Choice, note: string, goesTo: string): string {
  if (note !== '') return `${answer.kind === 'allowed' ? 'your answer' : 'no'}: ${visibleLine(note)}`;
  return answer.scope === 'rule' ? `yes; ${goesTo}` : words;
}

/** One key for each answer to a question of the model: the number of an option, or a letter. */
function inputChoices({ id, options }: UserQuestion): readonly Choice[] {
  const offered = options.slice(0, 9).map(({ label }, at): Choice => {
    return { key: String(at + 1), words: label, answer: { kind: 'allowed', content: { [id]: label } } };
  });
  return [
    ...offered,
    { key: 'o', words: 'another answer, in your words', answer: { kind: 'allowed' }, takesNote: true },
    { key: 'n', words: 'no answer', answer: { kind: 'declined' } },
    { key: 's', words: 'no answer, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

/** Asks a person at a terminal one question after another. The first denial applies to all of them. */
async function askEach(question: Question, ask: (single: Question) => Promise<Answer>): Promise<Answer> {
  if (question.input === undefined) return fillForm(question, ask);
  const given: [string, string][] = [];
  for (const one of question.input) {
    const { kind, content, note, ...rest } = await ask({ ...question, input: [one] });
    if (kind !== 'allowed') return { kind, note, ...rest };
    given.push([one.id, content === undefined ? (note ?? '') : String(content[one.id] ?? '')]);
  }
  return { kind: 'allowed', content: Object.fromEntries(given) };
}

interface TypedLine {
  readonly text: string;
  /** `sent` by Enter, or abandoned by Esc. */
  readonly end?: 'sent' | 'back';
}

const noLine: TypedLine = { text: '' };
const escape = '\u001B';
// oxlint-disable-next-line no-control-regex -- what keys send that write nothing
const keySequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])?/gu;
// oxlint-disable-next-line no-control-regex -- the same
const control = /[\u0000-\u0007\u000B\u000C\u000E-\u0014\u0016-\u001F\u0080-\u009F]/gu;
const rubOuts = new Set(['\u007F', '\b']);
/** Ctrl-U. */
const clear = '\u0015';

/** Keys without a character, such as arrows, change nothing; a pasted line end becomes a space. */
function typeInto(line: TypedLine, keys: string): TypedLine {
  if (keys === escape) return { text: line.text, end: 'back' };
  const typed = keys.replaceAll(keySequence, '').replaceAll(control, '');
  const isSent = /[\r\n]$/.test(typed);
  let text = line.text;
  for (const character of typed.replace(/[\r\n]+$/, '').replaceAll(/[\r\n\t]+/g, ' ')) {
    if (rubOuts.has(character)) text = [...text].slice(0, -1).join('');
    else text = character === clear ? '' : text + character;
  }
  return isSent ? { text, end: 'sent' } : { text };
}

export interface KeyInput {
  setRawMode(raw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface KeyboardParts {
  readonly input: KeyInput;
  /** Does what Ctrl-C does elsewhere: in raw mode it is an ordinary key. */
  interrupt(): void;
  /** Stops the program, as Ctrl-Z does elsewhere. Resolves when it continues. Absent: it cannot be stopped here. */
  readonly suspend?: () => Promise<void>;
  now(): number;
  /** Resolves after this time, when everything typed by then has been read, or soon after the signal aborts. */
  after(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const ctrlC = '\u0003';
const ctrlZ = '\u001A';
/** Keys that come faster are one burst: a paste, an arrow sequence, or a program that types. */
const burstMs = 50;

/** Keys typed while the keyboard is open. `silence` drops earlier and unused ones. */
class Keyboard {
  readonly #parts: KeyboardParts;
  readonly #interrupted = new AbortController();
  readonly interrupted = this.#interrupted.signal;
  #decoder = new TextDecoder();
  #typed = '';
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #arrival = Promise.withResolvers<void>();
  #isOpen = false;
  readonly #resumed: () => void;

  /** `resumed`: called when the stopped program continues; what was on the screen may be gone. */
  constructor(parts: KeyboardParts, resumed: () => void) {
    this.#parts = parts;
    this.#resumed = resumed;
  }

  get lastKeyAt(): number {
    return this.#lastKeyAt;
  }

  open(): void {
    const { input } = this.#parts;
    this.#decoder = new TextDecoder();
    this.#typed = '';
    this.#isOpen = true;
    input.on('data', this.#onData);
    input.setRawMode(true);
    input.resume();
  }

  close(): void {
    const { input } = this.#parts;
    this.#isOpen = false;
    input.off('data', this.#onData);
    input.setRawMode(false);
    input.pause();
  }

  /** Reads whole lines, which the terminal echoes and lets the person edit, instead of keys. */
  takeLines(isLines: boolean): void {
    this.#parts.input.setRawMode(!isLines);
  }

  /** Drops keys until none has come for this time, counted from `since` or later. True if there were any. */
  async silence(
    milliseconds: number,
    signal: AbortSignal,
    { since = this.#parts.now() }: { readonly since?: number } = {},
  ): Promise<boolean> {
    await this.#quiet(milliseconds, signal, since);
    return this.#take() !== '';
  }

  /** The next keys and all that follow without a pause. Empty when the signal aborts. */
  async burst(signal: AbortSignal): Promise<string> {
    await this.#key(signal);
    await this.#quiet(burstMs, signal, this.#lastKeyAt);
    return signal.aborted ? '' : this.#take();
  }

  /** The next keys, as soon as there are any. Empty when the signal aborts. */
  async next(signal: AbortSignal): Promise<string> {
    await this.#key(signal);
    return signal.aborted ? '' : this.#take();
  }

  async #quiet(milliseconds: number, signal: AbortSignal, since: number): Promise<void> {
    while (!signal.aborted) {
      const from = Math.max(since, this.#lastKeyAt);
      await this.#parts.after(Math.max(0, from + milliseconds - this.#parts.now()), signal);
      if (this.#lastKeyAt <= from) return;
    }
  }

  async #key(signal: AbortSignal): Promise<void> {
    while (this.#typed === '' && !signal.aborted) await valueOrAbort(this.#arrival.promise, signal, undefined);
  }

  #take(): string {
    const typed = this.#typed;
    this.#typed = '';
    return typed;
  }

  async #suspend(suspend: () => Promise<void>): Promise<void> {
    this.#parts.input.setRawMode(false);
    await suspend();
    if (!this.#isOpen) return;
    this.#parts.input.setRawMode(true);
    this.#resumed();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    if (text === '') return;
    if (text.includes(ctrlC)) {
      this.#typed = '';
      this.#interrupted.abort();
      return this.#parts.interrupt();
    }
    if (text.includes(ctrlZ) && this.#parts.suspend !== undefined) {
      this.#typed = '';
      return void this.#suspend(this.#parts.suspend);
    }
    this.#typed += text;
    this.#lastKeyAt = this.#parts.now();
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  };
}
