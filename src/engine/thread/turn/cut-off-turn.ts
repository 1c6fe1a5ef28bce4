import {
  startedThisAgentText,
  programEndedWhileAsking,
  programEndedBeforeRunning,
  outcomeInForkedThread,
  outcomeUnknownText,
  notRunInForkedThread,
} from '../../../core/fragments/answers/tool-calls.ts';
import { refusalText } from '../../../core/fragments/answers/refusals.ts';
import { turnAbortedFragment } from '../../../core/fragments/events/turns-and-goals.ts';
import type { AbortCause, AbortedTurnKind } from '../../../core/fragments/events/turns-and-goals.ts';
import type { HistoryEntry } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { hostAtPort } from '../../../core/policy/network/host-lists.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type CallItem, isCall } from '../../../protocol/item.ts';
import { arrayAt } from '../../../protocol/json.ts';
import type { LineDraft } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { deadCallLine, type CallStart, callProcessLine } from '../../../core/state/fold/running-calls.ts';
import type { ProcessSurvival, StartedProcess } from '../../../ports/system.ts';
import { isSuspended } from '../../../core/state/questions/pending-questions.ts';
import { questionAnsweredLine } from '../../../core/state/questions/question-lines.ts';
import type { OpenTurn, ThreadState } from '../../../core/state/thread-state.ts';
import { turnLeftOpenLine } from '../../../core/state/drafts/turn-lines.ts';
import type { RecordingTurn, Turn } from '../thread-parts.ts';
import { recordCallOutput } from '../record/record-items.ts';
import { recordEvent } from '../record/record-context.ts';
import type { Seals } from '../../../ports/thread-store.ts';
import { sealedClaimIn, sealSubject, sealText } from '../../../core/state/line-seals.ts';

/** Closes a turn in which a process died: what it left running is ended, and its calls get the honest output (I3). */
export async function closeDeadTurn(turn: Turn): Promise<void> {
  const { log } = turn;
  const dead = log.state.openTurn;
  if (dead === undefined) return;
  const asDead = { ...turn, turnId: dead.id };
  const idle = !isUnderWay(log.state, dead);
  await answerCallsInFlight(turn, dead);
  lapseQuestions(turn, dead, 'waiting');
  for (const call of unansweredCalls(historyEntries(log.state.history)))
    recordCallOutput(asDead, call, { output: answerOf(dead, call, 'gone') });
  endTurn(asDead, 'process-died', idle ? 'process-died-idle' : 'process-died');
}

/** Answers calls that had begun when the process died. What it left running is ended first. */
export async function answerCallsInFlight(turn: Turn, dead: OpenTurn): Promise<void> {
  const { log, threadId } = turn;
  const { calls = [], id: turnId } = dead;
  if (calls.length === 0) return;
  const survival = await endSurvivors(turn, dead);
  // Questions asked while a call ran ended with its process.
  lapseQuestions(turn, dead, 'begun');
  for (const call of calls) log.record(deadCallLine(call, { threadId, turnId }));
  const begun = new Set(calls.map(({ callId }) => callId));
  const open = unansweredCalls(historyEntries(log.state.history));
  for (const call of open.filter(({ call_id: callId }) => begun.has(callId)))
    recordCallOutput({ ...turn, turnId }, call, { output: answerOf(dead, call, survival.get(call.call_id) ?? 'gone') });
}

/** Lapses questions that no answer will come to, of calls that had begun or waited to begin. */
function lapseQuestions({ log, questions: open }: Turn, dead: OpenTurn, of: 'begun' | 'waiting'): void {
  const { id: turnId, questions = [], calls = [] } = dead;
  const lapsed = { kind: 'lapsed' } as const;
  for (const { id, callId, about, answer } of questions) {
    const has = calls.some((call) => call.callId === callId) ? 'begun' : 'waiting';
    if (answer !== undefined || has !== of) continue;
    if (about !== undefined) log.record(questionAnsweredLine({ callId, turnId }, { ...lapsed, about }));
    log.tell({ kind: 'question-answered', turnId, id, callId, answer: lapsed });
    open.lapse(id);
  }
}

