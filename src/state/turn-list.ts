import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { objectAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { oneLine } from './one-line.ts';
import { spokenWords, type SpokenWords } from './spoken-words.ts';
import { turnEvent, type TurnStatus } from './turn-event.ts';
import type { SettingsInWords } from './turn-settings.ts';
import { foldTurn, noTurns, standingTurns, type TurnLog } from './turns.ts';

/** A turn as lists show it. Times are milliseconds since the Unix epoch. */
export interface TurnSummary extends SettingsInWords {
  /** Counted from 1 over the turns that were not taken back. */
  readonly number: number;
  readonly id: TurnId;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly status: TurnStatus;
  /** The beginning of what the user wanted, in one line; empty when the user said nothing. */
  readonly firstWords: string;
  /** What the user said in it after that, a line for each message. Absent if there was no more. */
  readonly moreWords?: readonly string[];
  /** The turn only made a checkpoint, or tried to. */
  readonly purpose?: 'compaction';
  /** Why it failed, in one line. */
  readonly problem?: string;
}

type Shown = Pick<TurnSummary, 'moreWords' | 'problem'>;

/** The turns of a thread that were not taken back, oldest first. Lines of any program, in the order of the thread. */
export async function turnList(lines: AsyncIterable<Line>): Promise<readonly TurnSummary[]> {
  let log = noTurns;
  const details = new Map<string, Details>();
  for await (const line of lines) {
    const words = spokenWords(line);
    log = foldTurn(log, line, words);
    if (log.newest !== undefined) addDetails(details, log.newest.id, line, words);
  }
  return turnsOf(log).map((turn) => ({ ...turn, ...shownOf(details.get(turn.id)) }));
}

/** What a list shows of a turn beside its record, which has a bounded size. */
interface Details {
  /** By form: old files say everything twice. */
  readonly said: { readonly [Form in SpokenWords['form']]: string[] };
  problem?: string;
}

function addDetails(
  all: Map<string, Details>,
  newest: TurnId,
  { type, payload }: Line,
  words: SpokenWords | undefined,
): void {
  const of = (turn: string): Details => {
    const known = all.get(turn) ?? { said: { item: [], event: [] } };
    all.set(turn, known);
    return known;
  };
  if (words?.role === 'user') of(newest).said[words.form].push(oneLine(words.text, 200));
  const event = type === lineType.event ? turnEvent(payload) : undefined;
  const problem = event?.kind === 'end' ? stringAt(objectAt(payload, 'error'), 'message') : undefined;
  // An end may come late, and name an older turn.
  if (event?.kind === 'end' && problem !== undefined) of(event.name || newest).problem = oneLine(problem, 200);
}

function shownOf(details: Details | undefined): Shown {
  if (details === undefined) return {};
  const { said, problem } = details;
  const [, ...moreWords] = said.item.length >= said.event.length ? said.item : said.event;
  return {
    ...(moreWords.length === 0 ? {} : { moreWords }),
    ...defined({ problem }),
  };
}

export function turnsOf(log: TurnLog): readonly TurnSummary[] {
  return standingTurns(log).map(({ id, startedAt, endedAt, status, firstWords, settings, purpose }, at) => ({
    number: at + 1,
    id,
    ...defined({ startedAt }),
    status,
    firstWords,
    ...settings,
    ...defined({ endedAt, purpose }),
  }));
}
