import { defined } from '../../protocol/defined.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { GoalStatus } from '../../protocol/goal.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { sourceWord } from '../../protocol/thread-source.ts';
import { type Line, type LineKind, lineType } from '../../protocol/line.ts';
import type { ThreadSummary } from '../../protocol/thread-summary.ts';
import { noUsage } from '../../protocol/usage.ts';
import { readGoal } from '../../state/goals.ts';
import { oneLine } from '../../state/one-line.ts';
import { reviewIn, reviewTargetWords } from '../../state/recorded-review.ts';
import { userCommandIn } from '../../state/recorded-shell.ts';
import type { SpokenWords } from '../../state/spoken-words.ts';
import { turnEvent } from '../../state/turn-event.ts';
import { concernsTurns, foldTurn, noTurns, standingTurns, type TurnLog } from '../../state/turns.ts';
import { readUsage } from '../../state/usage-fields.ts';
import { totalIn } from '../../state/waiting.ts';
import { appliedSettings, type SettingsInWords } from '../../state/turn-settings.ts';

/**
 * What lists need of a thread, as far as its lines were read. Plain JSON: the index keeps it and continues from there.
 */
export interface ThreadFold {
  readonly first?: FirstLine;
  readonly gitBranch?: string;
  readonly log: TurnLog;
  /** Of the newest `thread_settings_applied`. */
  readonly applied?: { readonly settings: SettingsInWords; readonly win: boolean };
  readonly totalTokens: number;
  /** Calls of the newest turn that wait for the user's answer. Absent: none. */
  readonly asks?: readonly string[];
  /** The review or the command that the user started before the first message, if any, in words. */
  readonly began?: string;
  /** The goal that the thread was given before the first message, if any. */
  readonly goal?: string;
  /** The status of the goal after each turn that changed it, by the turn's number, oldest first. Absent: none did. */
  readonly goalAfter?: readonly (readonly [turn: number, status: GoalStatus])[];
}

interface FirstLine {
  readonly id: string;
  readonly createdAt?: number;
  readonly source: string;
  readonly settings: SettingsInWords;
  readonly forkedFrom?: ThreadId;
}

export const emptyFold: ThreadFold = { log: noTurns, totalTokens: 0 };

/** Lines that say nothing for lists need not be parsed. */
export function concernsLists(kind: LineKind): boolean {
  if (kind.type === lineType.question || kind.type === lineType.waiting) return true;
  return concernsTurns(kind) || (kind.type === lineType.event && events.includes(kind.payloadType ?? ''));
}

const events = ['token_count', 'thread_settings_applied', 'thread_goal_updated', 'agent_message'];

/** The thread after one more line, of which `words` are the words. */
export function foldListed(fold: ThreadFold, line: Line, words: SpokenWords | undefined): ThreadFold {
  const log = foldTurn(fold.log, line, words);
  const { payload } = line;
  switch (line.type) {
    case lineType.sessionMeta:
      return { ...withMeta(fold, line), log };
    case lineType.turnContext:
      return { ...outdone(fold), log };
    case lineType.event:
      return withGoal(
        { ...withEvent(turnEvent(payload) === undefined ? fold : withoutQuestions(fold), payload), log },
        payload,
      );
    case lineType.question:
      return { ...withQuestion(fold, payload), log };
    case lineType.waiting:
      return { ...withBeginning(fold, payload), log, totalTokens: totalIn(payload)?.total ?? fold.totalTokens };
    default:
      return log === fold.log ? fold : { ...fold, log };
  }
}

/** Later first lines are copies from a fork's source, or edits of the thread by another program: those change git. */
function withMeta(fold: ThreadFold, { payload, timestamp }: Line): ThreadFold {
  const id = stringAt(payload, 'id') ?? '';
  if (fold.first !== undefined && fold.first.id !== id) return fold;
  const git = defined({ gitBranch: stringAt(objectAt(payload, 'git') ?? {}, 'branch') });
  if (fold.first !== undefined) return { ...fold, ...git };
  const createdAt = timeIn(stringAt(payload, 'timestamp')) ?? timeIn(timestamp);
  const forkedFrom = stringAt(payload, 'forked_from_id') as ThreadId | undefined;
  const [cwd, provider] = [stringAt(payload, 'cwd'), stringAt(payload, 'model_provider')];
  const settings = defined({ cwd, provider });
  const source = sourceWord(payload['source']);
  const first = { id, ...defined({ createdAt }), source, settings, ...defined({ forkedFrom }) };
  return { ...fold, ...git, first };
}

