import type { Personality } from '../../envelope/settings.ts';
import { defineFamily } from '../text/define.ts';

export const personalityFragment = defineFamily<{ readonly name: Personality; readonly text: string }>({
  id: 'personality',
  purpose: 'How the user wants the model to speak.',
  role: 'developer',
  markers: ['<personality_spec>', '</personality_spec>'],
  capTokens: 1000,
  separate: true,
  section: 'personality',
  body: ({ name, text }) =>
    `\nManner of speech: ${name}. It takes the place of any manner asked for before.\n\n${text}\n`,
  withdrawn: '\nThe manner of speech asked for before no longer holds. Speak as the rest of the instructions ask.\n',
});

export function personalityText(name: Personality): string {
  return texts[name];
}

const texts: Readonly<Record<Personality, string>> = {
  none: 'No particular manner is asked for. Be plain and clear.',
  friendly:
    'Be warm and patient. Treat the work as something done together, name what went well where it is true, and explain without talking down. Warmth never takes the place of a fact, and bad news is told as clearly as good news.',
  pragmatic:
    'Be direct and brief. Lead with the result or the decision to be made, weigh costs openly, and leave out praise and small talk. When something is wrong, say so and say what to do.',
};
