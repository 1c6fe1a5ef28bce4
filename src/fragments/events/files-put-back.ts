import type { FilesPutBack } from '../../protocol/files-put-back.ts';
import { defineFragment } from '../text/define.ts';
import { listedPaths, shortBytes } from '../text/listed-paths.ts';
import { quote } from '../text/markup.ts';

/** Of each of the two lists. */
const most = { count: 60, characters: 1300 };
const longestWords = 120;

export const filesPutBackFragment = defineFragment<FilesPutBack>({
  id: 'files-put-back',
  purpose: 'The user put files back to what they were before a turn, or undid that, and which.',
  role: 'developer',
  markers: ['<files_put_back>', '</files_put_back>'],
  capTokens: 2200,
  body({ before, isUndone, restored, deleted, more = 0 }) {
    const content = isUndone === true ? 'With the content that they had then' : 'With their earlier content';
    const lists = [...listedPaths(content, restored, most), ...listedPaths('Deleted', deleted, most)];
    const rest = more === 0 ? [] : [`${more} more are not named here.`];
    return `\n${[isUndone === true ? undone : putBack(before), ...lists, ...rest].join('\n')}\n`;
  },
});

const look = 'Read a file again before you rely on what you know of it.';
const undone = `The user had put files back to an earlier state and undid that: these are again what they were before they went back. ${look}`;

function putBack(before: FilesPutBack['before']): string {
  const when = before === undefined ? 'earlier' : `before turn ${before.number}${beginning(before.words)}`;
  return `The user put these files back to what they were ${when}. What was done to them since then is undone; the conversation goes on. Do not repeat it unless the user asks. ${look}`;
}

function beginning(words: string): string {
  return words === '' ? '' : ` (${quote(shortBytes(words, longestWords))})`;
}
