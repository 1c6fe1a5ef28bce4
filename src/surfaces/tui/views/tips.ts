import { hintKeys, type HintKeys } from '../keys/hint-keys.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { ownWords } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, styled } from '../text/style.ts';

const tips: readonly ((key: HintKeys) => string)[] = [
  (key) => `${key('Enter')} while a turn runs steers it; ${key('Tab')} queues the message for the next turn.`,
  () => '! at the beginning runs a command in your own shell. The model reads its output.',
  () => 'Shift+Tab switches plan mode: the model plans, and nothing is written.',
  () => '/context shows what fills the window. /compact makes room.',
  (key) => `${key('Ctrl+T')} shows the conversation with all details.`,
  () => '/statusline chooses what stands in the line above.',
  () => '/theme has colours for every background and every eye.',
  (key) => `${key('Ctrl+G')} opens the draft in your editor.`,
];

const dayMs = 24 * 60 * 60 * 1000;

/** Another one each day, below the composer and nowhere else: what looks like an answer is one. */
export function tipRow(look: Look): string {
  const tip = tips[Math.floor(look.now / dayMs) % tips.length]?.(hintKeys(look, 'composer')) ?? '';
  return drawRow(cutRow([styled(`  Tip: ${ownWords(tip, look)}`, dimStyle)], look.width, look), look);
}
