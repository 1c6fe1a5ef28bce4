import type { Outcome } from '../../../protocol/outcome.ts';
import type { TurnSummary } from '../../../core/state/turns/turn-list.ts';
import type { ChangedFiles, TurnFileChange } from '../../../engine/undo/file-changes.ts';
import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { filesCommand } from '../table/threads-read-commands.ts';
import { diffSpans } from '../../views/wording/turn-lines.ts';
import { bold, dim, type Span } from '../../views/terminal/styled-text.ts';
import { printResult, tableSpans } from '../../views/terminal/tables.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { findThread, type FoundThread } from './operations.ts';

export async function run({ thread, options }: CommandArguments<typeof filesCommand>): Promise<number | Outcome> {
  const found = await findThread({ thread });
  if ('code' in found) return found;
  const { engine, id } = found;
  const all = await changesOf(engine, await engine.stored.agents(id), options.diff);
  const changes = all.map(({ change, turns, agent }) => ({ ...change, turn: numberOf(change, turns) ?? null, agent }));
  return printResult({ id, changes }, options, () => {
    if (all.length === 0) return 'No file changes are recorded for this thread.\n';
    return all.flatMap(({ change, turns, agent }, at) => [
      at === 0 ? '' : '\n',
      bold(`${agent === undefined ? '' : `Agent ${visibleLine(agent)}: `}${headOf(change, turns)}\n`),
      ...bodyOf(change),
    ]);
  });
}

interface ShownChange {
  readonly change: ChangedFiles;
  readonly turns: readonly TurnSummary[];
  /** The agent that made the change. Absent: the thread itself. */
  readonly agent?: string;
}

async function changesOf(
  engine: FoundThread['engine'],
  { id, agents }: Pick<AgentNode, 'id' | 'agents'>,
  diffs: boolean,
  agent?: string,
): Promise<readonly ShownChange[]> {
  const { turns, changes } = await engine.stored.fileChanges(id, { diffs });
  const all = changes.map((change): ShownChange => ({ change, turns, agent }));
  for (const each of agents.filter(({ status }) => status !== 'not started'))
    all.push(...(await changesOf(engine, each, diffs, each.path)));
  return all;
}

function headOf(change: ChangedFiles, turns: readonly TurnSummary[]): string {
  const { changer, root } = change;
  const place = `in ${visibleLine(root)}`;
  if (changer.kind === 'restore') return `Files brought back ${place}`;
  const number = numberOf(change, turns);
  return `${number === undefined ? 'A turn that was rolled back' : `Turn ${number}`}, ${changer.turnId}, ${place}`;
}

const numberOf = ({ changer }: ChangedFiles, turns: readonly TurnSummary[]): number | undefined =>
  changer.kind === 'turn' ? turns.find(({ id }) => id === changer.turnId)?.number : undefined;

function bodyOf({ changer, state, files, meanwhile }: ChangedFiles): readonly Span[] {
  if (state === 'unknown') return ['  not known: no snapshot was taken, it was cut off, or a snapshot is gone\n'];
  const isUnclear = changer.kind === 'turn' && meanwhile === undefined && files.length > 0;
  return [
    ...(files.length === 0 ? ['  nothing\n'] : filesSpans(files)),
    ...(isUnclear ? ["  The record does not say which of these were the turn's own changes.\n"] : []),
    ...(meanwhile?.length ? ['  Meanwhile, but not by the turn:\n', ...filesSpans(meanwhile)] : []),
  ];
}

const kindLooks = { added: 'green', changed: 'yellow', deleted: 'red' } as const;

function filesSpans(files: readonly TurnFileChange[]): readonly Span[] {
  const rowOf = (file: TurnFileChange): readonly Span[] => [
    { look: kindLooks[file.kind], text: `  ${file.kind}` },
    sizesOf(file),
    file.path,
  ];
  if (files.every(({ diff }) => diff === undefined)) return tableSpans(files.map(rowOf));
  return files.flatMap((file) => [...tableSpans([rowOf(file)]), ...diffOf(file)]);
}

const noLines = {
  binary: 'a binary file, not shown',
  large: 'a large file, not shown',
  mode: 'only its permissions changed',
  'not-kept': 'its content is not in the snapshots',
} as const;

function diffOf({ diff }: TurnFileChange): readonly Span[] {
  if (diff === undefined) return [];
  if (diff.kind !== 'lines') return [dim(`    (${noLines[diff.kind]})\n`)];
  return diff.text === '' ? [dim('    (empty)\n')] : diffSpans(diff.text, '    ');
}

function sizesOf({ sizeBefore, sizeAfter }: TurnFileChange): string {
  const sizes = [sizeBefore, sizeAfter].filter((size) => size !== undefined);
  return sizes.length === 0 ? '' : `${sizes.join(' → ')} B`;
}
