import { defined } from '../../../base/objects.ts';
import { newRepositoriesFragment } from '../../../core/fragments/events/files-and-images.ts';
import { turnAbortedFragment } from '../../../core/fragments/events/turns-and-goals.ts';
import type { AbortedTurnSeenKind, AbortedTurnKind } from '../../../core/fragments/events/turns-and-goals.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { turnAbortedLine, turnCompleteLine } from '../../../core/state/drafts/turn-lines.ts';
import { pendingQuestions } from '../../../core/state/questions/pending-questions.ts';
import { stoppedBy, threadClosesReason } from '../../../protocol/abort.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { isMessage, messageText } from '../../../protocol/item.ts';
import { Fault, type Outcome, endWithFullStop } from '../../../protocol/outcome.ts';
import type { Question } from '../../../protocol/question.ts';
import { warnOfProblems } from '../context/current-step.ts';
import { settleGoalAtTurnEnd } from '../goal/goal.ts';
import { recordEvent } from '../record/record-context.ts';
import { drainInbox } from '../record/record-items.ts';
import { readNamedSkills } from '../record/record-skills.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { endTurnSessions } from './turn-sessions.ts';

export type TurnResult =
  /** `unfit`: why the last message does not fit the output schema. `endedBy`: a hook ended it or let no words in. */
  | { readonly kind: 'completed'; readonly lastMessage?: string; readonly unfit?: Outcome; readonly endedBy?: 'hook' }
  /** `isWithdrawn`: cancelled while it waited. None of it was said, and there are no events for it. */
  | { readonly kind: 'aborted'; readonly lastMessage?: string; readonly isWithdrawn?: true }
  /** The thread was given up while a call waited for the user. The next program that opens it can continue the turn. */
  | { readonly kind: 'suspended'; readonly questions: readonly Question[]; readonly lastMessage?: string }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly lastMessage?: string };

/** The only way to end a turn that has begun: its end is recorded and durable before it is reported. */
export async function settle(turn: Turn, answer: TurnEnding, lastMessage: string | undefined): Promise<TurnResult> {
  const { log, parts, turnId, envelope, memory } = turn;
  if (answer.kind === 'suspended') return suspend(turn, lastMessage);
  // A stop by the user stops agents too. A closing thread gives its agents up by itself.
  if (answer.kind === 'aborted' && turn.signal.reason !== threadClosesReason)
    await parts.agents?.stop(turn.signal.reason);
  const { endedBy } = memory;
  const isWork = turn.words !== undefined || turn.continues !== undefined;
  // Input that arrived too late for this turn is not lost: the next request has it.
  if (isWork) await hearLate(turn);
  warnOfProblems(turn);
  memory.phase = 'ending';
  settleGoalAtTurnEnd(turn, answer);
  await endTurnSessions(turn);
  turn.sessions.leave(turn);
  const repositories = await turn.effects.after();
  if (repositories.length > 0) recordEvent(turn, newRepositoriesFragment, { folders: repositories });
  for (const item of memory.standing.values()) log.tell({ kind: 'item-completed', turnId, item });
  const [said, ended] = [defined({ lastMessage }), defined({ endedBy })];
  const end = { envelope, endedAt: parts.clock.now(), ...said };
  switch (answer.kind) {
    case 'done': {
      const unfit = await unfitAnswer(turn, lastMessage);
      if (unfit !== undefined) log.tell({ kind: 'warning', outcome: unfit });
      log.record(turnCompleteLine({ ...end, ...ended }));
      if (parts.notify !== undefined) {
        await log.durable();
        notifyEnd(turn, lastMessage);
      }
      log.tell({ kind: 'turn-completed', turnId, usage: log.state.usage.total, ...said, ...ended });
      await log.durable();
      return { kind: 'completed', ...said, ...defined({ unfit }), ...ended };
    }
    case 'aborted':
      // A turn that only compacts did nothing that the model would have to check.
      if (isWork) recordEvent(turn, turnAbortedFragment, abortedBy(turn));
      log.record(turnAbortedLine(end));
      log.tell({ kind: 'turn-aborted', turnId, usage: log.state.usage.total });
      await log.durable();
      return { kind: 'aborted', ...said };
    case 'failed': {
      const { failure } = answer;
      const continued = defined({ continuedBy: await turn.passOn?.(failure) });
      log.record(turnCompleteLine({ ...end, ...continued }, failure));
      log.tell({ kind: 'turn-failed', turnId, outcome: failure, ...said, ...continued });
      await log.durable();
      return { kind: 'failed', outcome: failure, ...said };
    }
  }
}

