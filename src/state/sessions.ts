import type { StartedProcess } from '../ports/processes.ts';
import type { SessionFate } from '../ports/sessions.ts';
import { defined } from '../protocol/defined.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { TurnItem } from '../protocol/turn-item.ts';
import { readProcess, shownCall } from './call-start.ts';

/** A command that outlived its call: history says that it runs. On a thread without a writer, it is gone. */
export interface RecordedSession {
  readonly id: number;
  /** A fork holds sessions of another thread, whose program may be alive. */
  readonly threadId: string;
  readonly callId: string;
  readonly turnId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** What lists and screens show, in the form of the file. */
  readonly item: JsonObject;
  readonly process?: StartedProcess;
  /** Of what is said about the process. */
  readonly processSeal?: string;
  /** Its process has ended, and no answer has said so yet. */
  readonly exited?: true;
  /** The user ended it: no call can ask for what it said. */
  readonly stopped?: true;
}

export interface SessionStart extends Pick<RecordedSession, 'id' | 'callId' | 'at'> {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly item: TurnItem;
  readonly process?: StartedProcess;
}

/** Its answer follows. */
export function sessionStarted({ item, ...session }: SessionStart): LineDraft {
  return startOfSession({ ...session, item: shownCall(item) });
}

/** Its process has ended. The item of the line before says how. */
export function sessionExited(id: number, fate: SessionFate): LineDraft {
  return { type: lineType.session, payload: { id, exited: fate } };
}

/** The model knows that there is no such session any more. */
export function sessionDropped(id: number, fate: SessionFate): LineDraft {
  return { type: lineType.session, payload: { id, dropped: fate } };
}

const stoppedFate: SessionFate = 'stopped';

/** More than can run at once: what a file says beyond it makes no sense. */
const mostSessions = 200;

/** As much of the state as these lines change. */
interface SessionState {
  readonly sessions: readonly RecordedSession[];
  readonly sessionsAtCheckpoint: readonly RecordedSession[];
}

export function foldSession<State extends SessionState>(state: State, payload: JsonObject): State {
  const id = numberAt(payload, 'id');
  if (id === undefined) return state;
  const others = state.sessions.filter((session) => session.id !== id);
  const dropped = stringAt(payload, 'dropped');
  if (dropped !== undefined) {
    // Answers say what ended, but for these: the list that a checkpoint left is of another process, or the user ended it.
    const isGone = dropped === ('gone' satisfies SessionFate) || dropped === stoppedFate;
    const kept = isGone
      ? state.sessionsAtCheckpoint.filter((session) => session.id !== id)
      : state.sessionsAtCheckpoint;
    return { ...state, sessions: others, sessionsAtCheckpoint: kept };
  }
  const known = state.sessions.find((session) => session.id === id);
  if (payload['exited'] !== undefined) {
    if (known === undefined) return state;
    const stopped = payload['exited'] === stoppedFate || undefined;
    const ended = { ...known, exited: true as const, ...defined({ stopped }) };
    return { ...state, sessions: state.sessions.map((session) => (session === known ? ended : session)) };
  }
  const session = readSession(payload);
  return session === undefined ? state : { ...state, sessions: [...others.slice(1 - mostSessions), session] };
}

/** As checkpoints carry them. */
export function storeSessions(sessions: readonly RecordedSession[]): readonly Json[] {
  return sessions.map((session) => ({
    ...startFields(session),
    ...defined({ seal: session.processSeal, ended: session.exited, stopped: session.stopped }),
  }));
}

function startFields({ id, threadId, turnId, callId, at, item, process: started }: RecordedSession): JsonObject {
  const known = started && { pid: started.pid, started_at: started.startedAt, mark: started.mark };
  const ids = { id, thread_id: threadId, turn_id: turnId, call_id: callId };
  return { ...ids, started_at_ms: at, item, ...defined({ process: known }) };
}

/** The line that began it, as it was before it was sealed. */
export function startOfSession(session: RecordedSession): LineDraft {
  return { type: lineType.session, payload: startFields(session) };
}

export function readSessions(carried: JsonObject): readonly RecordedSession[] {
  return (arrayAt(carried, 'sessions') ?? []).flatMap((value) =>
    isJsonObject(value) ? (readSession(value) ?? []) : [],
  );
}

function readSession(payload: JsonObject): RecordedSession | undefined {
  const [id, at, item] = [numberAt(payload, 'id'), numberAt(payload, 'started_at_ms'), objectAt(payload, 'item')];
  const [threadId, turnId] = [stringAt(payload, 'thread_id'), stringAt(payload, 'turn_id')];
  const callId = stringAt(payload, 'call_id');
  if (id === undefined || at === undefined || item === undefined) return undefined;
  if (threadId === undefined || turnId === undefined || callId === undefined) return undefined;
  const started = readProcess(objectAt(payload, 'process'));
  const processSeal = started && stringAt(payload, 'seal');
  const exited = payload['ended'] === true || undefined;
  const stopped = payload['stopped'] === true || undefined;
  return { id, threadId, turnId, callId, at, item, ...defined({ process: started, processSeal, exited, stopped }) };
}

/** The script of the session's command. */
export function sessionCommand({ item }: Pick<RecordedSession, 'item'>): string {
  const last = arrayAt(item, 'command')?.at(-1);
  return typeof last === 'string' ? last : '';
}
