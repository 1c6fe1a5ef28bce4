import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { bold, dim, type Span } from '../../terminal/look.ts';
import type { Approvals } from './approvals.ts';
import { AskedItems } from './asked-items.ts';
import { questionLines } from './question-lines.ts';

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
  /** What Ctrl-C does elsewhere. In raw mode it is a key like any other. */
  interrupt(): void;
  now(): number;
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

function choicesFor({ scopes, kind }: Question): readonly Choice[] {
  const has = (scope: AnswerScope): boolean => scopes.includes(scope);
  const allowed = (key: string, words: string, scope: AnswerScope): Choice => {
    return { key, words, answer: { kind: 'allowed', scope } };
  };
  return [
    allowed('y', kind === 'permissions' ? 'yes, for this turn' : 'yes, once', 'call'),
    ...(has('session') ? [allowed('a', 'yes, for the session', 'session')] : []),
    ...(has('rule') ? [allowed('p', 'yes, and save the rule', 'rule')] : []),
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
  const keys = choices.flatMap(({ key, words }): readonly Span[] => ['  ', bold(`[${key}]`), ` ${words}`]);
  parts.show(...questionLines(question, item), ...keys);
  const chosen = await readKey(parts, choices, signal);
  if (chosen === undefined) return { kind: 'lapsed' };
  const note = chosen.key === 't' ? await readNote(parts, signal) : '';
  if (note === undefined) return { kind: 'lapsed' };
  parts.show(dim(`  ${chosen.words}`));
  return note === '' ? chosen.answer : { ...chosen.answer, note };
}

/** Undefined: the turn was interrupted. A paste and an arrow come as several characters at once, and are no answer. */
function readKey(parts: TerminalParts, choices: readonly Choice[], signal: AbortSignal): Promise<Choice | undefined> {
  const shownAt = parts.now();
  return listen<Choice>(parts, signal, { raw: true }, (text) => {
    if (parts.now() - shownAt < deafMs) return undefined;
    return choices.find(({ key }) => key === text.toLowerCase());
  });
}

/** A line as the terminal edits it. */
function readNote(parts: TerminalParts, signal: AbortSignal): Promise<string | undefined> {
  parts.show('  What should the model know? Enter ends the line.');
  let typed = '';
  return listen<string>(parts, signal, { raw: false }, (text) => {
    typed += text;
    const end = typed.indexOf('\n');
    return end === -1 ? undefined : typed.slice(0, end).trim();
  });
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
  const end = (taken: Taken | undefined): void => {
    input.off('data', onData);
    signal.removeEventListener('abort', onAbort);
    input.setRawMode(false);
    input.pause();
    resolve(taken);
  };
  const onData = (chunk: Buffer | string): void => {
    const text = chunk.toString();
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
