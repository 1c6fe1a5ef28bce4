import type { Step } from '../envelope/step.ts';
import { mergeFragments } from '../history/merge-fragments.ts';
import { itemTokens } from '../history/size.ts';
import { buildBundle, type Telling } from '../world/tell.ts';
import { sections } from '../world/sections.ts';

/** What it takes to tell everything about the world. */
export function bundleTokens(step: Step): number {
  return tellingTokens(buildBundle(sections, step, () => false));
}

export function tellingTokens({ told }: Telling): number {
  return mergeFragments(told.map(({ fragment }) => fragment)).reduce((sum, { item }) => sum + itemTokens(item('')), 0);
}
