import { widerSandboxText } from '../../../core/policy/decide/question-content.ts';
import { hostAtPort } from '../../../core/policy/network/host-lists.ts';
import { itemFromJson } from '../../../core/state/recorded/read-stored-item.ts';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import { formatCount } from '../../../engine/wording.ts';
import { formFields } from '../../../protocol/elicitation-form.ts';
import { objectAt, stringAt } from '../../../protocol/json.ts';
import type { Question } from '../../../protocol/question.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { unambiguousLine, unambiguousRows } from '../terminal/exact-text.ts';
import { bold, dim, type Span } from '../terminal/styled-text.ts';
import { wrap } from '../terminal/visible-text.ts';
import { diffSpans } from '../wording/turn-lines.ts';
import { fieldLine } from './question-choices.ts';

/** A taller question may have left the screen, so its end repeats what matters. */
const tallRows = 15;

interface QuestionForm {
  readonly width?: number;
  /** The place of the model's words. In scrolling text the command follows them, next to the answers. */
  readonly words?: 'first' | 'elsewhere';
}

/**
 * Shows everything that an approval would allow. Nothing is cut, and every row of the model's text begins with our
 * mark: a text that fills its rows could imitate a question.
 */
export function questionLines(
  question: Question,
  item: TurnItem | undefined,
  { width = Infinity, words = 'first' }: QuestionForm = {},
): readonly Span[] {
  const { agent, reason, argv, cwd } = question;
  const script = argv === undefined ? undefined : scriptOf(argv);
  const facts = [...(agent === undefined ? [] : [`Agent ${agent} asks.`]), ...(reason === undefined ? [] : [reason])];
  const command = script === undefined ? [] : commandRows(script, width);
  return [
    bold(titles[question.kind]),
    '\n',
    ...facts.map((fact) => told(fact, width, '  ', '  ')),
    ...(words === 'first' ? justificationLines(question, { width }) : []),
    ...(script === undefined ? [] : command.map((row) => bold(row))),
    ...(script === undefined || cwd === undefined ? [] : [dim(marked(`in ${cwd}`, width, '  ', '     '))]),
    ...wantedLines(question, width),
    ...(question.kind === 'patch' ? patchLines(question, item, width) : []),
    ...(showsCall.includes(question.kind) ? callLines(question, item, width) : []),
    ...elicitationLines(question, width),
    ...inputLines(question, width),
    ...ruleLines(question, width),
    ...(command.length <= tallRows
      ? []
      : [bold(`  The command above takes ${formatCount(command.length)} rows. ${unambiguousLine(reason ?? '')}\n`)]),
  ];
}

/** The least to show of what an approval would run or change: rows of a command, or paths of a patch. */
export function requiredQuestionLines(
  question: Question,
  item: TurnItem | undefined,
  { width }: { readonly width: number },
): readonly Span[] {
  const { kind, argv, host, reason } = question;
  if (kind === 'patch') return patchLines(question, item, width);
  return [
    // The reason names the host.
    ...(host === undefined || reason === undefined ? [] : [told(reason, width, '  ', '  ')]),
    ...(argv === undefined ? [] : commandRows(scriptOf(argv), width).map((row) => bold(row))),
    ...wantedLines(question, width),
  ];
}

export const justificationLines = ({ justification }: Question, { width }: { width: number }): readonly Span[] =>
  justification === undefined ? [] : [told(`The model says: ${justification}`, width, '  ', '  | ')];

function wantedLines({ kind, paths = [], permissions = {} }: Question, width: number): readonly Span[] {
  const { network, read = [], write = [], spelled = {} } = permissions;
  const named = (path: string): string => (spelled[path] === undefined ? path : `${path} (named as ${spelled[path]})`);
  const wanted = [
    ...(network === true ? ['use the network'] : []),
    ...read.map((path) => `read ${named(path)}`),
    ...write.map((path) => `write ${named(path)}`),
    ...(kind === 'retry' ? paths.map((needed) => `was stopped at: ${needed.access} ${needed.path}`) : []),
  ];
  return wanted.map((line) => marked(line, width, '  - ', '    '));
}

const scriptOf = (argv: readonly string[]): string => (argv.length === 3 ? (argv[2] ?? '') : argv.join(' '));

/** A rule holds in every thread, and what it allows leaves the sandbox, even where this command would not. */
function ruleLines({ prefix, host, mcp, scopes, confined }: Question, width: number): readonly Span[] {
  if (!scopes.includes('rule')) return [];
  const line = (text: string): Span => dim(marked(`rule: ${text}`, width, '  ', '    '));
  if (host !== undefined)
    return [line(`connections to ${hostAtPort(host.name, host.port)} are allowed without a question, in every thread`)];
  if (mcp !== undefined) return [line(`the tool ${mcp.tool} of the MCP server ${mcp.server} runs without a question`)];
  if (prefix === undefined) return [];
  const where = confined === true ? widerSandboxText : 'outside the sandbox';
  return [line(`commands that begin with ${JSON.stringify(prefix)} run without a question, ${where}`)];
}

