import type { Look } from '../text/look.ts';
import { readStatusIds, type StatusFacts, type StatusId, type StatusItem, statusItems } from './status-items.ts';

/** `activity`: that something runs, or waits for the user. */
export type TitleId = StatusId | 'activity';

export const usualTitle: readonly TitleId[] = ['activity', 'thread-title', 'project-name'];

/** The ids that are known, and the words that are not. */
export function readTitleIds(words: readonly string[]): {
  readonly ids: readonly TitleId[];
  readonly unknown: readonly string[];
} {
  const unknown: string[] = [];
  const ids: TitleId[] = [];
  for (const word of words) {
    const read = readStatusIds([word]);
    const found: readonly TitleId[] = word === 'activity' || word === 'spinner' ? ['activity'] : read.ids;
    if (found.length === 0) unknown.push(...read.unknown);
    ids.push(...found.filter((id) => !ids.includes(id)));
  }
  return { ids, unknown };
}

const longestPart = 60;

/** What the window is called. Not clean yet: `titleSequence` makes it so. */
export function windowTitle(facts: StatusFacts, ids: readonly TitleId[], look: Look): string {
  return ids
    .map((id) => {
      const item: StatusItem | undefined = id === 'activity' ? undefined : statusItems[id];
      const text = item === undefined ? activity(facts, look) : item.text(facts, look);
      return text === undefined ? '' : [...text.trim()].slice(0, longestPart).join('');
    })
    .filter((text) => text !== '')
    .join(' | ');
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

/** It moves with the seconds on the screen, and is not a reason to draw. */
function activity({ runState }: StatusFacts, { glyphs, motion, now }: Look): string | undefined {
  const second = motion === 'none' ? 0 : Math.floor(now / 1000);
  if (runState === 'Waiting') return second % 2 === 0 ? '[ ! ] Action required' : '[ . ] Action required';
  if (runState === 'Ready') return undefined;
  if (glyphs !== 'unicode') return 'Working';
  return frames[second % frames.length];
}
