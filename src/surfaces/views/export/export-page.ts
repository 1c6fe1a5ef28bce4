import { stringAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { turnContextSummary } from '../../../core/state/turns/turn-words.ts';
import type { NonUserAuthor } from '../../../protocol/user-input.ts';
import { costOfAllTurns, readTurnItems } from '../../../core/state/turns/turn-items.ts';
import type { TurnItems, TurnWithItems } from '../../../core/state/turns/turn-items.ts';
import { formatDuration, plural } from '../../../engine/wording.ts';
import { costLine } from '../wording/cost-words.ts';
import type { CallReport } from '../../../core/state/recorded/call-answers.ts';

export interface ExportPage extends Omit<TurnItems, 'places'> {
  readonly id: string;
  readonly name?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly program?: string;
  readonly cwd?: string;
  readonly forkedFrom?: string;
}

export function exportPage({ id, name }: Pick<ExportPage, 'id' | 'name'>, lines: readonly Line[]): ExportPage {
  const meta = lines.find(({ type }) => type === lineType.sessionMeta)?.payload ?? {};
  const [cwd, forkedFrom] = [stringAt(meta, 'cwd'), stringAt(meta, 'forked_from_id')];
  const program = [stringAt(meta, 'originator'), stringAt(meta, 'cli_version')].filter(Boolean).join(' ');
  const { turns, usage } = readTurnItems(lines);
  const startedAt = stringAt(meta, 'timestamp') ?? lines[0]?.timestamp ?? '';
  return { id, startedAt, program: program || undefined, name, cwd, forkedFrom, turns, usage };
}

export const pageFacts = ({ id, startedAt, program, cwd, forkedFrom, turns, usage }: ExportPage) =>
  known({
    thread: id,
    started: startedAt,
    program,
    folder: cwd,
    'fork of': forkedFrom,
    turns: String(turns.length),
    tokens: costLine(costOfAllTurns({ turns, usage })),
  });

const known = (facts: Readonly<Record<string, string | undefined>>): readonly [name: string, value: string][] =>
  Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined);

/** A turn's settings, as pairs of name and value, if known and different from the turn before. */
export function changedTurnSettings(turn: TurnWithItems, before: TurnWithItems | undefined) {
  const values = new Map(before === undefined ? [] : settingFacts(before));
  return settingFacts(turn).filter(([name, value]) => values.get(name) !== value);
}

function settingFacts({ context = {} }: TurnWithItems) {
  const { model, effort, cwd, sandbox, approval, mode } = turnContextSummary(context);
  return known({ model, effort, folder: cwd, sandbox, approval, mode: mode === 'default' ? undefined : mode });
}

export function turnEndWords({ status, isTakenBack, error }: TurnWithItems): string | undefined {
  const end = { completed: undefined, failed: 'failed', interrupted: 'interrupted', open: 'has no end' }[status];
  const words = [isTakenBack ? 'taken back' : undefined, end, error].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(', ');
}

export const pictureWords = (pictures: readonly string[]): string => plural(pictures.length, 'picture');

/** How a call ended and how long it took, if its answer says so; else empty. */
export const callEndAndDuration = ({ end, seconds }: CallReport): string =>
  [end, seconds === undefined || seconds === 0 ? undefined : secondsWords(seconds)].filter(Boolean).join(' · ');

function secondsWords(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : formatDuration(seconds * 1000);
}

/** The thread's name, else the first words in it. */
export function exportTitle({ id, name, turns }: ExportPage): string {
  if (name !== undefined) return name;
  const words = turns.flatMap(({ items }) => items).find((item) => item.kind === 'user');
  const [first = ''] = words?.texts.join(' ').trim().split('\n') ?? [];
  if (first === '') return `Thread ${id}`;
  return [...first].length > 80 ? `${[...first].slice(0, 79).join('')}…` : first;
}

export const itemAuthor = (author: NonUserAuthor | undefined): string =>
  ({ user: 'User', agent: 'Agent', program: 'Program' })[author ?? 'user'];
