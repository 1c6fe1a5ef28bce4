import { hintKeys, type HintKeys } from '../keys/hint-keys.ts';
import { drawRows } from '../text/draw-row.ts';
import { ownWords } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

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

export const tipCount = tips.length;

/** Below the composer and nowhere else: what looks like an answer is one. */
export function tipRows(at: number, look: Look): readonly string[] {
  const tip = tips[at % tips.length]?.(hintKeys(look, 'composer')) ?? '';
  const label = '  Tip: ';
  const rest = [plain(' '.repeat(label.length))];
  const rows = wrapRow([styled(ownWords(tip, look), dimStyle)], {
    width: look.width,
    first: [styled(label, dimStyle)],
    rest,
  });
  return drawRows(rows, look);
}
