import { defined } from '../../../base/objects.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import { asItem, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, objectsAt, stringAt, trueAt } from '../../../protocol/json.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import type { Answer } from '../../../protocol/question.ts';
import type { PrefixBreak, PrefixBrokenEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandItem, TurnItem } from '../../../protocol/turn-item.ts';
import { noUsage, type Usage } from '../../../protocol/usage.ts';
import { entryFromLine } from '../../history/entry.ts';
import { readCheckpointReport } from '../checkpoints/checkpoint-counts.ts';
import { readContextFacts } from '../drafts/item-lines.ts';
import { isSameTurnName, readTurnEvent } from '../drafts/turn-lines.ts';
import { readHookEvent } from '../fold/hook-runs.ts';
import { threadTotalIn } from '../fold/waiting-messages.ts';
import { foldQuestion, foldQuestionOver, rebuildQuestion } from '../questions/pending-questions.ts';
import { type RecordedQuestion, stringListAt } from '../questions/question-lines.ts';
import { foldAnswer, foldCall } from '../reduce.ts';
import { emptyThreadState, type ThreadState } from '../thread-state.ts';
import { foldTurnWithoutWords, noTurnsWithInherited, type TurnLog, turnsFrom } from '../turns/turn-log.ts';
import { callEndEvent, type OpenCall, convertOldPatchRecord } from './call-answers.ts';
import { contextEvents, modelItem } from './conversation-items.ts';
import { itemFromJson } from './read-stored-item.ts';
import { modelSwitchEvent, readOutcome, settingsEventIn, readTurnEnd, usageEventIn } from './turn-events.ts';
import { findMatchingCommand, codeReviewIn, userCommandIn, userCommandOf } from './user-actions.ts';
import type { RecordedCommand } from './user-actions.ts';

/**
 * Rebuilds events from lines: `foldRecorded` returns those of each line. They equal the events sent to subscribers,
 * except for data that files lack: output that the model did not get, commands of a question, and long facts. A patch's
 * lines are in its `call`. Files of other programs give only what they contain.
 */
export interface RecordedState {
  readonly threadId: ThreadId;
  readonly turns: TurnLog;
  readonly total: Usage;
  readonly asked: QuestionState;
  /** An item whose answer follows in the next line. */
  readonly ended?: TurnItem;
  /** Turn of that item: a command may end in a later one. */
  readonly endedIn?: TurnId;
  /** Calls of the turn by id: the model's request, the start, and whether the item was shown. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly plan?: TurnItem;
  /** Ids of the user's commands and reviews since the turn began: a line may repeat one. */
  readonly ran: ReadonlySet<string>;
  /** Commands reported by one line so far: a second line about the same run shows nothing. */
  readonly told: readonly RecordedCommand[];
}

/** `rewound`: turns were taken back; `takenBackAt` says which. */
export type RecordedNews = { readonly kind: 'event'; readonly event: ThreadEvent } | { readonly kind: 'rewound' };

const recordedKinds: ReadonlySet<ThreadEvent['kind']> = new Set<ThreadEvent['kind']>([
  'turn-started',
  'context',
  'code-reviewed',
  'model-switched',
  'item-completed',
  'call-refused',
  'hook-completed',
  'question-asked',
  'question-answered',
  'usage',
  'prefix-broken',
  'checkpoint-installed',
  'checkpoint-failed',
  'turn-completed',
  'turn-failed',
  'turn-aborted',
]);

/** True if a thread's lines record the event: of settings only changes, of started or updated items only plans. */
export function isRecordedEvent(event: ThreadEvent): boolean {
  if (event.kind === 'item-started' || event.kind === 'item-updated') return event.item.kind === 'plan';
  return event.kind === 'settings' ? event.cause === 'override' : recordedKinds.has(event.kind);
}

export function initialRecordedState(threadId: ThreadId): RecordedState {
  const nothing = { total: noUsage, asked: noQuestions, calls: new Map(), ran: new Set<string>(), told: [] };
  return { threadId, turns: noTurnsWithInherited, ...nothing };
}

