import { defined } from '../../../protocol/defined.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { dim, type Span } from '../../terminal/look.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { AnswerLine } from './answers-file.ts';
import type { Approvals } from './approvals.ts';
import { AskedItems } from './asked-items.ts';
import { plainCommands } from './plain-commands.ts';
import { questionLines } from './question-lines.ts';

export interface AnswersFile {
  readonly lines: readonly AnswerLine[];
  /** As the user named it. */
  readonly name: string;
  show(...spans: readonly Span[]): void;
}

/** Answers by the first line that matches. What no line matches is declined, and the model reads that. */
export function answerFromFile({ lines, name, show }: AnswersFile): Approvals {
  const items = new AskedItems();
  return {
    seen: (event) => items.seen(event),
    askUser: {
      ask(question) {
        const answer = answerBy(lines, question);
        show(
          ...questionLines(question, items.of(question)),
          dim(`  ${saidBy(lines, question, { answer, name: visibleLine(name) })}`),
        );
        return Promise.resolve(answer);
      },
    },
  };
}

const said: Readonly<Record<Answer['kind'], string>> = {
  allowed: 'yes',
  declined: 'no',
  stopped: 'no, and the turn stops',
  lapsed: 'no answer',
};

function saidBy(
  lines: readonly AnswerLine[],
  question: Question,
  { answer, name }: { readonly answer: Answer; readonly name: string },
): string {
  if (answer !== unmatched) return `${said[answer.kind]}, by ${name}`;
  const missing = commandsOf(question).filter((command) => lineFor(lines, question, command) === undefined);
  const named = missing.filter((words) => words.length > 0).map((words) => `\`${visibleLine(words.join(' '))}\``);
  return `no: no line of ${name} matches ${named.length === 0 ? 'it' : named.join(', ')}`;
}

function lineFor(lines: readonly AnswerLine[], question: Question, command: readonly string[]): AnswerLine | undefined {
  return lines.find((line) => matches(line, question, command));
}

/**
 * A script of several commands is allowed if each of them is, by its own first line: a prefix that allows `npm install`
 * says nothing about what stands behind `&&`.
 */
export function answerBy(lines: readonly AnswerLine[], question: Question): Answer {
  const found = commandsOf(question).map((command) => lineFor(lines, question, command));
  const stop = found.find((line) => line?.decision === 'abort');
  if (stop !== undefined) return { kind: 'stopped', ...defined({ note: stop.note }) };
  const refusal = found.find((line) => line?.decision !== 'approved');
  if (refusal !== undefined) return { kind: 'declined', ...defined({ note: refusal.note }) };
  return found.includes(undefined) ? unmatched : { kind: 'allowed', scope: 'call' };
}

const unmatched: Answer = { kind: 'declined', note: 'The answers that were prepared for this run do not cover it.' };

/** Each command that must be allowed; one without words for what is no command, or cannot be read. */
function commandsOf({ kind, argv }: Question): readonly (readonly string[])[] {
  if (argv === undefined || (kind !== 'command' && kind !== 'retry')) return [[]];
  const [, flag, script] = argv;
  if (argv.length !== 3 || (flag !== '-c' && flag !== '-lc') || script === undefined) return [argv];
  return plainCommands(script) ?? [[]];
}

function matches({ about }: AnswerLine, { kind }: Question, command: readonly string[]): boolean {
  return 'kind' in about ? about.kind === kind : about.prefix.every((word, i) => word === command[i]);
}
