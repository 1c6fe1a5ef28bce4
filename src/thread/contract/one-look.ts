import type { Facts } from '../../envelope/facts.ts';
import type { Settings } from '../../envelope/settings.ts';
import { equalJson, type Json } from '../../protocol/json.ts';
import type { ThreadParts } from '../parts/parts.ts';

/**
 * The parts of a thread whose first turn follows at once. What was looked at to begin the thread is what the turn begins
 * with: another look would find the same a few milliseconds later. A turn under other settings looks for itself.
 */
export function withOneLook(parts: ThreadParts): ThreadParts {
  let first: { readonly settings: Settings; readonly facts: Facts } | undefined;
  let looks = 0;
  return {
    ...parts,
    async gatherFacts(settings) {
      looks += 1;
      const known = first;
      first = undefined;
      if (known !== undefined && equalJson(known.settings as unknown as Json, settings as unknown as Json)) {
        return { ...known.facts, time: { ...known.facts.time, epochMs: parts.clock.now() } };
      }
      const facts = await parts.gatherFacts(settings);
      if (looks === 1) first = { settings, facts };
      return facts;
    },
  };
}