/** State after the line at `place`, the last one of a thread in which no turn is open. */
export function recordedStateAt(
  threadId: ThreadId,
  { usage }: Pick<ThreadState, 'usage'>,
  place: number,
): RecordedState {
  return { ...initialRecordedState(threadId), turns: turnsFrom(place), total: usage.total };
}

export const placeOfState = ({ turns }: RecordedState): number => turns.place;
export type FoldedNews = { readonly state: RecordedState; readonly news: readonly RecordedNews[] };

export function foldRecorded(before: RecordedState, line: Line): FoldedNews {
  // The first line of a fork or a revert is read before those that it continues from.
  if (line.type === lineType.sessionMeta && line.ordinal !== undefined) return { state: before, news: [] };
  const { ended, endedIn } = before;
  // Only the newest turn is needed, however many there were.
  const turns = { ...foldTurnWithoutWords(before.turns, line), earlier: [], count: 0 };
  const { asked, events: about } = foldAsked(before.asked, line, (callId) => before.calls.get(callId)?.call);
  const state: RecordedState = { ...before, ended: undefined, endedIn: undefined, turns, asked };
  const answer = answerIn(line);
  // If its answer does not come next, an item has none.
  const late =
    ended !== undefined && answer === undefined ? [completed(endedIn ?? turnOf(before), withoutAnswer(ended))] : [];
  const folded =
    answer !== undefined
      ? foldAnswered(state, line, answer, ended)
      : line.type === lineType.responseItem
        ? foldItem(before, state, line)
        : (folds.get(line.type)?.(state, line.payload, before) ?? withEvents(state));
  return { state: folded.state, news: [...asNews(late), ...asNews(about), ...folded.news] };
}

/** Marks the output as unknown if no answer came: the answers of later calls that read it have it. */
function withoutAnswer(item: TurnItem): TurnItem {
  const isUnknown = item.kind === 'command' && item.byUser !== true && item.output === '';
  return isUnknown ? { ...item, outputUnknown: true } : item;
}

type Fold = (state: RecordedState, payload: JsonObject, before: RecordedState) => FoldedNews;

const folds: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  [lineType.event, (state, payload, before) => foldEventLine(before, state, payload)],
  [lineType.call, foldBegun],
  [lineType.session, foldSessionLine],
  [lineType.compacted, (state, payload) => withEvents(state, ...checkpointEvents(turnOf(state), payload))],
  [lineType.compaction, (state, payload) => withEvents(state, failedCheckpoint(state.threadId, payload))],
  [lineType.hook, (state, payload) => withEvents(state, readHookEvent(payload))],
  [lineType.waiting, foldWaitingLine],
  [lineType.request, (state, payload) => withEvents(state, prefixBroken(payload))],
]);

function foldEventLine(before: RecordedState, state: RecordedState, payload: JsonObject): FoldedNews {
  if (readTurnEvent(payload)?.kind === 'rollback')
    return { state: atTurnEnd({ ...state, turns: turnsFrom(state.turns.place) }), news: [{ kind: 'rewound' }] };
  if (state.turns.began > before.turns.began) return begun(before, state, payload);
  const end = readTurnEnd(payload, before.turns.open, state.total);
  if (end !== undefined) return withEvents(atTurnEnd(state), ...planOf(state), end);
  if (payload['type'] === 'token_count') {
    const { total, event } = usageEventIn(payload, turnOf(state), state.total);
    return withEvents({ ...state, total }, event);
  }
  if (payload['type'] === 'thread_settings_applied') return withEvents(state, settingsEventIn(payload));
  if (payload['type'] === 'patch_apply_end') return foldCompletedItem(state, convertOldPatchRecord(payload));
  return payload['type'] === 'item_completed' ? foldCompletedItem(state, payload) : { state, news: [] };
}

function foldWaitingLine(state: RecordedState, payload: JsonObject): FoldedNews {
  const review = codeReviewIn(payload, turnOf(state), state.total);
  const counted = { ...state, total: threadTotalIn(payload) ?? state.total };
  if (review === undefined) return foldUserCommand(counted, userCommandIn(payload));
  if (state.ran.has(review.id)) return { state: counted, news: [] };
  return withEvents({ ...counted, ran: new Set([...state.ran, review.id]) }, review);
}

