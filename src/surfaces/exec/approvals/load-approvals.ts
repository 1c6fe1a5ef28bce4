import { isCoverableByRule } from '../../../core/policy/commands/shell-builtins.ts';
import { joinWithOr } from '../../../engine/wording.ts';
import { fillFormDefaults } from '../../../protocol/elicitation-form.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type Answer, type Question, type QuestionKind, questionKinds } from '../../../protocol/question.ts';
import { didYouMean } from '../../views/command-line/did-you-mean.ts';
import { questionLines } from '../../views/questions/question-lines.ts';
import { terminalWidth, visibleLine } from '../../views/terminal/visible-text.ts';
import type { ExecPrinter } from '../output.ts';
import { readOptionFile } from '../option-files.ts';
import { type ApprovalAnswerer, AskedItems, withoutClientTools } from './approvals.ts';
import { askAtTerminal, type TerminalParts } from './ask-at-terminal.ts';
import { basename, resolve } from 'node:path';
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises';
import { dim, type Span } from '../../views/terminal/styled-text.ts';
import { canRewriteLines } from '../../views/terminal/screen.ts';

export interface ApprovalParts extends Pick<TerminalParts, 'rulesFile' | 'configFile'> {
  readonly cwd: string;
  readonly output: Pick<ExecPrinter, 'show' | 'typing'>;
}

export function loadApprovals(given: string, { cwd, output, ...files }: ApprovalParts): ApprovalAnswerer | Outcome {
  const show = (...spans: readonly Span[]): void => output.show(...spans);
  if (given === 'ask') {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return noTerminal;
    const asking = askAtTerminal({
      input: process.stdin,
      width: () => terminalWidth(process.stderr) ?? 80,
      show,
      interrupt: () => void process.kill(process.pid, 'SIGINT'),
      now: () => performance.now(),
      after,
      ...files,
      // Without rewritable lines, the terminal echoes.
      typing: canRewriteLines(process.stderr) ? (text) => output.typing(text) : undefined,
      suspend: process.platform === 'win32' ? undefined : suspend,
    });
    return withoutClientTools(asking);
  }
  const next = 'Give --approvals a file that you may read, or "ask".';
  if (given.trim() === '') return { code: 'approvals-unnamed', message: '--approvals names no file.', next };
  const file = readOptionFile(resolve(cwd, given));
  if ('problem' in file)
    return { code: 'approvals-unreadable', message: `The answers in ${given} cannot be read: ${file.problem}.`, next };
  const lines = parseAnswersFile(file.text, given);
  return 'code' in lines ? lines : withoutClientTools(createFileAnswerer({ lines, name: given, show }));
}

/** Stops the whole job, as the terminal does. The timer fires when it continues, or if no shell controls the job. */
async function suspend(): Promise<void> {
  process.kill(0, 'SIGTSTP');
  // Its processes stop before the timer fires.
  await wait(100);
}

/** The event loop runs timers before input: keys typed by then are read in the next round. */
async function after(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal }).catch(() => {});
  await nextRound();
}

const noTerminal: Outcome = {
  code: 'approvals-no-terminal',
  message: '--approvals ask needs a terminal to ask at: standard input or standard error is not a terminal.',
  next: 'Start Capstan from a terminal with the prompt as an argument, or give the answers in a file: --approvals FILE.',
};

type AnswersFile = { readonly lines: readonly AnswerLine[]; readonly name: string; readonly show: ExecPrinter['show'] };

/** Answers by the first line that matches. Without a match the question is declined, and the model learns that. */
export function createFileAnswerer({ lines, name, show }: AnswersFile): ApprovalAnswerer {
  const items = new AskedItems();
  return {
    seen: (event) => items.seen(event),
    askUser: {
      answersOnce: true,
      ask(question) {
        const answer = answerByLines(lines, question);
        // A file saves no rule.
        const shown = { ...question, scopes: question.scopes.filter((scope) => scope !== 'rule') };
        const by = saidBy(lines, question, { answer, name: visibleLine(name) });
        show(...questionLines(shown, items.of(question)), dim(`  ${by}`));
        return Promise.resolve(answer);
      },
    },
  };
}

const said = { allowed: 'yes', declined: 'no', stopped: 'no, and the turn stops', lapsed: 'no answer' } as const;

