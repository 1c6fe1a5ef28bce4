import {
  collaborationModeFragment,
  type CollaborationModeText,
  modeGuidance,
} from '../../fragments/sections/collaboration-mode.ts';
import { type Fragment, render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

/** In the shape that other programs also write. */
interface StoredMode extends JsonObject {
  readonly mode: string;
  readonly instructions: string;
}

/** How the user and the model work together. A mode without guidance ends the one before, which is said once. */
export const collaborationModeSection: Section<CollaborationModeText, StoredMode> = {
  id: 'collaboration_mode',
  assumes: 'the permissions under which the mode is lived',
  kinds: { telling: [collaborationModeFragment.id], withdrawing: [collaborationModeFragment.withdrawn.id] },

  of({ envelope: { modes } }) {
    if (modes.leaveOut.includes('collaboration-mode')) return undefined;
    const { mode, instructions } = modes.collaboration;
    return { mode, instructions: instructions ?? modeGuidance(mode) };
  },

  stored: (fact) => ({ mode: fact.mode, instructions: digest(fact) }),

  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const [mode, instructions] = [stringAt(stored, 'mode'), stringAt(stored, 'instructions')];
    return mode === undefined || instructions === undefined ? undefined : { mode, instructions };
  },

  full: (now) => (now.instructions === '' ? [] : [told(now)]),

  change(before, now = nothing) {
    return before !== unknown && before.instructions === digest(now) ? [] : [told(now)];
  },
};

const nothing: CollaborationModeText = { mode: 'default', instructions: '' };

function told(fact: CollaborationModeText): Fragment {
  if (fact.instructions === '') return render(collaborationModeFragment.withdrawn, undefined);
  return render(collaborationModeFragment, fact);
}

/** No guidance is stored as other programs store it: as the digest of an empty pair, whatever text the model reads. */
function digest(fact: CollaborationModeText): string {
  const fragment = told(fact);
  const [start = '', end = ''] = collaborationModeFragment.markers ?? [];
  return fingerprint(fact.instructions === '' ? { ...fragment, text: start + end } : fragment);
}
