import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { bold, dim, type Span } from '../../terminal/look.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { Approvals } from './approvals.ts';
import { AskedItems } from './asked-items.ts';
import { questionLines } from './question-lines.ts';
import { noLine, type TypedLine, typeInto } from './typed-line.ts';

/** The part of a terminal's input that this needs. */
export interface KeyInput {
  setRawMode(raw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface TerminalParts {
  readonly input: KeyInput;
  /** Prints lines that stay. */
  show(...spans: readonly Span[]): void;
  /** Columns of the terminal. */
  width(): number;
  /** What Ctrl-C does elsewhere. In raw mode it is a key like any other. */
  interrupt(): void;
  now(): number;
  /** Shows what is typed, in a line that is written over; undefined takes it away. Absent: the terminal does it itself. */
  readonly typing?: (text: string | undefined) => void;
  /** Where a rule goes that is saved. */
  readonly rulesFile: string;
}

/** What was typed before a question could be read does not answer it. */
const deafMs = 300;

/** A person at the terminal answers by one key. */
export function askAtTerminal(parts: TerminalParts): Approvals {
  const items = new AskedItems();
  let last: Promise<unknown> = Promise.resolve();
  return {
    seen: (event) => items.seen(event),
    askUser: {
      ask(question, signal) {
        const answer = last.then(() => askOne(parts, question, { item: items.of(question), signal }));
        last = answer;
        return answer;
      },
    },
  };
}

interface Choice {
  readonly key: string;
  readonly words: string;
  readonly answer: Answer;
}

function choicesFor({ scopes, kind, prefix, confined }: Question): readonly Choice[] {
  const has = (scope: AnswerScope): boolean => scopes.includes(scope);
  const allowed = (key: string, words: string, scope: AnswerScope): Choice => {
    return { key, words, answer: { kind: 'allowed', scope } };
  };
  const leaves =
    prefix === undefined
      ? ''
      : `: such commands then run ${confined === true ? 'in that wider sandbox' : 'outside the sandbox'}`;
  return [
    allowed('y', kind === 'permissions' ? 'yes, for this turn' : 'yes, once', 'call'),
    ...(has('session') ? [allowed('a', 'yes, for the session', 'session')] : []),
    ...(has('rule') ? [allowed('p', `yes, and save the rule${leaves}`, 'rule')] : []),
    { key: 'n', words: 'no', answer: { kind: 'declined' } },
    { key: 't', words: 'no, and tell the model why', answer: { kind: 'declined' } },
    { key: 's', words: 'no, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

async function askOne(
  parts: TerminalParts,
  question: Question,
  { item, signal }: { readonly item: TurnItem | undefined; readonly signal: AbortSignal },
): Promise<Answer> {
  if (signal.aborted) return { kind: 'lapsed' };
  const choices = choicesFor(question);
  // One per line: a row of them would break at the edge of the terminal.
  const keys = choices.flatMap(({ key, words }, i): readonly Span[] => {
    return [i === 0 ? '  ' : '\n  ', bold(`[${key}]`), ` ${words}`];
  });
  parts.show(...questionLines(question, item, { width: parts.width() }), ...keys);
  for (;;) {
    const chosen = await readKey(parts, choices, signal);
    if (chosen === undefined) return { kind: 'lapsed' };
    const note = chosen.key === 't' ? await readNote(parts, signal) : '';
    if (note === undefined) return { kind: 'lapsed' };
    if (typeof note === 'string') {
      parts.show(dim(`  ${saidWords(chosen, note, parts.rulesFile)}`));
      return note === '' ? chosen.answer : { ...chosen.answer, note };
    }
    parts.show(dim(`  Nothing was sent. ${pressOne(choices)}`));
  }
}

function saidWords({ words, answer }: Choice, note: string, rulesFile: string): string {
  if (note !== '') return `no: ${visibleLine(note)}`;
  return answer.scope === 'rule' ? `yes; the rule goes to ${visibleLine(rulesFile)}` : words;
}

/** Undefined: the turn was interrupted. A paste and an arrow come as several characters at once, and are no answer. */
function readKey(parts: TerminalParts, choices: readonly Choice[], signal: AbortSignal): Promise<Choice | undefined> {
  const shownAt = parts.now();
  let isHelped = false;
  return listen<Choice>(parts, signal, { raw: true }, (text) => {
    if (parts.now() - shownAt < deafMs) return undefined;
    const chosen = choices.find(({ key }) => key === text.toLowerCase());
    if (chosen === undefined && !isHelped) {
      isHelped = true;
      parts.show(dim(`  ${pressOne(choices)}`));
    }
    return chosen;
  });
}

function pressOne(choices: readonly Choice[]): string {
  return `Press one key: ${choices.map(({ key }) => key).join(', ')}.`;
}

const backToChoices = Symbol('another answer after all');

/** What the user types. Undefined: the turn was interrupted. */
async function readNote(parts: TerminalParts, signal: AbortSignal): Promise<string | typeof backToChoices | undefined> {
  const { typing } = parts;
  const back = typing === undefined ? '' : ' Esc goes back.';
  parts.show(`  What should the model know? Enter sends the line.${back}`);
  let line = noLine;
  typing?.('');
  const ended = await listen<TypedLine>(parts, signal, { raw: typing !== undefined }, (text) => {
    line = typeInto(line, text);
    typing?.(line.text);
    return line.end === undefined ? undefined : line;
  });
  typing?.(undefined);
  return ended?.end === 'back' ? backToChoices : ended?.text.trim();
}

const ctrlC = '\u0003';

/** Reads until `take` gives something, and leaves the terminal as it was. */
function listen<Taken>(
  { input, interrupt }: TerminalParts,
  signal: AbortSignal,
  { raw }: { readonly raw: boolean },
  take: (text: string) => Taken | undefined,
): Promise<Taken | undefined> {
  const { promise, resolve } = Promise.withResolvers<Taken | undefined>();
  const decoder = new TextDecoder();
  const end = (taken: Taken | undefined): void => {
    input.off('data', onData);
    signal.removeEventListener('abort', onAbort);
    input.setRawMode(false);
    input.pause();
    resolve(taken);
  };
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text === '') return;
    if (text.includes(ctrlC)) return interrupt();
    const taken = take(text);
    if (taken !== undefined) end(taken);
  };
  const onAbort = (): void => end(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  input.on('data', onData);
  input.setRawMode(raw);
  input.resume();
  return promise;
}