function saidBy(
  lines: readonly AnswerLine[],
  question: Question,
  { answer, name }: { readonly answer: Answer; readonly name: string },
): string {
  if (answer !== unmatched) return `${said[answer.kind]}, by ${name}`;
  if (commandsOf(question).includes(undefined)) return `no: ${whyUnread(lines, question, name)}`;
  const [line] = question.kind === 'elicitation' ? [lineFor(lines, question, [])] : [];
  const fault = line === undefined ? undefined : faultInForm(question, line.answers);
  if (fault !== undefined) return `no: "answers" of ${name} do not fill the form: ${visibleLine(fault)}`;
  const missing = commandsOf(question).filter((command) => lineFor(lines, question, command) === undefined);
  const named = missing.flatMap((words = []) => (words.length === 0 ? [] : [`\`${visibleLine(words.join(' '))}\``]));
  const typing = question.typed === true ? ', and the model could type into it: that needs "typed": true' : '';
  const [held] = missing.find((words = []) => words.length > 0 && !isCoverableByRule(words)) ?? [];
  const whole = held === undefined ? '' : `; only a line with all of its words approves \`${visibleLine(held)}\` so`;
  return `no: no line of ${name} matches ${named.length === 0 ? 'it' : named.join(', ')}${typing}${whole}`;
}

/** Why no line answers a script whose commands are known only when it runs. */
function whyUnread(lines: readonly AnswerLine[], { kind }: Question, name: string): string {
  const unread = 'Capstan cannot read the script whole';
  const approves = ({ about, decision }: AnswerLine): boolean =>
    'kind' in about && about.kind === kind && decision === 'approved';
  const before = lines.slice(0, Math.max(0, lines.findIndex(approves)));
  const [barred] = before.flatMap(({ about, decision }) =>
    'prefix' in about && decision !== 'approved' ? [about.prefix] : [],
  );
  if (barred === undefined)
    return `${unread}, so no prefix approves it; {"kind":"${kind}","decision":"approved"} in ${name} would`;
  const words = visibleLine(JSON.stringify(barred));
  return `${unread}, and it may hold ${words}, which ${name} denies before it approves {"kind":"${kind}"}`;
}

/**
 * Allows a script only if the first line that matches each of its commands allows it: a prefix for `npm install` says
 * nothing about the command after `&&`. A denial also matches a command with its wrappers, as written.
 */
export function answerByLines(lines: readonly AnswerLine[], question: Question): Answer {
  const found = commandsOf(question).map((command) => lineFor(lines, question, command));
  const decided = [...found, ...heldBack(lines, question)];
  const stop = decided.find((line) => line?.decision === 'abort');
  if (stop !== undefined) return { kind: 'stopped', note: stop.note };
  const refusal = decided.find((line) => line?.decision === 'denied');
  if (refusal !== undefined) return { kind: 'declined', note: refusal.note };
  if (found.includes(undefined)) return unmatched;
  const content = found[0]?.answers;
  // Content that does not fit the form is not sent.
  if (faultInForm(question, content) !== undefined) return unmatched;
  return { kind: 'allowed', scope: 'call', content };
}

function faultInForm({ elicitation }: Question, content: JsonObject | undefined): string | undefined {
  if (elicitation?.schema === undefined) return undefined;
  const filled = fillFormDefaults(elicitation.schema, content);
  return 'fault' in filled ? filled.fault : undefined;
}

const unmatched: Answer = { kind: 'declined', by: 'default' };

/** The words of each command that must be allowed. Undefined: unknown before it runs. */
function commandsOf({ kind, argv, commands }: Question): readonly (readonly string[] | undefined)[] {
  if (kind !== 'command' && kind !== 'retry') return [[]];
  return argv === undefined || commands === undefined || commands.length === 0 ? [undefined] : commands;
}

/** The first match. An unreadable command may be one that a line denies: no approval after that line counts. */
function lineFor(
  lines: readonly AnswerLine[],
  { kind, seen = [], typed: isTyped }: Question,
  command: readonly string[] | undefined,
): AnswerLine | undefined {
  const around = command === undefined ? [] : seen.filter((words) => isAround(words, command));
  const found = lines.find(({ about, decision, typed }) => {
    if ('kind' in about) return about.kind === kind;
    // Approving the words of a command does not approve what the model will type into it.
    if (decision === 'approved')
      return !(isTyped === true && typed !== true) && command !== undefined && approves(about.prefix, command);
    return command === undefined || [command, ...around].some((words) => beginsWith(words, about.prefix, decision));
  });
  return command === undefined && found !== undefined && 'prefix' in found.about ? undefined : found;
}

/** A prefix suffices for a command that takes its words as plain text; for others the line must have all words. */
const approves = (prefix: readonly string[], command: readonly string[]): boolean =>
  beginsWith(command, prefix, 'approved') && (isCoverableByRule(command) || prefix.length === command.length);

/** The lines that deny other commands seen in the script: in a part that cannot be read whole, or in an `eval`. */
function heldBack(lines: readonly AnswerLine[], { kind, commands = [], seen = [] }: Question): readonly AnswerLine[] {
  const others = seen.filter((words) => !commands.some((command) => isAround(words, command)));
  return others.flatMap((words) => {
    const line = lines.find(({ about, decision }) => {
      if ('kind' in about) return about.kind === kind;
      return decision !== 'approved' && beginsWith(words, about.prefix, decision);
    });
    return line === undefined ? [] : [line];
  });
}

