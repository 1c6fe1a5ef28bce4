import { type TurnContinued, type UserInput, writtenBy } from '../../protocol/user-input.ts';
import { continueAfterFailure, continueForAnother } from '../answers/fallback-words.ts';
import { defineFragment } from '../text/define.ts';

const sentence: Readonly<Record<TurnContinued, string>> = {
  'after-failure': continueAfterFailure,
  'other-model': continueForAnother,
};

/** It begins a turn in which the user says nothing. */
export const turnContinuedFragment = defineFragment<TurnContinued>({
  id: 'turn-continued',
  purpose: 'A turn that failed goes on: the user lets it try again, or another model takes over.',
  role: 'user',
  markers: ['<turn_continued>', '</turn_continued>'],
  capTokens: 200,
  separate: true,
  body: (why) => `\n${sentence[why]}\n`,
});

/** What such a turn is submitted with. */
export function turnGoesOn(why: TurnContinued): UserInput {
  return { ...writtenBy('program', sentence[why]), continues: why };
}