function foldUserCommand(state: RecordedState, item: CommandItem | undefined): FoldedNews {
  if (item === undefined || state.ran.has(item.id)) return { state, news: [] };
  const ran = { ...state, ran: new Set([...state.ran, item.id]) };
  return foldTold(ran, { by: 'message', item }, (shown) => withEvents(shown, completed(turnOf(state), item)));
}

function foldTold(state: RecordedState, told: RecordedCommand, show: (shown: RecordedState) => FoldedNews): FoldedNews {
  const other = findMatchingCommand(state.told, told);
  if (other === undefined) return show({ ...state, told: [...state.told, told] });
  return { state: { ...state, told: state.told.filter((each) => each !== other) }, news: [] };
}

/** A turn that another program left open ends when the next one begins. */
function begun(before: RecordedState, state: RecordedState, payload: JsonObject): FoldedNews {
  const turnId = turnOf(state);
  const aborted = { kind: 'turn-aborted', turnId: turnOf(before) } as const;
  const left = before.turns.open === undefined ? [] : [...planOf(before), aborted];
  const switched = objectAt(objectAt(payload, 'capstan'), 'switched');
  return withEvents(atTurnEnd(state), ...left, started(turnId, state), modelSwitchEvent(turnId, switched));
}

/** Messages and reasoning of the model have lines of their own, in files of every program. */
function foldCompletedItem(state: RecordedState, payload: JsonObject): FoldedNews {
  const item = itemFromJson(objectAt(payload, 'item') ?? {});
  const isSaid = item?.kind === 'agent-message' || item?.kind === 'reasoning' || item?.kind === 'web-search';
  if (item === undefined || isSaid) return { state, news: [] };
  if (item.kind === 'plan') return { state: { ...state, plan: item }, news: [] };
  const endedIn = (stringAt(payload, 'turn_id') ?? turnOf(state)) as TurnId;
  const show = (shown: RecordedState): FoldedNews => ({
    state: { ...withCall(shown, item.id, { isShown: true }), ended: item, endedIn },
    news: [],
  });
  return item.kind === 'command' && item.byUser === true ? foldTold(state, { by: 'item', item }, show) : show(state);
}

function foldItem(before: RecordedState, state: RecordedState, line: Line): FoldedNews {
  const item = asItem(line.payload);
  if (item === undefined) return { state, news: [] };
  const isNew = state.turns.began > before.turns.began;
  // Old files do not record the start of turns: a user's message marks it.
  const opened: readonly ThreadEvent[] = isNew ? [started(turnOf(state), state)] : [];
  const callId = stringAt(item, 'call_id');
  if (callId !== undefined) return { state: withCall(state, callId, { call: item }), news: [] };
  const entry = entryFromLine(item, line.metadata);
  const turnId = entry.turn ?? turnOf(state);
  const said = entry.origin.family === 'model' ? modelItem(item, state.turns.place) : undefined;
  if (said !== undefined) return withEvents(state, ...opened, completed(turnId, said));
  const ran = entry.origin.family === 'user' ? undefined : userCommandOf(item, `item-${state.turns.place}`);
  // A message of ours waited before, and was shown then.
  if (ran !== undefined && stringAt(objectAt(line.metadata, 'capstan'), 'waited') === undefined)
    return foldUserCommand(state, ran);
  return withEvents(state, ...opened, ...contextEvents(entry, line.metadata, { turnId, place: state.turns.place }));
}

function foldBegun(state: RecordedState, payload: JsonObject): FoldedNews {
  const [callId, stored] = [stringAt(payload, 'call_id'), objectAt(payload, 'item')];
  const item = stored && itemFromJson(stored);
  if (callId === undefined || item === undefined) return { state, news: [] };
  const [outside, confined] = [trueAt(payload, 'outside'), trueAt(payload, 'confined')];
  const begun: OpenCall = { begun: item, ...defined({ outside, confined }) };
  if (item.kind !== 'plan') return { state: withCall(state, callId, begun), news: [] };
  const kind = state.plan === undefined ? 'item-started' : 'item-updated';
  const planned = withCall({ ...state, plan: item }, callId, { isShown: true });
  return withEvents(planned, { kind, turnId: turnOf(state), item });
}

