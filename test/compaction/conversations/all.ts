import { agreement } from './agreement.ts';
import { cancelled } from './cancelled.ts';
import { changes } from './changes.ts';
import type { Conversation } from './conversation.ts';
import { interruptions } from './interruptions.ts';
import { languages } from './languages.ts';
import { oddWords } from './odd-words.ts';
import { pastesAndPictures } from './pastes-and-pictures.ts';

/** All conversations by theme: what tests check is what the bench measures. */
export const themes: Readonly<Record<string, readonly Conversation[]>> = {
  agreement,
  cancelled,
  changes,
  'pastes and pictures': pastesAndPictures,
  languages,
  interruptions,
  'odd words': oddWords,
};
