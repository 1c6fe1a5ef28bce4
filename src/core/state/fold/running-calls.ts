import { ifAllDefined } from '../../../base/objects.ts';
import type { CommandSessionFate } from '../../../ports/commands.ts';
import type { StartedProcess } from '../../../ports/system.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import { arrayAt, numberAt, objectAt, objectsAt, stringAt, trueAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { storedItemLine, itemToJson } from '../drafts/item-lines.ts';
import { truncateWord } from '../questions/call-arguments.ts';

/** A call that has begun and has no answer. After a crash nothing else is known about it. */
export interface CallStart {
  /** A fork holds calls of another thread, whose program may be alive. */
  readonly threadId: string;
  readonly callId: string;
  readonly tool: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly item: JsonObject;
  readonly idempotent?: true;
  /** It ran without the sandbox of its turn, because the user allowed it. */
  readonly outside?: true;
  /** It ran in a wider sandbox, which only denied protected reads. */
  readonly confined?: true;
  readonly process?: StartedProcess;
  readonly processSeal?: string;
}

export interface CallBegins extends Omit<CallStart, 'item' | 'process' | 'processSeal'> {
  /** Something outside Capstan wrote the answer, such as a server. */
  readonly external?: true;
  readonly turnId: TurnId;
  readonly item: TurnItem;
}

/** Must be durable before the call has an effect. */
export function callStartedLine({ threadId, turnId, callId, tool, at, item, ...marks }: CallBegins): LineDraft {
  const { idempotent, external, outside, confined } = marks;
  const about = { thread_id: threadId, turn_id: turnId, call_id: callId, tool, started_at_ms: at };
  const payload = { ...about, idempotent, external, outside, confined, item: shortenedItemJson(item) };
  return { type: lineType.call, payload };
}

export const shortenedItemJson = (item: TurnItem): JsonObject => itemToJson(shortened(item));

export function callProcessLine(turnId: TurnId, callId: string, started: StartedProcess): LineDraft {
  return { type: lineType.call, payload: { turn_id: turnId, call_id: callId, process: storeProcess(started) } };
}

const storeProcess = ({ pid, startedAt, mark }: StartedProcess): JsonObject => ({ pid, started_at: startedAt, mark });

export const deadCallLine = ({ at, item }: CallStart, ids: Pick<SessionStart, 'threadId' | 'turnId'>): LineDraft =>
  storedItemLine({ ...ids, startedAt: at, completedAt: at, item });

const mostChanges = 50;

/** Nothing large is stored twice (I9): the model's call holds the complete data. */
function shortened(item: TurnItem): TurnItem {
  if (item.kind === 'file-change') return { ...item, changes: item.changes.slice(0, mostChanges) };
  if (item.kind === 'tool-call') return { ...item, arguments: {} };
  if (item.kind !== 'command') return item;
  return { ...item, argv: item.argv.map(truncateWord) };
}

export function readStartedProcess(value: JsonObject | undefined): StartedProcess | undefined {
  const [pid, startedAt, mark] = [numberAt(value, 'pid'), stringAt(value, 'started_at'), stringAt(value, 'mark')];
  // Signalling a number below 2 would reach the first process or a whole group.
  if (pid === undefined || !Number.isInteger(pid) || pid < 2 || !startedAt || !mark) return undefined;
  return { pid, startedAt, mark };
}

/** A command that outlived its call; history says that it runs. Without a writer of the thread, it is gone. */
export interface RecordedSession extends Omit<CallStart, 'tool' | 'idempotent' | 'outside' | 'confined'> {
  readonly id: number;
  readonly turnId: string;
  /** Its process has ended, and no answer has reported it yet. */
  readonly exited?: true;
  /** The user ended it: no call can ask for its output. */
  readonly stopped?: true;
}

export interface SessionStart extends Pick<RecordedSession, 'id' | 'callId' | 'at' | 'process'> {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly item: TurnItem;
}

export const sessionStartedLine = ({ item, ...session }: SessionStart): LineDraft =>
  recordedSessionLine({ ...session, item: shortenedItemJson(item) });

const sessionLine = (payload: JsonObject): LineDraft => ({ type: lineType.session, payload });
export const sessionExitedLine = (id: number, fate: CommandSessionFate): LineDraft => sessionLine({ id, exited: fate });
export const sessionDroppedLine = (id: number, fate: CommandSessionFate): LineDraft =>
  sessionLine({ id, dropped: fate });
const stoppedFate: CommandSessionFate = 'stopped';
/** More than can run at once: further ones in a file are invalid. */
const mostSessions = 200;
type SessionState = Readonly<Record<'sessions' | 'sessionsAtCheckpoint', readonly RecordedSession[]>>;

export function foldSession<State extends SessionState>(state: State, payload: JsonObject): State {
  const id = numberAt(payload, 'id');
  if (id === undefined) return state;
  const others = state.sessions.filter((session) => session.id !== id);
  const dropped = stringAt(payload, 'dropped');
  if (dropped !== undefined) {
    // No later answer reports a session that is gone with another process or that the user ended, so drop it here too.
    const isGone = dropped === ('gone' satisfies CommandSessionFate) || dropped === stoppedFate;
    const kept = state.sessionsAtCheckpoint.filter((session) => !isGone || session.id !== id);
    return { ...state, sessions: others, sessionsAtCheckpoint: kept };
  }
  const known = state.sessions.find((session) => session.id === id);
  if (payload['exited'] !== undefined) {
    if (known === undefined) return state;
    const stopped = payload['exited'] === stoppedFate || undefined;
    const ended = { ...known, exited: true as const, stopped: stopped ?? known.stopped };
    return { ...state, sessions: state.sessions.map((session) => (session === known ? ended : session)) };
  }
  const session = readSession(payload);
  return session === undefined ? state : { ...state, sessions: [...others.slice(1 - mostSessions), session] };
}

export function sessionsToJson(sessions: readonly RecordedSession[]): readonly Json[] {
  return sessions.map((session) => {
    const { processSeal: seal, exited: ended, stopped } = session;
    return { ...startFields(session), seal, ended, stopped };
  });
}

function startFields({ id, threadId, turnId, callId, at, item, process: started }: RecordedSession): JsonObject {
  const ids = { id, thread_id: threadId, turn_id: turnId, call_id: callId };
  return { ...ids, started_at_ms: at, item, process: started && storeProcess(started) };
}

export const recordedSessionLine = (session: RecordedSession): LineDraft => sessionLine(startFields(session));

export const sessionsFromJson = (carried: JsonObject): readonly RecordedSession[] =>
  objectsAt(carried, 'sessions').flatMap((value) => readSession(value) ?? []);

function readSession(payload: JsonObject): RecordedSession | undefined {
  const session = ifAllDefined({
    id: numberAt(payload, 'id'),
    threadId: stringAt(payload, 'thread_id'),
    turnId: stringAt(payload, 'turn_id'),
    callId: stringAt(payload, 'call_id'),
    at: numberAt(payload, 'started_at_ms'),
    item: objectAt(payload, 'item'),
  });
  const started = readStartedProcess(objectAt(payload, 'process'));
  const [exited, stopped] = [trueAt(payload, 'ended'), trueAt(payload, 'stopped')];
  const processSeal = started && stringAt(payload, 'seal');
  return session && { ...session, process: started, processSeal, exited, stopped };
}

export function sessionCommand({ item }: Pick<RecordedSession, 'item'>): string {
  const last = arrayAt(item, 'command')?.at(-1);
  return typeof last === 'string' ? last : '';
}