function answerOf({ calls = [], questions = [] }: OpenTurn, { call_id: id }: CallItem, survival: ProcessSurvival) {
  const question = questions.find(({ callId }) => callId === id);
  const begun = calls.find(({ callId }) => callId === id);
  if (question === undefined || begun !== undefined) {
    const waited = waitedFor(questions.filter(({ callId }) => callId === id));
    return outcomeUnknownText(survival, { idempotent: begun?.idempotent === true, waitedFor: waited });
  }
  const { answer } = question;
  if (question.kind === 'client-tool' && answer?.kind !== 'allowed')
    return refusalText(answer ?? { kind: 'lapsed' }, { content: 'client-tool' });
  if (answer === undefined) return programEndedWhileAsking;
  return answer.kind === 'allowed' ? programEndedBeforeRunning : refusalText(answer);
}

/** Closes, in a fork only, the turn in the middle of which the fork was made. The source thread continues its own. */
export function closeForkedTurn(turn: Omit<RecordingTurn, 'turnId'>): void {
  const { parts, log } = turn;
  const open = log.state.openTurn;
  if (open === undefined) return;
  const asOpen = { ...turn, turnId: open.id };
  const calls = unansweredCalls(historyEntries(log.state.history));
  const starts = parts.agent === undefined ? [] : calls.filter(({ name }) => name === 'spawn_agent');
  const started = startedThisAgentText({ others: starts.length > 1 });
  for (const call of calls)
    recordCallOutput(asOpen, call, { output: starts.includes(call) ? started : answerElsewhere(open, call) });
  endTurn(asOpen, 'forked');
}

/** A call that was answered may begin in the other thread at any moment. */
function answerElsewhere({ calls = [], questions = [] }: OpenTurn, { call_id: id }: CallItem): string {
  const question = questions.find(({ callId }) => callId === id);
  const hasBegun = calls.some(({ callId }) => callId === id);
  if (question === undefined || hasBegun || question.answer?.kind === 'allowed') return outcomeInForkedThread;
  return question.answer === undefined ? notRunInForkedThread : refusalText(question.answer);
}

/** True if a call had begun, or may have: one that waited for the user's answer had not. */
function isUnderWay(state: ThreadState, { calls = [], questions = [] }: OpenTurn): boolean {
  const asked = new Set(questions.map(({ callId }) => callId));
  const open = unansweredCalls(historyEntries(state.history));
  return calls.length > 0 || open.some(({ call_id: callId }) => !asked.has(callId));
}

/** A turn that only compacted did nothing that the model would have to check. */
function endTurn(turn: RecordingTurn, cause: Exclude<AbortCause, 'interrupted'>, told: AbortedTurnKind = cause): void {
  const { state } = turn.log;
  const didWork = state.openTurn?.compaction === undefined && reachedHistory(state);
  if (didWork) recordEvent(turn, turnAbortedFragment, told);
  turn.log.record(turnLeftOpenLine(turn.turnId, cause));
}

/** False for a turn cut off before its words entered history: the model knows nothing of it. */
function reachedHistory({ openTurn, history }: ThreadState): boolean {
  const before = openTurn?.before;
  const own = before && historyEntries(history).slice(before.history.length);
  return own?.some(({ origin }) => origin.family !== 'context') ?? true;
}

type DeadTurnNotice = Outcome<'turn-cut-off' | 'turn-suspended' | 'compaction-cut-off'>;