function withBeginning(fold: ThreadFold, payload: JsonObject): ThreadFold {
  if (fold.began !== undefined || fold.log.began > 0) return fold;
  const review = reviewIn(payload, '' as TurnId, noUsage);
  if (review !== undefined) {
    const about = review.target === undefined ? '' : `: ${reviewTargetWords(review.target)}`;
    return { ...fold, began: oneLine(`Code review${about}`, 200) };
  }
  const command = userCommandIn(payload);
  return command === undefined ? fold : { ...fold, began: oneLine(`! ${command.argv[2] ?? ''}`, 200) };
}

function withEvent(fold: ThreadFold, event: JsonObject): ThreadFold {
  switch (event['type']) {
    case 'token_count': {
      const total = objectAt(objectAt(event, 'info') ?? {}, 'total_token_usage');
      return total === undefined ? fold : { ...fold, totalTokens: readUsage(total).total };
    }
    case 'thread_settings_applied': {
      const settings = objectAt(event, 'thread_settings');
      if (settings === undefined) return fold;
      // Other programs repeat here what a turn's record says better.
      const win = objectAt(settings, 'capstan') !== undefined;
      return { ...fold, applied: { settings: appliedSettings(settings), win } };
    }
    case 'thread_goal_updated': {
      const goal = stringAt(objectAt(event, 'goal') ?? {}, 'objective');
      return goal === undefined || fold.goal !== undefined ? fold : { ...fold, goal: oneLine(goal, 200) };
    }
    case 'thread_rolled_back':
      return outdone(fold);
    default:
      return fold;
  }
}

/** A goal goes with the turn that set it, when that is taken back. */
function withGoal(fold: ThreadFold, event: JsonObject): ThreadFold {
  const { goalAfter = [], log } = fold;
  if (event['type'] === 'thread_rolled_back' && goalAfter.length > 0) {
    const newest = log.newest?.number ?? 0;
    return { ...fold, goalAfter: goalAfter.filter(([turn]) => turn <= newest) };
  }
  const goal = event['type'] === 'thread_goal_updated' ? readGoal(event) : undefined;
  if (goal === undefined) return fold;
  const earlier = goalAfter.filter(([turn]) => turn !== log.began);
  return { ...fold, goalAfter: [...earlier, [log.began, goal.status]] };
}

/** No answer of a model holds so many calls. */
const mostAsked = 500;

/** A question waits until it is answered, or its turn ends. One about a call that runs ends with its process. */
function withQuestion({ asks = [], ...fold }: ThreadFold, payload: JsonObject): ThreadFold {
  const callId = stringAt(payload, 'call_id');
  const others = asks.filter((each) => each !== callId);
  if (payload['kind'] === 'retry' || payload['kind'] === 'network')
    return { ...fold, ...(asks.length > 0 && { asks }) };
  const isOver = payload['answer'] !== undefined || payload['dropped'] !== undefined || callId === undefined;
  const open = isOver ? others : [...others.slice(1 - mostAsked), callId];
  return open.length === 0 ? fold : { ...fold, asks: open };
}

function withoutQuestions({ asks: _asks, ...fold }: ThreadFold): ThreadFold {
  return fold;
}

/** A turn's record, or a return to one, is newer than settings that were applied before it. */
function outdone({ applied, ...fold }: ThreadFold): ThreadFold {
  return applied === undefined ? fold : { ...fold, applied: { ...applied, win: false } };
}

/** What the lines say; the rest of a summary is the store's to say. */
export type ReadSummary = Omit<ThreadSummary, 'id' | 'location' | 'name' | 'updatedAt' | 'archived' | 'compressed'>;

export function summaryOf(fold: ThreadFold): ReadSummary {
  const { first, gitBranch, log, applied, totalTokens, goal, goalAfter, asks, began } = fold;
  const turns = standingTurns(log);
  const said = turns.find(({ firstWords }) => firstWords !== '')?.firstWords;
  const chosen = applied?.win === true ? applied.settings : { ...applied?.settings, ...log.newest?.settings };
  return {
    preview: said ?? goal ?? began ?? '',
    createdAt: first?.createdAt ?? 0,
    ...first?.settings,
    ...chosen,
    ...defined({ forkedFrom: first?.forkedFrom }),
    turns: turns.filter(({ purpose }) => purpose === undefined).length,
    totalTokens,
    ...defined({ source: first?.source, gitBranch, questions: asks?.length, goal: goalAfter?.at(-1)?.[1] }),
  };
}

/** Old files write a time as file names do. */
function timeIn(text: string | undefined): number | undefined {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)$/.exec(text ?? '') ?? [];
  const time = Date.parse(clock === undefined ? (text ?? '') : `${date}T${clock.replaceAll('-', ':')}Z`);
  return Number.isNaN(time) ? undefined : time;
}
