import { defined } from '../../../base/objects.ts';
import { readTurnEvent } from '../../../core/state/drafts/turn-lines.ts';
import { readUsage } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { goalFromJson } from '../../../core/state/fold/goals.ts';
import { threadTotalIn } from '../../../core/state/fold/waiting-messages.ts';
import { codeReviewIn, reviewTargetWords, userCommandIn } from '../../../core/state/recorded/user-actions.ts';
import { concernsTurns, countTurns, foldTurn, noTurns, remainingTurns } from '../../../core/state/turns/turn-log.ts';
import type { TurnLog } from '../../../core/state/turns/turn-log.ts';
import { appliedSettingsSummary, toOneLine, messageWordsOf } from '../../../core/state/turns/turn-words.ts';
import type { SettingsSummary, MessageWords } from '../../../core/state/turns/turn-words.ts';
import type { ReadReport } from '../../../ports/thread-store.ts';
import { parseThreadId, type ThreadId, type TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { isStartedByThread, threadSourceName } from '../../../protocol/thread.ts';
import type { GoalStatus, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { realPath } from '../../disk/file-system.ts';

/** Thread facts for lists, from the lines read so far. Plain JSON: the index stores it and continues from there. */
export interface ThreadListFacts {
  readonly first?: FirstLine;
  readonly gitBranch?: string;
  readonly log: TurnLog;
  /** From the newest `thread_settings_applied`. */
  readonly applied?: { readonly settings: SettingsSummary; readonly win: boolean };
  readonly totalTokens: number;
  /** Calls of the newest turn that wait for the user's answer. Absent: none. */
  readonly asks?: readonly string[];
  readonly began?: string;
  readonly goal?: string;
  /** Goal status after each turn that changed it, by turn number, oldest first. Absent: unchanged. */
  readonly goalAfter?: readonly (readonly [turn: number, status: GoalStatus])[];
}

interface FirstLine {
  readonly id: string;
  readonly createdAt?: number;
  readonly source: string;
  readonly settings: SettingsSummary;
  readonly forkedFrom?: ThreadId;
}

export const emptyThreadListFacts: ThreadListFacts = { log: noTurns, totalTokens: 0 };

export function lineConcernsLists(kind: LineKind): boolean {
  if (kind.type === lineType.question || kind.type === lineType.waiting) return true;
  return concernsTurns(kind) || (kind.type === lineType.event && events.includes(kind.payloadType ?? ''));
}

const events = ['token_count', 'thread_settings_applied', 'thread_goal_updated', 'agent_message'];

export function addLineToFacts(fold: ThreadListFacts, line: Line, words: MessageWords | undefined): ThreadListFacts {
  const log = foldTurn(fold.log, line, words);
  const { payload } = line;
  switch (line.type) {
    case lineType.sessionMeta:
      return { ...withMeta(fold, line), log };
    case lineType.turnContext:
      return { ...outdone(fold), log };
    case lineType.event: {
      const asking = readTurnEvent(payload) === undefined ? fold : { ...fold, asks: undefined };
      return withGoal({ ...withEvent(asking, payload), log }, payload);
    }
    case lineType.question:
      return { ...withQuestion(fold, payload), log };
    case lineType.waiting:
      return { ...withBeginning(fold, payload), log, totalTokens: threadTotalIn(payload)?.total ?? fold.totalTokens };
    default:
      return log === fold.log ? fold : { ...fold, log };
  }
}

/** Later first lines are copies from a fork's source, or edits of the thread by another program: those change git. */
function withMeta(fold: ThreadListFacts, { payload, timestamp }: Line): ThreadListFacts {
  const id = stringAt(payload, 'id') ?? '';
  if (fold.first !== undefined && fold.first.id !== id) return fold;
  const gitBranch = stringAt(objectAt(payload, 'git'), 'branch') ?? fold.gitBranch;
  if (fold.first !== undefined) return { ...fold, gitBranch };
  const first = {
    id,
    createdAt: timeIn(stringAt(payload, 'timestamp')) ?? timeIn(timestamp),
    source: threadSourceName(payload['source']),
    settings: defined({ cwd: stringAt(payload, 'cwd'), provider: stringAt(payload, 'model_provider') }),
    forkedFrom: stringAt(payload, 'forked_from_id') as ThreadId | undefined,
  };
  return { ...fold, gitBranch, first };
}

function withBeginning(fold: ThreadListFacts, payload: JsonObject): ThreadListFacts {
  if (fold.began !== undefined || fold.log.began > 0) return fold;
  const review = codeReviewIn(payload, '' as TurnId, noUsage);
  if (review !== undefined) {
    const about = review.target === undefined ? '' : `: ${reviewTargetWords(review.target)}`;
    return { ...fold, began: toOneLine(`Code review${about}`, 200) };
  }
  const command = userCommandIn(payload);
  return command === undefined ? fold : { ...fold, began: toOneLine(`! ${command.argv[2] ?? ''}`, 200) };
}

function withEvent(fold: ThreadListFacts, event: JsonObject): ThreadListFacts {
  switch (event['type']) {
    case 'token_count': {
      const total = objectAt(objectAt(event, 'info'), 'total_token_usage');
      return total === undefined ? fold : { ...fold, totalTokens: readUsage(total).total };
    }
    case 'thread_settings_applied': {
      const settings = objectAt(event, 'thread_settings');
      if (settings === undefined) return fold;
      // Settings from other programs only repeat a turn's record, which is more reliable.
      const win = objectAt(settings, 'capstan') !== undefined;
      return { ...fold, applied: { settings: appliedSettingsSummary(settings), win } };
    }
    case 'thread_goal_updated': {
      const goal = stringAt(objectAt(event, 'goal'), 'objective');
      return goal === undefined || fold.goal !== undefined ? fold : { ...fold, goal: toOneLine(goal, 200) };
    }
    case 'thread_rolled_back':
      return outdone(fold);
    default:
      return fold;
  }
}

/** A goal is removed with the turn that set it, when that is taken back. */
function withGoal(fold: ThreadListFacts, event: JsonObject): ThreadListFacts {
  const { goalAfter = [], log } = fold;
  if (event['type'] === 'thread_rolled_back' && goalAfter.length > 0) {
    const newest = log.newest?.number ?? 0;
    return { ...fold, goalAfter: goalAfter.filter(([turn]) => turn <= newest) };
  }
  const goal = event['type'] === 'thread_goal_updated' ? goalFromJson(event) : undefined;
  if (goal === undefined) return fold;
  const earlier = goalAfter.filter(([turn]) => turn !== log.began);
  return { ...fold, goalAfter: [...earlier, [log.began, goal.status]] };
}

/** More calls than any answer of a model has. */
const mostAsked = 500;

/** A question waits until it is answered or its turn ends. One about a running call ends with its process. */
function withQuestion(fold: ThreadListFacts, payload: JsonObject): ThreadListFacts {
  if (payload['kind'] === 'retry' || payload['kind'] === 'network') return fold;
  const callId = stringAt(payload, 'call_id');
  const others = fold.asks?.filter((each) => each !== callId) ?? [];
  const isOver = payload['answer'] !== undefined || payload['dropped'] !== undefined || callId === undefined;
  const open = isOver ? others : [...others.slice(1 - mostAsked), callId];
  return { ...fold, asks: open.length === 0 ? undefined : open };
}

/** The settings that were applied before no longer win: a turn's record, or a return to one, is newer. */
const outdone = (fold: ThreadListFacts): ThreadListFacts => ({
  ...fold,
  applied: fold.applied && { ...fold.applied, win: false },
});

/** The part of a summary that comes from the lines; the store adds the rest. */
export type SummaryFromLines = Omit<
  ThreadSummary,
  'id' | 'location' | 'name' | 'updatedAt' | 'archived' | 'compressed'
>;

export function summaryFromFacts(fold: ThreadListFacts): SummaryFromLines {
  const { first, gitBranch, log, applied, totalTokens, goal, goalAfter, asks, began } = fold;
  const turns = remainingTurns(log);
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

/** Old files write times as in file names. */
function timeIn(text: string | undefined): number | undefined {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)$/.exec(text ?? '') ?? [];
  const time = Date.parse(clock === undefined ? (text ?? '') : `${date}T${clock.replaceAll('-', ':')}Z`);
  return Number.isNaN(time) ? undefined : time;
}

export type SpokenMessage = { readonly turn: number; readonly role: 'user' | 'assistant'; readonly text: string };
const longestMessage = 100_000;

export class ThreadLineCollector {
  fold: ThreadListFacts;
  messages: SpokenMessage[] = [];
  keptTurns: number;

  constructor(fold: ThreadListFacts, knowsMessages: boolean) {
    this.fold = fold;
    this.keptTurns = knowsMessages ? Number.MAX_SAFE_INTEGER : 0;
  }

  async hear(lines: AsyncGenerator<Line, ReadReport>): Promise<void> {
    for await (const line of lines) {
      const words = messageWordsOf(line);
      const had = countTurns(this.fold.log);
      this.fold = addLineToFacts(this.fold, line, words);
      const [turns, { ownFrom = 0 }] = [countTurns(this.fold.log), this.fold.log];
      if (turns < had) {
        this.messages = this.messages.filter(({ turn }) => turn <= turns);
        this.keptTurns = Math.min(this.keptTurns, turns);
      }
      const isOwn = (line.ordinal ?? ownFrom) >= ownFrom;
      if (words === undefined || !isOwn || turns === 0) continue;
      const { role } = words;
      const text = collapseBlanks(words.text.slice(0, longestMessage));
      // Old files record every message twice.
      const isKnown = this.messages.slice(-8).some((m) => m.turn === turns && m.role === role && m.text === text);
      if (!isKnown) this.messages.push({ turn: turns, role, text });
    }
  }
}

/** Terms that must all occur in a message; quoted text occurs literally. */
export const searchTerms = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, word]) => collapseBlanks(quoted ?? word ?? '').trim())
    .filter((term) => term !== '');