/** The command of a call keeps running: its answer does not end it. */
function foldSessionLine(state: RecordedState, payload: JsonObject): FoldedNews {
  const callId = stringAt(payload, 'call_id');
  return withEvents(callId === undefined ? state : withCall(state, callId, { isShown: true }));
}

function foldAnswered(state: RecordedState, line: Line, answer: Item, ended: TurnItem | undefined): FoldedNews {
  const callId = stringAt(answer, 'call_id') ?? '';
  const turnId = entryFromLine(answer, line.metadata).turn ?? turnOf(state);
  const event = callEndEvent(answer, line, { turnId, callId, ended, open: state.calls.get(callId) });
  const others = [...state.calls].filter(([id]) => id !== callId);
  return withEvents({ ...state, calls: new Map(others) }, event);
}

function answerIn({ type, payload }: Line): Item | undefined {
  const item = type === lineType.responseItem ? asItem(payload) : undefined;
  return item?.type.endsWith('_output') === true ? item : undefined;
}

function withCall(state: RecordedState, callId: string, more: OpenCall): RecordedState {
  return { ...state, calls: new Map([...state.calls, [callId, { ...state.calls.get(callId), ...more }]]) };
}

const turnOf = ({ turns }: RecordedState): TurnId => (turns.newest?.id ?? turns.open ?? '') as TurnId;

function atTurnEnd(state: RecordedState): RecordedState {
  return { ...state, plan: undefined, calls: new Map(), ran: new Set(), told: [] };
}

const planOf = (state: RecordedState): readonly ThreadEvent[] =>
  state.plan === undefined ? [] : [completed(turnOf(state), state.plan)];

const completed = (turnId: TurnId, item: TurnItem): ThreadEvent => ({ kind: 'item-completed', turnId, item });

function started(turnId: TurnId, { total }: RecordedState): ThreadEvent {
  return { kind: 'turn-started', turnId, usage: total };
}

function withEvents(state: RecordedState, ...events: readonly (ThreadEvent | undefined)[]): FoldedNews {
  return { state, news: asNews(events.filter((event) => event !== undefined)) };
}

const asNews = (events: readonly ThreadEvent[]): readonly RecordedNews[] =>
  events.map((event) => ({ kind: 'event', event }));

/** A checkpoint with the context that it sends again. Nothing more is known of another program's checkpoint. */
function checkpointEvents(turnId: TurnId, payload: JsonObject): readonly ThreadEvent[] {
  const report = readCheckpointReport(payload);
  if (report === undefined) return [];
  const metadata = arrayAt(payload, 'replacement_history_metadata') ?? [];
  const context = (arrayAt(payload, 'replacement_history') ?? []).flatMap((value, index): readonly ThreadEvent[] => {
    const [item, beside] = [asItem(value), metadata[index]];
    // Content from before the checkpoint has been shown.
    if (item === undefined || !isJsonObject(beside) || readContextFacts(beside).why !== 'checkpoint') return [];
    return contextEvents(entryFromLine(item, beside), beside, { turnId, place: index });
  });
  return [...context, { kind: 'checkpoint-installed', turnId, id: report.id, report }];
}

function failedCheckpoint(threadId: ThreadId, payload: JsonObject): ThreadEvent {
  const [id = '', turnId = ''] = [stringAt(payload, 'id'), stringAt(payload, 'turn_id')];
  const outcome = readOutcome(objectAt(payload, 'outcome'));
  const paused = payload['paused'] === true;
  return defined({ kind: 'checkpoint-failed', turnId: turnId as TurnId, id, threadId, outcome, paused }) as ThreadEvent;
}

/** The prefix break in a `capstan_request` line. Undefined without one, or for a request beside the conversation. */
function prefixBroken(payload: JsonObject): PrefixBrokenEvent | undefined {
  const [turnId, step] = [stringAt(payload, 'turn_id'), numberAt(payload, 'step')];
  const prefix = objectAt(payload, 'prefix');
  if (turnId === undefined || step === undefined || payload['auxiliary'] !== undefined) return undefined;
  const breaks = objectsAt(prefix, 'breaks').filter(isBreak);
  if (breaks.length === 0) return undefined;
  const keptTokens = numberAt(objectAt(prefix, 'kept'), 'tokens') ?? 0;
  return { kind: 'prefix-broken', turnId: turnId as TurnId, step, keptTokens, breaks };
}

