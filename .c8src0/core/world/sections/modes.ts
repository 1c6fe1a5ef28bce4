import { defined, ifAllDefined } from '../../../base/objects.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../../protocol/json.ts';
import type { Personality, RealtimeSetting } from '../../envelope/settings.ts';
import type { Fragment, Markers } from '../../fragments/text/define-fragment.ts';
import {
  defineWithdrawableFragment,
  defineFragment,
  fingerprint,
  isBetweenMarkers,
  renderFragment,
} from '../../fragments/text/define-fragment.ts';
import { withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { type Section, unknownState } from './section.ts';

export type CollaborationModeText = { readonly mode: string; readonly instructions: string };

export const collaborationModeFragment = defineWithdrawableFragment<CollaborationModeText>({
  id: 'collaboration-mode',
  purpose: 'How to work in the mode that the user chose.',
  capTokens: 5000,
  section: 'collaboration_mode',
  body: ({ mode, instructions }) => `\nMode: ${withoutLineBreaks(mode)}\n\n${instructions}\n`,
  withdrawn: '\nThe mode described earlier has ended, and what it asked for no longer holds.\n',
});

/** Capstan's guidance for a mode, for a model that has none of its own. The default mode has no guidance. */
export const modeGuidance = (mode: string): string => (mode === 'plan' ? planning : '');

const planning = `The user wants a plan before any work. Until the mode changes:
- Look, read and run what helps you understand. Change nothing: no edits, no commits, no commands that write. Commands run without permission to write.
- When something can be read two ways and the choice matters, ask; ask once, with the choices.
- Answer with the plan, once, between a line <proposed_plan> and a line </proposed_plan>: what will change and where, in which order, how it will be checked, and what you are unsure of. Make it complete enough that another developer could carry it out.
- Do not begin the work, even when the plan is clear. The user says when.`;

/** For an agent of a thread in the mode: it has a task, and its parent makes the plan. */
export const planModeAgentGuidance = `The user wants a plan before any work, and you help to make it. Until the mode changes:
- Look, read and run what helps you with your task. Change nothing: no edits, no commits, no commands that write. Commands run without permission to write.
- If your task asks for a change, do not make it. Answer with what you found out, and with what would have to change.`;

/** In the form that other programs also write. */
type StoredMode = JsonObject & { readonly mode: string; readonly instructions: string };

/** The way of working together. A mode without guidance ends the previous one; that is sent once. */
export const collaborationModeSection: Section<CollaborationModeText, StoredMode> = {
  id: 'collaboration_mode',
  assumes: 'the permissions under which the mode is lived',
  family: collaborationModeFragment,
  of({ envelope: { modes } }) {
    if (modes.leaveOut.includes('collaboration-mode')) return undefined;
    const { mode, instructions } = modes.collaboration;
    return { mode, instructions: instructions ?? modeGuidance(mode) };
  },
  stored: (fact) => ({ mode: fact.mode, instructions: digest(fact) }),
  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    return ifAllDefined({ mode: stringAt(stored, 'mode'), instructions: stringAt(stored, 'instructions') });
  },
  full: (now) => (now.instructions === '' ? [] : [renderMode(now)]),
  change(before, now = nothing) {
    return before !== unknownState && before.instructions === digest(now) ? [] : [renderMode(now)];
  },
};

const nothing: CollaborationModeText = { mode: 'default', instructions: '' };

function renderMode(fact: CollaborationModeText): Fragment {
  if (fact.instructions === '') return renderFragment(collaborationModeFragment.withdrawn, undefined);
  return renderFragment(collaborationModeFragment, fact);
}

/** Missing guidance is stored as other programs do: as the digest of an empty pair, whatever the model reads. */
function digest(fact: CollaborationModeText): string {
  const fragment = renderMode(fact);
  const [start = '', end = ''] = collaborationModeFragment.markers ?? [];
  return fingerprint(fact.instructions === '' ? { ...fragment, text: start + end } : fragment);
}

export const personalityFragment = defineWithdrawableFragment<{ readonly name: Personality; readonly text: string }>({
  id: 'personality',
  purpose: 'How the user wants the model to speak.',
  markers: ['<personality_spec>', '</personality_spec>'],
  capTokens: 1000,
  separate: true,
  section: 'personality',
  body: ({ name, text }) =>
    `\nManner of speech: ${name}. It takes the place of any manner asked for before.\n\n${text}\n`,
  withdrawn: '\nThe manner of speech asked for before no longer holds. Speak as the rest of the instructions ask.\n',
});

