import { type SessionsEndReason, sessionsEndedFragment } from '../../../core/world/sections/sessions.ts';
import { narrowerApproval, narrowerProfile } from '../../../core/policy/profiles/narrower-profile.ts';
import { storedItemLine } from '../../../core/state/drafts/item-lines.ts';
import { sealSubject } from '../../../core/state/line-seals.ts';
import { type RecordedSession, sessionCommand, recordedSessionLine } from '../../../core/state/fold/running-calls.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import type { Turn } from '../thread-parts.ts';
import type { CallLeftRunning } from '../running-commands.ts';
import { recordEvent } from '../record/record-context.ts';
import { isSealed, recordSurvivingCommand } from './cut-off-turn.ts';

/** As a turn begins: removes sessions of earlier processes, and ends those that may do more than the turn. */
export async function endStaleSessions(turn: Turn): Promise<void> {
  const { log, sessions, threadId, envelope, effects } = turn;
  reportEndedSessions(turn);
  const lost = log.state.sessions.filter(({ id }) => !sessions.isHeld(id));
  const { ours = [], others = [] } = Object.groupBy(lost, (each) => (each.threadId === threadId ? 'ours' : 'others'));
  await endLost(turn, ours);
  tellOver(turn, 'gone', ours);
  tellOver(turn, 'elsewhere', others);
  const { policy, workspace } = envelope;
  const wider = sessions.idsOf(
    ({ profile, typed }) =>
      narrowerProfile(policy.profile, profile, workspace.places) !== profile || mayTypeMore(typed, policy.approval),
  );
  await endWider(turn, wider);
  sessions.join(effects);
}

/**
 * True if the model could type into the session what the turn would ask about or refuse. Either the session left the
 * sandbox by a yes and the turn no longer asks such questions, or the turn asks about each command.
 */
function mayTypeMore(typed: CallLeftRunning['typed'], approval: ApprovalPolicy): boolean {
  if (typed === undefined || narrowerApproval(approval, typed.approval) === typed.approval) return false;
  return typed.left || approval === 'untrusted';
}

/** Runs before each request: reports sessions that the user ended meanwhile, including those of an earlier process. */
export function reportEndedSessions(turn: Turn): void {
  const { sessions } = turn.log.state;
  const stopped = sessions.filter((session) => session.stopped === true && session.threadId === turn.threadId);
  tellOver(turn, 'stopped', stopped);
}

/** Runs as a turn ends: a yes for the turn is over, and no session keeps what it permitted. */
export async function endTurnSessions(turn: Turn): Promise<void> {
  const forTurn = turn.sessions.idsOf((started) => started.forTurn === true);
  if (forTurn.length > 0) await endWider(turn, forTurn);
}

async function endWider(turn: Turn, wider: readonly number[]): Promise<void> {
  const ended = turn.log.state.sessions.filter(({ id }) => wider.includes(id));
  await turn.sessions.end(wider, 'narrowed');
  tellOver(turn, 'narrowed', ended);
}

function tellOver(turn: Turn, why: SessionsEndReason, over: readonly RecordedSession[]): void {
  if (over.length === 0) return;
  const sessions = over.map((session) => ({ id: session.id, command: sessionCommand(session) }));
  recordEvent(turn, sessionsEndedFragment, { why, sessions });
  const fate = why === 'narrowed' || why === 'stopped' ? why : 'gone';
  turn.sessions.drop(over.map(({ id }) => ({ id, fate })));
}

/** Ends processes that a dead program left running, and gives lists the missing end. */
async function endLost(turn: Turn, lost: readonly RecordedSession[]): Promise<void> {
  const { log, parts, threadId } = turn;
  const subject = sealSubject(threadId, log.state.meta);
  for (const session of lost.filter(({ exited }) => exited !== true)) {
    const { process, at, item, turnId } = session;
    if (process !== undefined && isSealed(parts.seals, subject, recordedSessionLine(session), session.processSeal)) {
      const survival = await parts.processes.end(process);
      if (survival !== 'gone') recordSurvivingCommand(log, process, survival);
    }
    log.record(storedItemLine({ threadId, turnId: turnId as TurnId, startedAt: at, completedAt: at, item }));
  }
}
