import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';
import { bold, type Span } from '../../terminal/look.ts';

/** An answer that a person can give, and its key. */
export interface Choice {
  readonly key: string;
  readonly words: string;
  readonly answer: Answer;
  /** In words of a server that asks, which stand in quotes. */
  readonly isOffered?: true;
  /** The person is asked for a line that goes with it. */
  readonly takesNote?: true;
  /** What the line means, or what is wrong with it. Absent: it is a note for the model. */
  readonly reads?: (line: string) => Answer | string;
}

export function choicesFor({ scopes, kind, prefix, confined }: Question): readonly Choice[] {
  const has = (scope: AnswerScope): boolean => scopes.includes(scope);
  const allowed = (key: string, words: string, scope: AnswerScope): Choice => {
    return { key, words, answer: { kind: 'allowed', scope } };
  };
  const leaves =
    prefix === undefined
      ? ''
      : `: such commands then run ${confined === true ? 'in that sandbox' : 'outside the sandbox'}`;
  const wider = [
    ...(has('session') ? [allowed('a', 'yes, for the session', 'session')] : []),
    ...(has('rule') ? [allowed('p', `yes, and save the rule${leaves}`, 'rule')] : []),
  ];
  return [
    allowed('y', kind === 'permissions' ? 'yes, for this turn' : 'yes, once', 'call'),
    ...wider.slice(0, 1),
    // Never behind the third place, where Codex has it: there, 3 must not allow more than 1 does.
    { key: 'n', words: 'no', answer: { kind: 'declined' } },
    ...wider.slice(1),
    ...(carriesNote(kind) ? [whyNot] : []),
    { key: 's', words: 'no, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

const whyNot: Choice = {
  key: 't',
  words: 'no, and tell the model why',
  answer: { kind: 'declined' },
  takesNote: true,
};

/** What an MCP server asks is answered to that server, which has no place for a note, and no model reads it. */
export function carriesNote(kind: Question['kind']): boolean {
  return kind !== 'elicitation';
}

/** One per line: a row of them would break at the edge of the terminal. */
export function choiceLines(choices: readonly Choice[]): readonly Span[] {
  return choices.flatMap(({ key, words }, i) => [i === 0 ? '  ' : '\n  ', bold(`[${key}]`), ` ${words}`]);
}

export function pressOne(choices: readonly Choice[]): string {
  return `Press one key: ${choices.map(({ key }) => key).join(', ')}.`;
}
