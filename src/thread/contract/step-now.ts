import type { Step } from '../../envelope/step.ts';
import { isOffered } from '../../envelope/offered-tools.ts';
import { standsIn } from '../../history/history.ts';
import { isNoPermission, standingPermissions } from '../../policy/granted-policy.ts';
import { grantsUnder } from '../../policy/session-grants.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { sections } from '../../world/sections.ts';
import { tell, type Telling } from '../../world/tell.ts';
import { type Contract, instructionsNow, windowNow } from './contract-now.ts';
import type { ThreadParts, Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';

/** A step as the world is now, and what could not be read of it. */
export async function stepNow(
  turn: Contract & { readonly parts: Pick<ThreadParts, 'gatherStep' | 'router'> },
  index: number,
): Promise<{ readonly step: Step; readonly problems: readonly Outcome[] }> {
  const { parts, envelope, log } = turn;
  const { problems = [], ...gathered } = await parts.gatherStep(envelope);
  const { identity, policy, capabilities } = envelope;
  // Tools may come and go while a turn runs: the same rule says what a step offers.
  const offered = parts.router.tools.filter((tool) => isOffered(tool, identity, policy)).map(({ name }) => name);
  const tools = parts.router.specs([...offered, ...capabilities.dynamicTools], policy);
  const granted = standingPermissions(policy.resolved, grantsUnder(log.state.grants, policy));
  const told = isNoPermission(granted) ? {} : { granted };
  const facts = { ...gathered, pins: log.state.pins, ...told };
  return { step: asStateSays(turn, { envelope, index, facts, tools }), problems };
}

/** The step under what the thread's lines say by now: what requests begin with, and how much fits. */
export function asStateSays(turn: Contract, step: Omit<Step, 'window'>): Step {
  return { ...step, facts: { ...step.facts, base: instructionsNow(turn) }, window: windowNow(turn) };
}

/** What the model must learn before the step. */
export function tellingFor({ baseline, history }: Pick<ThreadState, 'baseline' | 'history'>, step: Step): Telling {
  return tell(sections, step, baseline, (kinds) => standsIn(history, kinds));
}

/** The step as the world is now. Nothing of it has been sent yet. */
export async function lookAround(turn: Turn, index: number): Promise<Step> {
  const { step, problems } = await stepNow(turn, index);
  for (const problem of problems) warnOnce(turn, problem, 'message');
  return step;
}
