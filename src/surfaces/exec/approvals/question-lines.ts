import { hostRuleLine } from '../../../policy/rules/rule-lines.ts';
import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { diffSpans } from '../../terminal/diff-lines.ts';
import { bold, dim, type Span } from '../../terminal/look.ts';
import { count } from '../../terminal/table.ts';
import { visibleLine } from '../../terminal/visible-text.ts';

/** A longer diff is cut: nobody reads it in a terminal, and its files are named all the same. */
const mostDiffLines = 400;

/** What is asked, with everything that a yes would allow. A command is never cut. */
export function questionLines(question: Question, item: TurnItem | undefined): readonly Span[] {
  const { reason, justification, argv, cwd, paths = [], permissions = {} } = question;
  const { network, read = [], write = [], spelled = {} } = permissions;
  const named = (path: string): string => (spelled[path] === undefined ? path : `${path} (named as ${spelled[path]})`);
  const script = argv === undefined ? undefined : argv.length === 3 ? (argv[2] ?? '') : argv.join(' ');
  const facts = [
    ...(reason === undefined ? [] : [reason]),
    ...(justification === undefined ? [] : [`The model says: ${justification}`]),
  ];
  const wanted = [
    ...(network === true ? ['use the network'] : []),
    ...read.map((path) => `read ${named(path)}`),
    ...write.map((path) => `write ${named(path)}`),
    ...(question.kind === 'retry' ? paths.map((needed) => `was stopped at: ${needed.access} ${needed.path}`) : []),
  ];
  return [
    bold(titles[question.kind]),
    '\n',
    ...facts.map((fact) => `  ${visibleLine(fact)}\n`),
    ...(script === undefined ? [] : commandLines(script, cwd)),
    ...wanted.map((line) => `  - ${visibleLine(line)}\n`),
    ...(question.kind === 'patch' ? patchLines(question, item) : []),
    ...ruleLines(question),
  ];
}

/** A rule holds in every thread, and what it allows leaves the sandbox, also where this command would not. */
function ruleLines({ prefix, host, scopes }: Question): readonly Span[] {
  if (!scopes.includes('rule')) return [];
  if (host !== undefined) return [dim(`  rule: ${visibleLine(hostRuleLine(host.name, host.protocol))}\n`)];
  if (prefix === undefined) return [];
  const words = visibleLine(JSON.stringify(prefix));
  return [dim(`  rule: commands that begin with ${words} run without a question, outside the sandbox\n`)];
}

const titles: Readonly<Record<Question['kind'], string>> = {
  command: 'May this command run?',
  patch: 'May these files be changed?',
  permissions: 'May later commands do more?',
  network: 'May this command connect?',
  retry: 'The sandbox stopped this command. May it run again?',
};

/** Each line behind a mark of its own, so that none can pass for ours. */
function commandLines(script: string, cwd: string | undefined): readonly Span[] {
  const lines = script.split('\n').map((line, i) => bold(`  ${i === 0 ? '$' : '>'} ${visibleLine(line)}\n`));
  return cwd === undefined ? lines : [...lines, dim(`  in ${visibleLine(cwd)}\n`)];
}

function patchLines({ paths = [] }: Question, item: TurnItem | undefined): readonly Span[] {
  if (item?.kind !== 'file-change') return paths.map(({ path }) => `  ${visibleLine(path)}\n`);
  return item.changes.flatMap(({ kind, path, movePath, diff = '' }): readonly Span[] => {
    const moved = movePath === undefined ? '' : ` -> ${movePath}`;
    const lines = diff === '' ? [] : diff.split('\n');
    const left = lines.length - mostDiffLines;
    const shown = lines.slice(0, mostDiffLines).map(visibleLine).join('\n');
    return [
      bold(`  ${visibleLine(`${kind} ${path}${moved}`)}\n`),
      ...(shown === '' ? [] : diffSpans(shown, '  ')),
      ...(left > 0 ? [dim(`  … ${count(left)} more lines\n`)] : []),
    ];
  });
}
