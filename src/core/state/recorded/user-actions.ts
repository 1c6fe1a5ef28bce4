import { defined, ifAllDefined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { asItem, isMessage, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type {
  CodeReviewedEvent,
  KeptReview,
  ReviewEnd,
  ReviewFinding,
  ReviewTarget,
} from '../../../protocol/thread-event.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';
import { type Usage, usageSince } from '../../../protocol/usage.ts';
import { parseUserAction, parseUserShellCommand } from '../../fragments/events/user-actions.ts';
import { threadTotalIn } from '../fold/waiting-messages.ts';
import { readOutcome } from './turn-events.ts';

/** The code review whose result a `capstan_waiting` line reports. `before`: cost of the thread until then. */
export function codeReviewIn(payload: JsonObject, turnId: TurnId, before: Usage): CodeReviewedEvent | undefined {
  const item = payload['kind'] === 'item' ? asItem(payload['item']) : undefined;
  if (item === undefined || !isMessage(item)) return undefined;
  const told = parseUserAction(stringAt(item.content[0], 'text') ?? '');
  if (told?.action !== 'review') return undefined;
  const kept = objectAt(payload, 'review');
  const end = readEnd(objectAt(kept, 'end')) ?? { kind: 'told' as const, text: told.results };
  const total = threadTotalIn(payload);
  return {
    kind: 'code-reviewed',
    turnId,
    id: stringAt(item, 'id') ?? '',
    end,
    ...defined({
      target: readTarget(objectAt(kept, 'target')),
      durationMs: numberAt(kept, 'durationMs'),
      usage: total && usageSince(before, total),
    }),
  };
}

export function reviewTargetWords(target: ReviewTarget): string {
  switch (target.kind) {
    case 'uncommitted':
      return 'changes that are not committed';
    case 'base':
      return `changes against ${target.branch}`;
    case 'commit':
      return `commit ${target.commit.slice(0, 12)}${target.title === undefined ? '' : ` ${target.title}`}`;
    case 'words':
      return target.words;
  }
}

function readTarget(stored: JsonObject | undefined): ReviewTarget | undefined {
  const [branch, commit, title, words] = ['branch', 'commit', 'title', 'words'].map((name) => stringAt(stored, name));
  const targets: Readonly<Record<ReviewTarget['kind'], ReviewTarget | undefined>> = {
    uncommitted: { kind: 'uncommitted' },
    base: ifAllDefined({ kind: 'base' as const, branch }),
    commit: commit === undefined ? undefined : { kind: 'commit', commit, ...defined({ title }) },
    words: ifAllDefined({ kind: 'words' as const, words }),
  };
  return Object.entries(targets).find(([kind]) => kind === stored?.['kind'])?.[1];
}

function readEnd(stored: JsonObject | undefined): KeptReview['end'] | undefined {
  const kind = stored?.['kind'];
  if (kind === 'aborted') return { kind };
  if (kind === 'failed') return { kind, outcome: readFailure(objectAt(stored, 'outcome')) };
  return kind === 'reviewed' ? readReviewed(objectAt(stored, 'review')) : undefined;
}

function readFailure(stored: JsonObject | undefined): Outcome {
  const facts = { status: numberAt(stored, 'status'), resetsAt: numberAt(stored, 'resetsAt') };
  return { ...readOutcome(stored), ...defined({ cause: stringAt(stored, 'cause'), ...facts }) };
}

function readReviewed(review: JsonObject | undefined): ReviewEnd | undefined {
  const findings = arrayAt(review, 'findings')?.filter(isJsonObject).map(readFinding);
  if (findings === undefined) return undefined;
  const [correctness = '', explanation = ''] = ['correctness', 'explanation'].map((name) => stringAt(review, name));
  const confidence = numberAt(review, 'confidence');
  return { kind: 'reviewed', review: { findings, correctness, explanation, ...defined({ confidence }) } };
}

function readFinding(stored: JsonObject): ReviewFinding {
  const [title = '', body = ''] = ['title', 'body'].map((name) => stringAt(stored, name));
  const where = objectAt(stored, 'place');
  const [path, from, to] = [stringAt(where, 'path'), numberAt(where, 'from'), numberAt(where, 'to')];
  const place = path === undefined || from === undefined ? undefined : { path, from, to: to ?? from };
  const scores = { priority: numberAt(stored, 'priority'), confidence: numberAt(stored, 'confidence') };
  return { title, body, ...defined({ ...scores, place }) };
}

/** A command of the user, and which line reported it: other programs write an item and a message for the model. */
export type RecordedCommand = { readonly by: 'item' | 'message'; readonly item: CommandItem };

/** The other line of the same run. Its output may be cut, so only the command and its exit code are compared. */
export function findMatchingCommand(told: readonly RecordedCommand[], { by, item }: RecordedCommand) {
  return told.find(
    (other) => other.by !== by && other.item.argv.at(-1) === item.argv.at(-1) && other.item.exitCode === item.exitCode,
  );
}

export function userCommandIn(payload: JsonObject): CommandItem | undefined {
  const item = payload['kind'] === 'item' ? asItem(payload['item']) : undefined;
  return item && userCommandOf(item, '');
}

/** Reads it from an item for the model. `name`: for an item without an id. */
export function userCommandOf(item: Item, name: string): CommandItem | undefined {
  if (!isMessage(item) || item.role !== 'user' || item.content.length !== 1) return undefined;
  const told = parseUserShellCommand(stringAt(item.content[0], 'text') ?? '');
  if (told === undefined) return undefined;
  const { command, exitCode, isStopped, seconds, output } = told;
  return {
    kind: 'command',
    id: stringAt(item, 'id') ?? name,
    byUser: true,
    argv: ['sh', '-c', command],
    cwd: '',
    status: exitCode === 0 ? 'completed' : 'failed',
    output,
    durationMs: seconds * 1000,
    ...defined({ exitCode, unfinished: isStopped === true ? ('interrupted' as const) : undefined }),
  };
}