/** Line breaks and runs of blanks are not searchable. A zero byte would end the text for SQLite. */
export function collapseBlanks(text: string): string {
  // `replace` would keep a tree of pieces, many times the size of the text.
  const parts = text.toWellFormed().split(/(?:[^\S ]|\0| (?=[\s\0]))[\s\0]*/);
  return parts.join(' ');
}

/** SQL condition on the table of messages, with values. The full-text index matches only three letters and more. */
export function messageCondition(terms: readonly string[]) {
  const long = terms.filter((term) => [...term].length >= 3);
  const match = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
  const sql = long.length === 0 ? [] : ['messages.id IN (SELECT rowid FROM words WHERE words MATCH ?)'];
  const values = long.length === 0 ? [] : [match];
  for (const term of terms.filter((one) => !long.includes(one))) {
    const forms = inAnyCase(term);
    sql.push(`(${forms.map(() => String.raw`messages.text LIKE ? ESCAPE '\'`).join(' OR ')})`);
    values.push(...forms.map((form) => `%${form.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`));
  }
  return { sql: sql.join(' AND '), values };
}

/** `LIKE` ignores case only in ASCII. A term has at most two letters, so there are at most four forms. */
function inAnyCase(term: string): readonly string[] {
  const forms = [...term].reduce(
    (begun, letter) => begun.flatMap((form) => [form + letter.toLowerCase(), form + letter.toUpperCase()]),
    [''],
  );
  return [...new Set(forms)];
}

export function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((at) => at >= 0);
  const at = Math.min(...found, text.length);
  const [start, end] = [Math.max(0, (at === text.length ? 0 : at) - 48), at === text.length ? 96 : at + 96];
  const middle = text.slice(start, end).trim();
  return `${start > 0 ? '… ' : ''}${middle}${end < text.length ? ' …' : ''}`;
}

