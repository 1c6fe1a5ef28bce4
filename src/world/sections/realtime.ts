import type { RealtimeSetting } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';
import { render } from '../../fragments/text/define.ts';
import { realtimeEndFragment, realtimeStartFragment } from '../../fragments/sections/realtime.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

/** Whether the user speaks or types. Only the transition is sent: text that changes while it runs changes nothing. */
export const realtimeSection: Section<RealtimeSetting, { readonly active: boolean }> = {
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

function start({ startInstructions }: RealtimeSetting) {
  return render(realtimeStartFragment, defined({ instructions: startInstructions }));
}