/** Records input that arrived too late. After an interrupt, words that hooks must check wait for the next turn. */
async function hearLate(turn: Turn): Promise<void> {
  await readNamedSkills(turn);
  if (turn.parts.hooks === undefined) return drainInbox(turn);
  const { admitInbox } = await import('../hooks/turn-hooks.ts');
  await admitInbox(turn);
}

const causes = {
  user: 'interrupted',
  program: 'client-left',
  engine: 'closed',
  parent: 'parent-stopped',
  narrowed: 'narrowed',
} as const;

function abortedBy({ signal, memory }: Turn): AbortedTurnKind | AbortedTurnSeenKind {
  const cause = causes[stoppedBy(signal)];
  const told = memory.cutShort ? cause : (`${cause}-idle` as const);
  return memory.shownPart ? `${told}+seen` : told;
}

/** Leaves the turn open in the file, with its questions. What arrived meanwhile keeps waiting. */
async function suspend(turn: Turn, lastMessage: string | undefined): Promise<TurnResult> {
  const { log, turnId, effects, memory, sessions } = turn;
  memory.phase = 'ending';
  sessions.leave(turn);
  await effects.after();
  const questions = pendingQuestions(log.state);
  log.tell({ kind: 'turn-suspended', turnId, questions });
  await log.durable();
  return { kind: 'suspended', questions, ...defined({ lastMessage }) };
}

async function unfitAnswer({ envelope }: Turn, answer: string | undefined): Promise<Outcome | undefined> {
  const { outputSchema } = envelope.modes;
  if (outputSchema === undefined) return undefined;
  const { answerProblem } = await import('./check-answer-schema.ts');
  return answerProblem(outputSchema, answer);
}

/** Ends a turn that cannot begin. Records only that its words wait no more. Surfaces see it fail like any other. */
export async function refuseTurn({ log, turnId, inbox, words }: Turn, outcome: Outcome): Promise<TurnResult> {
  if (words?.isWithdrawn === true) return { kind: 'aborted', isWithdrawn: true };
  if (words !== undefined) inbox.refuse(words, outcome.code);
  log.tellPassing(
    { kind: 'turn-started', turnId, usage: log.state.usage.total },
    { kind: 'turn-failed', turnId, outcome, isRefused: true },
  );
  await log.durable();
  return { kind: 'failed', outcome };
}

/** Turns an unexpected error into an outcome. A Fault is thrown on. */
export function internalError(error: unknown): Outcome {
  if (error instanceof Fault) throw error;
  const next = 'Send the message again. If it fails again, report the bug and include this message.';
  return { code: 'internal-error', message: `Internal error: ${endWithFullStop(messageOfThrown(error))}`, next };
}

/** Starts the user's notification program, with the input that other programs give it. */
function notifyEnd(turn: Turn, lastMessage: string | undefined): void {
  const { parts, log, threadId, turnId, envelope } = turn;
  const words = historyEntries(log.state.history).flatMap(({ item, origin, turn }) =>
    origin.family === 'user' && turn === turnId && isMessage(item) ? [messageText(item)] : [],
  );
  const { cwd } = envelope.workspace;
  const problem = parts.notify?.(cwd, {
    type: 'agent-turn-complete',
    'thread-id': threadId,
    'turn-id': turnId,
    cwd,
    client: envelope.identity.client.name,
    'input-messages': words,
    'last-assistant-message': lastMessage ?? null,
  });
  if (problem !== undefined) warnOnce(turn, problem, 'code');
}
