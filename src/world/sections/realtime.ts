import { render } from '../../fragments/text/define.ts';
import { realtimeEndFragment, realtimeStartFragment } from '../../fragments/sections/realtime.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

export interface RealtimeFact {
  readonly active: boolean;
  readonly startInstructions?: string;
}

interface StoredRealtime extends JsonObject {
  readonly active: boolean;
}

/** Whether the user speaks or types. Only the transition is told: text that changes while it runs changes nothing. */
export const realtimeSection: Section<RealtimeFact, StoredRealtime> = {
  id: 'realtime',
  assumes: 'the mode, whose answers may now be spoken',
  kinds: { telling: [realtimeStartFragment.id], withdrawing: [realtimeEndFragment.id] },

  of: ({ envelope: { modes } }) => modes.realtime,

  stored: ({ active }) => ({ active }),

  read: (stored) =>
    isJsonObject(stored) && typeof stored['active'] === 'boolean' ? { active: stored['active'] } : undefined,

  full: (now) => (now.active ? [start(now)] : []),

  change(before, now) {
    const active = now?.active === true;
    if (before !== unknown && before.active === active) return [];
    return now !== undefined && active ? [start(now)] : [render(realtimeEndFragment, {})];
  },
};

function start({ startInstructions }: RealtimeFact) {
  return render(realtimeStartFragment, startInstructions === undefined ? {} : { instructions: startInstructions });
}
