import type { Step } from '../../envelope/step.ts';
import { mergeFragments } from '../../history/merge-fragments.ts';
import { itemTokens } from '../../history/size.ts';
import { buildBundle, type Telling } from '../../world/tell.ts';
import { sections } from '../../world/sections.ts';
import type { Contract } from './contract-now.ts';
import { tellingFor } from './step-now.ts';

/** What it takes to tell everything about the world. */
export function bundleTokens(step: Step): number {
  return tellingTokens(buildBundle(sections, step, () => false));
}

/** What the next request tells about the world if history stands as it is. */
export function dueTokens({ log }: Pick<Contract, 'log'>, step: Step): number {
  return tellingTokens(tellingFor(log.state, step));
}

export function tellingTokens({ told }: Telling): number {
  return mergeFragments(told.map(({ fragment }) => fragment)).reduce((sum, { item }) => sum + itemTokens(item('')), 0);
}
