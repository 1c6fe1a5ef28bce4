import { explainMismatch } from './explain-mismatch.ts';
import type { Replaced } from './replace-text.ts';

export const giveOldText = 'To change it, give the text to replace in `old_text`.';

/** Why an edit does not fit the file, and what might help its author. */
export function whyNotReplaced(
  failed: string,
  replaced: Exclude<Replaced, { kind: 'replaced' }>,
  find: string,
): [message: string, hint?: string] {
  switch (replaced.kind) {
    case 'encoding':
      return [`${failed}: ${replaced.reason}`];
    case 'not-unique': {
      const lines = `${replaced.at.join(', ')}${replaced.count > replaced.at.length ? ', …' : ''}`;
      const hint = 'Give more of the text around the place that you mean, or set `replace_all`.';
      return [`${failed}: old_text is in it ${replaced.count} times, at the lines ${lines}`, hint];
    }
    case 'not-found': {
      const mismatch = { fileLines: replaced.lines, expected: find.split('\n'), atEnd: false };
      const closest = explainMismatch(mismatch) ?? 'Read the file, and copy the text exactly.';
      return [`${failed}: old_text is not in it`, closest.replace(/^They stand at line (\d+),.*/s, spacesDiffer)];
    }
  }
}

/** Lines are compared loosely there, and an edit is exact. */
const spacesDiffer = 'Line $1 and the following differ from it only in spaces or punctuation. Copy them exactly.';
