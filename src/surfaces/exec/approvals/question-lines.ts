import { widerSandbox } from '../../../policy/where-words.ts';
import { hostAtPort } from '../../../policy/network/host-pattern.ts';
import { formFields } from '../../../protocol/form.ts';
import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { fieldLine } from './form-choices.ts';
import { readItem } from '../../../state/read-item.ts';
import { diffSpans } from '../../terminal/diff-lines.ts';
import { bold, dim, type Span } from '../../terminal/look.ts';
import { count } from '../../wording/number-words.ts';
import { wrap } from '../../terminal/wrap.ts';
import { visibleLine } from '../../terminal/visible-text.ts';

/** From here on what was asked may have left the screen: the end says again what matters. */
const tallRows = 15;

/**
 * What is asked, with everything that a yes would allow. Nothing is cut, and every row of what the model wrote begins
 * with a mark of ours: a text that fills its rows could pass for a question of its own.
 */
export function questionLines(
  question: Question,
  item: TurnItem | undefined,
  { width = Infinity }: { readonly width?: number } = {},
): readonly Span[] {
  const { agent, reason, justification, argv, cwd, paths = [], permissions = {} } = question;
  const { network, read = [], write = [], spelled = {} } = permissions;
  const named = (path: string): string => (spelled[path] === undefined ? path : `${path} (named as ${spelled[path]})`);
  const script = argv === undefined ? undefined : scriptOf(argv);
  const facts = [
    ...(agent === undefined ? [] : [`Agent ${agent} asks.`]),
    ...(reason === undefined ? [] : [reason]),
    ...(justification === undefined ? [] : [`The model says: ${justification}`]),
  ];
  const wanted = [
    ...(network === true ? ['use the network'] : []),
    ...read.map((path) => `read ${named(path)}`),
    ...write.map((path) => `write ${named(path)}`),
    ...(question.kind === 'retry' ? paths.map((needed) => `was stopped at: ${needed.access} ${needed.path}`) : []),
  ];
  const command = script === undefined ? [] : commandRows(script, width);
  return [
    bold(titles[question.kind]),
    '\n',
    ...facts.map((fact) => marked(fact, width, '  ', '  ')),
    ...(script === undefined ? [] : command.map((row) => bold(row))),
    ...(script === undefined || cwd === undefined ? [] : [dim(marked(`in ${cwd}`, width, '  ', '     '))]),
    ...wanted.map((line) => marked(line, width, '  - ', '    ')),
    ...(question.kind === 'patch' ? patchLines(question, item, width) : []),
    ...(showsCall.includes(question.kind) ? callLines(question, item, width) : []),
    ...elicitationLines(question, width),
    ...inputLines(question, width),
    ...ruleLines(question, width),
    ...(command.length <= tallRows
      ? []
      : [bold(`  The command above takes ${count(command.length)} rows. ${visibleLine(reason ?? '')}\n`)]),
  ];
}

/** The command alone, in the rows that the question has of it. */
export function askedCommandLines(argv: readonly string[], { width }: { readonly width: number }): readonly Span[] {
  return commandRows(scriptOf(argv), width).map((row) => bold(row));
}

function scriptOf(argv: readonly string[]): string {
  return argv.length === 3 ? (argv[2] ?? '') : argv.join(' ');
}

/** A rule holds in every thread, and what it allows leaves the sandbox, also where this command would not. */
function ruleLines({ prefix, host, mcp, scopes, confined }: Question, width: number): readonly Span[] {
  if (!scopes.includes('rule')) return [];
  const line = (text: string): Span => dim(marked(`rule: ${text}`, width, '  ', '    '));
  if (host !== undefined)
    return [line(`connections to ${hostAtPort(host.name, host.port)} are allowed without a question, in every thread`)];
  if (mcp !== undefined) return [line(`the tool ${mcp.tool} of the MCP server ${mcp.server} runs without a question`)];
  if (prefix === undefined) return [];
  const where = confined === true ? widerSandbox : 'outside the sandbox';
  return [line(`commands that begin with ${JSON.stringify(prefix)} run without a question, ${where}`)];
}

/** The page that would be visited, or the fields of the form. */
function elicitationLines({ elicitation }: Question, width: number): readonly Span[] {
  if (elicitation === undefined) return [];
  const { url, schema } = elicitation;
  const lines = url === undefined ? formFields(schema).map(fieldLine) : [url];
  return lines.map((line) => bold(marked(line, width, '  > ', '  | ')));
}

/** What the model wants to know, and what it offers as answers. */
function inputLines({ input = [] }: Question, width: number): readonly Span[] {
  return input.flatMap(({ header, question, options }) => [
    bold(marked(`${header}: ${question}`, width, '  > ', '  | ')),
    ...options.map(({ label, description }) => marked(`${label}: ${description}`, width, '  - ', '  | ')),
  ]);
}

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

/** The name of the tool and all of its arguments. */
function callLines({ tool, item: stored }: Question, item: TurnItem | undefined, width: number): readonly Span[] {
  const shown = item ?? readItem(stored);
  const given = shown?.kind === 'tool-call' ? JSON.stringify(shown.arguments, null, 2).split('\n') : [];
  return [bold(marked(tool, width, '  ', '    ')), ...given.map((line) => bold(marked(line, width, '  > ', '  | ')))];
}

/** A text in rows that fit, the first behind `first`, all others behind `next`. */
function marked(text: string, width: number, first: string, next: string): string {
  const rows = wrap(visibleLine(text), width - Math.max(first.length, next.length) - 1);
  return rows.map((row, at) => `${at === 0 ? first : next}${row}\n`).join('');
}

function commandRows(script: string, width: number): readonly string[] {
  const lines = script.split('\n');
  return lines.flatMap((line, at) => {
    const mark = at === 0 ? '  $ ' : '  > ';
    return marked(line, width, mark, '  | ').split(/(?<=\n)/);
  });
}

function patchLines({ paths = [] }: Question, item: TurnItem | undefined, width: number): readonly Span[] {
  const changes = item?.kind === 'file-change' ? item.changes : [];
  const isShown = (path: string): boolean => changes.some((change) => change.path === path || change.movePath === path);
  // A file does not keep all changes of a long patch, and the question has all of their paths.
  const others = paths.filter(({ path }) => !isShown(path)).map(({ path }) => marked(path, width, '  ', '    '));
  const lines = changes.flatMap(({ kind, path, movePath, diff = '' }): readonly Span[] => {
    const moved = movePath === undefined ? '' : ` -> ${movePath}`;
    const shown =
      diff === ''
        ? ''
        : diff
            .split('\n')
            .map((line) => diffRows(line, width))
            .join('\n');
    return [
      bold(marked(`${kind} ${path}${moved}`, width, '  ', '    ')),
      ...(shown === '' ? [] : diffSpans(shown, '  ')),
    ];
  });
  return [...lines, ...others];
}

/** Rows after the first keep the sign of their line. */
function diffRows(line: string, width: number): string {
  const rows = wrap(visibleLine(line), width - 6);
  return rows.map((row, at) => (at === 0 ? row : `${line.slice(0, 1)}| ${row}`)).join('\n');
}