/** True if these are the words of a command preceded by those of its wrappers. */
function isAround(words: readonly string[], command: readonly string[]): boolean {
  const start = words.length - command.length;
  return start >= 0 && command.every((word, i) => word === words[start + i]);
}

/** A program given by path is also denied by its name, but approved only as it is written. */
function beginsWith(command: readonly string[], prefix: readonly string[], decision: AnswerLine['decision']): boolean {
  const [program = '', ...rest] = command;
  const isProgram = prefix[0] === program || (decision !== 'approved' && prefix[0] === basename(program));
  return isProgram && prefix.slice(1).every((word, i) => word === rest[i]);
}

interface AnswerLine {
  readonly about: { readonly prefix: readonly string[] } | { readonly kind: QuestionKind };
  readonly decision: 'approved' | 'denied' | 'abort';
  /** The prefix also approves commands that the model can type into. */
  readonly typed?: true;
  readonly note?: string;
  /** For an approved `input`: answers by question id, or first options. `elicitation`: the form, or its defaults. */
  readonly answers?: JsonObject;
}

/** A file cannot give the result of a client's tool. */
const kinds = questionKinds.filter((kind) => kind !== 'client-tool');
const decisions = ['approved', 'denied', 'abort'] as const;
const keys = ['prefix', 'kind', 'decision', 'note', 'answers', 'typed'];
const form = 'Write one object per line, such as {"prefix": ["npm", "install"], "decision": "approved"}.';

/** Reads a file of answers. One line that is not understood refuses the whole file: nothing runs with half of it. */
export function parseAnswersFile(text: string, file: string): readonly AnswerLine[] | Outcome<'approvals-invalid'> {
  const answers: AnswerLine[] = [];
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (typeof read === 'string') return invalid(`${file}:${at + 1}: ${read}`);
    answers.push(read);
  }
  return answers.length > 0 ? answers : invalid(`${file}: there are no answers in this file.`);
}

const invalid = (message: string): Outcome<'approvals-invalid'> => ({ code: 'approvals-invalid', message, next: form });

function readLine(line: string): AnswerLine | string {
  const value = parseJson(line);
  if (!isJsonObject(value)) return 'the line is not a JSON object.';
  const stranger = Object.keys(value).find((key) => !keys.includes(key));
  if (stranger !== undefined)
    return `there is no key ${JSON.stringify(stranger)}. ${didYouMean(stranger, keys)}`.trimEnd();
  const about = readAbout(value);
  if (typeof about === 'string') return about;
  const { decision, note } = value;
  const decided = decisions.find((each) => each === decision);
  if (decided === undefined) {
    const meant = typeof decision === 'string' ? didYouMean(decision, decisions) : '';
    return `"decision" must be ${joinWithOr(decisions)}. ${meant}`.trimEnd();
  }
  if (note !== undefined && typeof note !== 'string') return '"note" must be a string.';
  if (note !== undefined && decided === 'approved')
    return '"note" works only with "denied" and "abort": the model reads it with the no.';
  const { answers, typed } = value;
  const answered = 'kind' in about && decided === 'approved' ? about.kind : undefined;
  const fits = answered === 'elicitation' ? isJsonObject(answers) : answered === 'input' && isTexts(answers);
  if (answers !== undefined && !fits)
    return '"answers" must be an object of strings, beside "kind": "input" or "elicitation" and "decision": "approved".';
  if (typed !== undefined && (typed !== true || decided !== 'approved' || !('prefix' in about)))
    return '"typed" can only be true, and only with "prefix" and "approved".';
  return { about, decision: decided, note, typed, answers: answers as JsonObject | undefined };
}

function readAbout({ prefix, kind }: JsonObject): AnswerLine['about'] | string {
  if ((prefix === undefined) === (kind === undefined)) return 'the line needs either "prefix" or "kind".';
  if (prefix !== undefined && !isWords(prefix)) return '"prefix" must be a list of one or more words.';
  // A path may contain a space; a program name does not.
  if (prefix !== undefined && /^[^/]*\s/.test(prefix[0] ?? '')) {
    const words = JSON.stringify(prefix.flatMap((word) => word.trim().split(/\s+/)));
    return `"prefix" has several words in one string, and would match nothing. Write ${words}.`;
  }
  if (prefix !== undefined) return { prefix };
  const known = kinds.find((each) => each === kind);
  if (known !== undefined) return { kind: known };
  return `"kind" must be ${joinWithOr(kinds)}. ${typeof kind === 'string' ? didYouMean(kind, kinds) : ''}`.trimEnd();
}

const isWords = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && word !== '');

const isTexts = (value: Json | undefined): boolean =>
  isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