export function queryFilter({ cwd, text, textIn, source }: ThreadQuery): (thread: ThreadSummary) => boolean {
  const folders = cwd === undefined ? [] : [cwd, realPath(cwd) ?? cwd];
  const part = text?.toLowerCase();
  const placesOf = ({ name, preview, gitBranch, cwd: folder, id }: ThreadSummary) =>
    textIn === 'all' ? [name, preview, gitBranch, folder, id] : [name, preview];
  return (thread) =>
    (cwd === undefined || (thread.cwd !== undefined && folders.includes(thread.cwd))) &&
    (part === undefined || placesOf(thread).some((words) => words?.toLowerCase().includes(part))) &&
    (source === 'all' || (source === undefined ? !isStartedByThread(thread) : thread.source === source));
}

/** The last thread of a page. Threads of the same time are ordered by id, so both identify a place in any list. */
export type PageEnd = { readonly time: number; readonly id: ThreadId };
export const formatCursor = ({ time, id }: PageEnd): string => `${time}_${id}`;

export function parseCursor({ cursor }: ThreadQuery): PageEnd | Outcome<'cursor-unknown'> | undefined {
  if (cursor === undefined) return undefined;
  const [, time, uuid = ''] = /^(\d{1,15})_(.+)$/.exec(cursor) ?? [];
  const id = parseThreadId(uuid);
  if (time !== undefined && id !== undefined) return { time: Number(time), id };
  const message = `The cursor ${JSON.stringify(cursor)} is not valid.`;
  return { code: 'cursor-unknown', message, next: 'Use the cursor that the previous page returned.' };
}

export const nothingToSearch: Outcome<'search-empty'> = {
  code: 'search-empty',
  message: 'There is nothing to search for.',
  next: 'Give one or more words, or an exact phrase in quotes.',
};
