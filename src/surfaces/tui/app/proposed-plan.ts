import type { CommandSession } from '../commands/command-session.ts';
import type { SlashName } from '../views/slash-table.ts';
import type { TuiStage } from './stage.ts';
import type { Surroundings } from './surroundings.ts';
import type { TurnFlow } from './turn-flow.ts';

/** As much of a session as a plan is about. */
interface PlannedSession extends CommandSession {
  readonly parts: CommandSession['parts'] & {
    readonly stage: TuiStage;
    readonly surroundings: Surroundings;
    readonly isSide?: true;
  };
  readonly flow: TurnFlow;
  runSlash(name: SlashName, rest: string): Promise<void>;
}

/** Asks what to do with a plan that a turn proposed, unless something waits already. */
export async function afterProposedPlan(session: PlannedSession, plan: string): Promise<void> {
  const { surroundings, isSide, stage } = session.parts;
  const { pause } = surroundings;
  const { id } = session.thread;
  const isTyping = pause.wait > 0;
  await pause.quiet();
  const { waiting } = session.flow;
  const isWaited = waiting.queued.length > 0 || waiting.refused.length > 0;
  if (isSide === true || isWaited || session.thread.settings.collaboration?.mode !== 'plan') return;
  const { chooseAfterPlan } = await import('./after-plan.ts');
  // The user may have gone on meanwhile.
  if (session.thread.id !== id || (isTyping && (session.isBusy || stage.isChoosing))) return;
  chooseAfterPlan(session, plan, { pause, startAnew: () => session.runSlash('new', '') });
}