export const personalityText = (name: Personality): string => texts[name];

const texts: Readonly<Record<Personality, string>> = {
  none: 'No particular manner is asked for. Be plain and clear.',
  friendly:
    'Be warm and patient. Treat the work as something done together, name what went well where it is true, and explain without talking down. Warmth never takes the place of a fact, and bad news is told as clearly as good news.',
  pragmatic:
    'Be direct and brief. Lead with the result or the decision to be made, weigh costs openly, and leave out praise and small talk. When something is wrong, say so and say what to do.',
};

export interface PersonalityFact {
  readonly model: string;
  /** Absent: none was chosen. */
  readonly personality?: Personality;
}

/** In the form that other programs also write. */
type StoredPersonality = JsonObject & { readonly model: string; readonly personality?: string };

/** The model's manner of speaking. It changes no capability, so it follows everything that does. */
export const personalitySection: Section<PersonalityFact, StoredPersonality> = {
  id: 'personality',
  assumes: 'model, permissions and mode: it changes the voice and nothing else',
  family: personalityFragment,
  of: ({ envelope: { identity, modes } }) => ({
    model: identity.model.slug,
    ...defined({ personality: modes.personality }),
  }),
  stored: (fact) => ({ ...fact }),
  read(stored) {
    if (!isJsonObject(stored)) return undefined;
    const [model, personality] = [stringAt(stored, 'model'), stringAt(stored, 'personality')];
    return model === undefined ? undefined : { model, ...defined({ personality }) };
  },
  full: ({ personality }) => (personality === undefined ? [] : [renderPersonality(personality)]),
  change(before, now) {
    const personality = now?.personality;
    if (before !== unknownState && before.personality === personality) return [];
    return [personality ? renderPersonality(personality) : renderFragment(personalityFragment.withdrawn, undefined)];
  },
};

const renderPersonality = (name: Personality) =>
  renderFragment(personalityFragment, { name, text: personalityText(name) });
const markers: Markers = ['<realtime_conversation>', '</realtime_conversation>'];
/** The first line shows an end, in other programs' texts, too. Other text counts as a start: an end can follow. */
const ended = /^\s*<realtime_conversation>\s*Realtime conversation(?:: off| ended)\b/i;

export const realtimeStartFragment = defineFragment<{ readonly instructions?: string }>({
  id: 'realtime-start',
  purpose: 'The user speaks now, through an intermediary.',
  markers,
  capTokens: 1000,
  section: 'realtime',
  matches: (text) => isBetweenMarkers(text, markers) && !ended.test(text),
  body: ({ instructions = spoken }) => `\nRealtime conversation: on.\n\n${instructions}\n`,
});

export const realtimeEndFragment = defineFragment<{ readonly instructions?: string }>({
  id: 'realtime-end',
  purpose: 'The user types again.',
  markers,
  capTokens: 1000,
  section: 'realtime',
  matches: (text) => isBetweenMarkers(text, markers) && ended.test(text),
  body: ({ instructions = typed }) => `\nRealtime conversation: off.\n\n${instructions}\n`,
});

const spoken =
  'An intermediary talks with the user and passes on what was said. Expect spoken language: words may be misheard and punctuation may be missing. Answer in few words that the intermediary can say aloud.';
const typed = 'What follows is typed by the user. The rules for spoken language no longer hold.';

/** Tells the model whether the user speaks or types. Sent only when that changes, not when only the instructions do. */
export const realtimeSection: Section<RealtimeSetting, { readonly active: boolean }> = {
  id: 'realtime',
  assumes: 'the mode, whose answers may now be spoken',
  family: { id: realtimeStartFragment.id, withdrawn: realtimeEndFragment },
  of: ({ envelope: { modes } }) => modes.realtime,
  stored: ({ active }) => ({ active }),
  read: (stored) =>
    isJsonObject(stored) && typeof stored['active'] === 'boolean' ? { active: stored['active'] } : undefined,
  full: (now) => (now.active ? [start(now)] : []),
  change(before, now) {
    const active = now?.active === true;
    if (before !== unknownState && before.active === active) return [];
    return now !== undefined && active ? [start(now)] : [renderFragment(realtimeEndFragment, {})];
  },
};

const start = ({ startInstructions }: RealtimeSetting) =>
  renderFragment(realtimeStartFragment, defined({ instructions: startInstructions }));
