import type { Envelope } from '../envelope/envelope.ts';
import type { Step } from '../envelope/step.ts';
import { isOffered } from '../envelope/offered-tools.ts';
import { standsIn } from '../history/stands-in.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { sections } from '../world/sections.ts';
import { tell, type Telling } from '../world/tell.ts';
import type { ThreadParts } from './parts.ts';

/** A step as the world is now, and what could not be read of it. */
export async function stepNow(
  parts: Pick<ThreadParts, 'gatherStep' | 'router'>,
  envelope: Envelope,
  { pins, index }: Pick<ThreadState, 'pins'> & { readonly index: number },
): Promise<{ readonly step: Step; readonly problems: readonly Outcome[] }> {
  const { problems = [], ...gathered } = await parts.gatherStep(envelope);
  const { identity, policy, capabilities } = envelope;
  // Tools may come and go while a turn runs: the same rule says what a step offers.
  const offered = parts.router.tools.filter((tool) => isOffered(tool, identity, policy)).map(({ name }) => name);
  const tools = parts.router.specs([...offered, ...capabilities.dynamicTools]);
  return { step: { envelope, index, facts: { ...gathered, pins }, tools }, problems };
}

/** What the model has to be told before the step. */
export function tellingFor({ baseline, history }: Pick<ThreadState, 'baseline' | 'history'>, step: Step): Telling {
  return tell(sections, step, baseline, (kinds) => standsIn(history, kinds));
}
