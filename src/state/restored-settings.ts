import type { Settings } from '../envelope/settings.ts';
import { defined } from '../protocol/defined.ts';
import { equalJson, type Json, type JsonObject, stringAt } from '../protocol/json.ts';
import { lastSettings } from './resumed-settings.ts';
import type { ThreadState } from './thread-state.ts';

/** What a resumed thread took from its own past, and what is in force because of that. */
export interface RestoredSettings {
  /** Where it stood: in the contract of the newest turn, or in a change of settings that came after it. */
  readonly from: 'turn' | 'settings';
  readonly turnId?: string;
  /** By the names of settings. */
  readonly names: readonly string[];
}

export function restoredSettings(state: ThreadState, { origins = {} }: Settings): RestoredSettings {
  const { context } = state;
  const turnId = stringAt(context, 'turn_id');
  // A turn records the thread's settings, too: then they say what its contract says.
  const [last, ofTurn] = [state, { ...state, newest: 'context' as const }].map(lastSettings) as unknown as Json[];
  return {
    from: equalJson(last, ofTurn) ? 'turn' : 'settings',
    ...defined({ turnId }),
    names: Object.keys(origins).filter((name) => origins[name] === 'thread' && name !== 'askedApproval'),
  };
}

/** As events and files have it. */
export function restoredFields({ from, turnId, names }: RestoredSettings): JsonObject {
  return { from, ...defined({ turn_id: turnId }), names };
}