function elicitationLines({ elicitation }: Question, width: number): readonly Span[] {
  if (elicitation === undefined) return [];
  const { url, schema } = elicitation;
  const lines = url === undefined ? formFields(schema).map(fieldLine) : [url];
  return lines.map((line) => bold(marked(line, width, '  > ', '  | ')));
}

const inputLines = ({ input = [] }: Question, width: number): readonly Span[] =>
  input.flatMap(({ header, question, options }) => [
    bold(told(`${header}: ${question}`, width, '  > ', '  | ')),
    ...options.map(({ label, description }) => told(`${label}: ${description}`, width, '  - ', '  | ')),
  ]);

const titles: Readonly<Record<Question['kind'], string>> = {
  command: 'May this command run?',
  patch: 'May these files be changed?',
  permissions: 'May later commands do more?',
  network: 'May this command connect?',
  retry: 'The sandbox stopped this command. May it run again?',
  tool: 'May this tool be called?',
  elicitation: 'A server of tools asks you something.',
  input: 'The model asks you:',
  'client-tool': 'The model calls a tool of the client:',
  unknown: 'A newer version of Capstan asks about this call. May it run?',
};

const showsCall: readonly Question['kind'][] = ['tool', 'client-tool', 'unknown'];

function callLines(question: Question, item: TurnItem | undefined, width: number): readonly Span[] {
  const shown = item ?? itemFromJson(question.item);
  const given = shown?.kind === 'tool-call' ? JSON.stringify(shown.arguments, null, 2).split('\n') : [];
  const name = marked(questionToolName(question), width, '  ', '    ');
  return [name, ...given.map((line) => marked(line, width, '  > ', '  | '))].map(bold);
}

/** Text that an approval would allow, in rows that fit; `first` precedes the first row, `next` all others. */
const marked = (text: string, width: number, first: string, next: string): string =>
  behind(unambiguousRows(unambiguousLine(text, 'words'), width - Math.max(first.length, next.length) - 1), first, next);

/** Rows of words about the question, in which blanks at breaks have no meaning. */
const told = (text: string, width: number, first: string, next: string): string =>
  behind(wrap(unambiguousLine(text), width - Math.max(first.length, next.length) - 1), first, next);

const behind = (rows: readonly string[], first: string, next: string): string =>
  rows.map((row, at) => `${at === 0 ? first : next}${row}\n`).join('');

function commandRows(script: string, width: number): readonly string[] {
  const lines = script.split('\n');
  return lines.flatMap((line, at) => marked(line, width, at === 0 ? '  $ ' : '  > ', '  | ').split(/(?<=\n)/));
}

function patchLines({ paths = [] }: Question, item: TurnItem | undefined, width: number): readonly Span[] {
  const changes = item?.kind === 'file-change' ? item.changes : [];
  const isShown = (path: string): boolean => changes.some((change) => change.path === path || change.movePath === path);
  // A file does not keep all changes of a long patch, but the question has all of their paths.
  const others = paths.filter(({ path }) => !isShown(path)).map(({ path }) => marked(path, width, '  ', '    '));
  const lines = changes.flatMap(({ kind, path, movePath, diff = '' }): readonly Span[] => {
    const moved = movePath === undefined ? '' : ` -> ${movePath}`;
    const head = bold(marked(`${kind} ${path}${moved}`, width, '  ', '    '));
    const shown = diff.split('\n').map((line) => diffRows(line, width));
    return diff === '' ? [head] : [head, ...diffSpans(shown.join('\n'), '  ')];
  });
  return [...lines, ...others];
}

/** Continuation rows keep the sign of their line. */
function diffRows(line: string, width: number): string {
  const rows = unambiguousRows(unambiguousLine(line), width - 6);
  return rows.map((row, at) => (at === 0 ? row : `${line.slice(0, 1)}| ${row}`)).join('\n');
}

export const questionWords = ({ agent, ...question }: Question): string =>
  agent === undefined ? callWords(question) : `agent ${agent}: ${callWords(question)}`;

/** The tool of a call for people; `server.tool` for MCP servers. */
function questionToolName({ tool, item }: Pick<Question, 'tool' | 'item'>): string {
  const server = stringAt(objectAt(item, 'capstan'), 'server');
  return server === undefined ? tool : `${server}.${stringAt(item, 'tool') ?? tool}`;
}

function callWords({ argv, host, paths, justification, ...call }: Omit<Question, 'agent'>): string {
  const why = justification === undefined ? '' : ` (${toOneLine(justification, 100)})`;
  if (host !== undefined) return `connect to ${host.name}:${host.port}${why}`;
  if (argv !== undefined) {
    // Lines of a script are separate commands, and must not look like one.
    const script = (argv.length === 3 ? argv[2]! : quoteShellCommand(argv)).trim().replaceAll('\n', ' \u240A ');
    return `run ${toOneLine(script, 200)}${why}`;
  }
  const used = call.kind === 'permissions' ? 'more permissions' : questionToolName(call);
  if (paths === undefined || paths.length === 0) return `use ${used}${why}`;
  const [first, ...more] = paths;
  return `use ${used} on ${first!.path}${more.length === 0 ? '' : ` and ${more.length} more`}${why}`;
}