export function deadTurnNotice(id: ThreadId, state: ThreadState): DeadTurnNotice | undefined {
  const { openTurn } = state;
  if (openTurn === undefined || openTurn.compaction === 'done') return undefined;
  if (openTurn.compaction === 'begun') {
    const message = `A compaction of thread ${id} was cut off: Capstan was killed or crashed. The history is unchanged.`;
    const next = `Continue the thread, or compact it again: \`capstan threads compact ${id}\`.`;
    return { code: 'compaction-cut-off', message, next };
  }
  const started = new Map(openTurn.calls?.map((call) => [call.callId, call]));
  // A call that has begun is in flight, even if it asked for another try.
  const asked = new Map(
    openTurn.questions?.filter(({ callId }) => !started.has(callId)).map((question) => [question.callId, question]),
  );
  const open = unansweredCalls(historyEntries(state.history));
  const named = ({ name, call_id: id }: CallItem): string => `${name}${wordsOf(started.get(id) ?? asked.get(id))}`;
  const calls = open.filter(({ call_id: callId }) => !asked.has(callId)).map(named);
  const waits = open.filter(({ call_id: callId }) => asked.has(callId)).map(named);
  if (isSuspended(state)) {
    const interrupted = calls.length === 0 ? '' : ` Interrupted, outcome unknown: ${calls.join('; ')}.`;
    const message = `The last turn of thread ${id} waits for your answer. Not run yet: ${waits.join('; ')}.${interrupted}`;
    const next = `Answer with \`capstan exec resume ${id} --approvals ask\`. A new message leaves the question unanswered, and the call does not run.`;
    return { code: 'turn-suspended', message, next };
  }
  const inFlight = calls.length === 0 ? '' : ` Running at that moment, outcome unknown: ${calls.join('; ')}.`;
  const message = `The last turn of thread ${id} was cut off: Capstan was killed or crashed.${inFlight}${askedMeanwhile(openTurn)}`;
  const next =
    calls.length === 0
      ? 'All completed items are saved. An answer that was still arriving is not.'
      : 'All completed items are saved; an answer that was still arriving is not. The running calls may have been done in full, in part or not at all; Capstan does not repeat them.';
  return { code: 'turn-cut-off', message, next };
}

/** For a command that asked while it ran: it ended with its program, and so did the question. */
function askedMeanwhile({ questions = [], calls = [] }: OpenTurn): string {
  const about = waitedFor(questions.filter(({ callId }) => calls.some((call) => call.callId === callId)));
  return about.length === 0 ? '' : ` It waited for your answer ${about.join(', ')}; that question ended with it.`;
}

function waitedFor(questions: NonNullable<OpenTurn['questions']>): readonly string[] {
  return questions
    .filter(({ answer }) => answer === undefined)
    .map(({ host }) =>
      host === undefined ? 'whether it may run again' : `whether it may connect to ${hostAtPort(host.name, host.port)}`,
    );
}

const longestWords = 60;

function wordsOf(call: Pick<CallStart, 'item'> | undefined): string {
  const command = call === undefined ? undefined : arrayAt(call.item, 'command')?.at(-1);
  if (typeof command !== 'string') return '';
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return ` \`${line.length > longestWords ? `${[...line].slice(0, longestWords).join('')} …` : line}\``;
}

export function unansweredCalls(all: readonly HistoryEntry[], among = all): readonly CallItem[] {
  const outputs = all.filter(({ item }) => item.type.endsWith('_output'));
  const answered = new Set(outputs.map(({ item }) => item['call_id']));
  return among.flatMap(({ item }) => (isCall(item) && !answered.has(item.call_id) ? [item] : []));
}

/** Ends processes of calls that a dead program left in flight, and warns the user. The result is by call. */
async function endSurvivors({ log, parts, threadId: ours }: Turn, { id: turnId, calls = [] }: OpenTurn) {
  const subject = sealSubject(ours, log.state.meta);
  const survivals = await Promise.all(
    calls.map(async ({ threadId, callId, process, processSeal }) => {
      // The writer of our own thread is dead, since we are the writer now; of other threads nothing is known.
      if (process === undefined || threadId !== ours) return [callId, 'gone'] as const;
      const isOurs = isSealed(parts.seals, subject, callProcessLine(turnId, callId, process), processSeal);
      const survival = isOurs ? await parts.processes.end(process) : 'gone';
      if (survival !== 'gone') recordSurvivingCommand(log, process, survival);
      return [callId, survival] as const;
    }),
  );
  return new Map(survivals);
}

/** A file's claim about processes counts only if this home wrote it: it could name any process of this machine. */
export function isSealed(seals: Seals, subject: string, line: LineDraft, seal: string | undefined): boolean {
  const said = sealedClaimIn(line);
  return said !== undefined && seal !== undefined && seals.holds(sealText(subject, said.claim), seal);
}

export function recordSurvivingCommand(log: Turn['log'], { pid }: StartedProcess, survival: 'ended' | 'running'): void {
  const [did, next] =
    survival === 'ended'
      ? ['killed', 'Check what it did before you run it again.']
      : ['could not kill', `Kill it yourself: \`kill -9 ${pid}\`.`];
  const message = `A command from the turn that was cut off was still running (process ${pid}). Capstan ${did} it.`;
  log.tell({ kind: 'warning', outcome: { code: 'command-survived', message, next } });
}