const isWholeBreak: Readonly<Record<PrefixBreak['kind'], (value: JsonObject) => boolean>> = {
  checkpoint: () => true,
  rollback: () => true,
  reopened: () => true,
  instructions: () => true,
  setting: (value) => stringAt(value, 'name') !== undefined,
  tools: (value) => ['added', 'removed', 'changed'].every((key) => stringListAt(value, key) !== undefined),
  entry: (value) =>
    numberAt(value, 'index') !== undefined && (value['what'] === 'changed' || value['what'] === 'removed'),
};

function isBreak(value: JsonObject): value is JsonObject & PrefixBreak {
  const kind = Object.keys(isWholeBreak).find((known) => known === value['kind']) as PrefixBreak['kind'] | undefined;
  return kind !== undefined && numberAt(value, 'tokens') !== undefined && isWholeBreak[kind](value);
}

type QuestionState = Pick<ThreadState, 'openTurn'>;
const noQuestions: QuestionState = {};

/** Folds one more line. A question that disappears without an answer was decided by another answer, or lapsed. */
function foldAsked(before: QuestionState, line: Line, callOf: (callId: string) => Item | undefined) {
  const asked = fold(before, line);
  const [then, now] = [before.openTurn?.questions ?? [], asked.openTurn?.questions ?? []];
  if (then === now) return { asked, events: [] };
  const added = now.filter((question) => !then.some((other) => other.id === question.id));
  const over = then.flatMap((question): readonly ThreadEvent[] => {
    if (question.answer !== undefined) return [];
    const after = now.find(({ id }) => id === question.id);
    if (after !== undefined) return after.answer === undefined ? [] : [answered(after, shownAnswer(after))];
    return [answered(question, { kind: line.type === lineType.call ? 'allowed' : 'lapsed' })];
  });
  return { asked, events: [...over, ...added.map((question) => askedEvent(question, line, callOf(question.callId)))] };
}

function fold(state: QuestionState, { type, payload }: Line): QuestionState {
  if (type === lineType.event) return foldTurn(state, readTurnEvent(payload));
  if (type === lineType.question) return onlyAsked(foldQuestion({ ...emptyThreadState, ...state }, payload));
  if (type === lineType.call) return onlyAsked(foldCall({ ...emptyThreadState, ...state }, payload));
  const item = type === lineType.responseItem ? asItem(payload) : undefined;
  if (item === undefined || state.openTurn === undefined) return state;
  return onlyAsked(foldQuestionOver(foldAnswer({ ...emptyThreadState, ...state }, item), item));
}

function foldTurn(state: QuestionState, event: ReturnType<typeof readTurnEvent>): QuestionState {
  if (event === undefined) return state;
  if (event.kind === 'start') return { openTurn: { id: event.name as TurnId } };
  if (event.kind === 'end' && state.openTurn !== undefined && !isSameTurnName(event.name, state.openTurn.id))
    return state;
  return noQuestions;
}

const onlyAsked = ({ openTurn }: ThreadState): QuestionState => (openTurn === undefined ? noQuestions : { openTurn });

function askedEvent(recorded: RecordedQuestion, { payload }: Line, call: Item | undefined): ThreadEvent {
  const question = rebuildQuestion(recorded, call);
  const to = payload['to'] === 'review' ? ('review' as const) : undefined;
  const item = itemFromJson(question.item);
  return { kind: 'question-asked', turnId: question.turnId, question, ...defined({ item, to }) };
}

function answered({ id, turnId, callId }: RecordedQuestion, answer: Answer): ThreadEvent {
  return { kind: 'question-answered', turnId, id, callId, answer };
}

function shownAnswer({ answer }: RecordedQuestion): Answer {
  const { about: _about, keys: _keys, under: _under, seal: _seal, ...shown } = answer!;
  return shown;
}
