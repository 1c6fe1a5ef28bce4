import type { ChangedFile, FilesChangedInSideConversation, RestoredFiles } from '../../../protocol/turn-item.ts';
import type { ResizedImage } from '../../../protocol/user-input.ts';
import { defineFragment } from '../text/define-fragment.ts';
import { quote } from '../text/escape-markup.ts';
import { boundedList, truncateMiddle, withMissingCount } from '../text/truncate.ts';

const mostChangedFiles = { count: 60, characters: 900 };

export const filesChangedBesideFragment = defineFragment<FilesChangedInSideConversation>({
  id: 'files-changed-beside',
  purpose: 'Which files a side conversation of the user changed, as far as that is known.',
  capTokens: 2300,
  body({ changes, more = 0, commands = 0 }) {
    const of = (kind: ChangedFile['kind']): readonly string[] => changes.flatMap((file) => pathsOf(file, kind));
    const lists = [
      ...pathListLine('Added', of('add'), mostChangedFiles),
      ...pathListLine('Changed', of('update'), mostChangedFiles),
      ...pathListLine('Deleted', of('delete'), mostChangedFiles),
    ];
    const rest = more === 0 ? [] : [`${more} more are not named here.`];
    return `\n${[head, ...lists, ...rest, ...commandsRun(commands)].join('\n')}\n`;
  },
});

const head =
  'The user held a side conversation, which you do not see. It changed these files: what you know of their content may be old. Read a file again before you rely on it.';

/** A moved file is deleted in one place and new in another. */
function pathsOf({ path, kind, movePath }: ChangedFile, wanted: ChangedFile['kind']): readonly string[] {
  if (movePath === undefined) return kind === wanted ? [path] : [];
  if (wanted === 'update') return [];
  return [wanted === 'add' ? movePath : path];
}

function commandsRun(count: number): readonly string[] {
  if (count === 0) return [];
  const [commands, those] = count === 1 ? ['1 command', 'that'] : [`${count} commands`, 'those'];
  return [`It also ran ${commands}; which files ${those} changed is not known.`];
}

const mostRestoredFiles = { count: 60, characters: 1300 };
const longestWords = 120;

export const filesPutBackFragment = defineFragment<RestoredFiles>({
  id: 'files-put-back',
  purpose: 'The user put files back to what they were before a turn, or undid that, and which.',
  capTokens: 2200,
  body({ before, isUndone, restored, deleted, more = 0 }) {
    const content = isUndone === true ? 'With the content that they had then' : 'With their earlier content';
    const lists = [
      ...pathListLine(content, restored, mostRestoredFiles),
      ...pathListLine('Deleted', deleted, mostRestoredFiles),
    ];
    const rest = more === 0 ? [] : [`${more} more are not named here.`];
    return `\n${[isUndone === true ? undone : putBack(before), ...lists, ...rest].join('\n')}\n`;
  },
});

const look = 'Read a file again before you rely on what you know of it.';
const undone = `The user had put files back to an earlier state and undid that: these are again what they were before they went back. ${look}`;

function putBack(before: RestoredFiles['before']): string {
  const when = before === undefined ? 'earlier' : `before turn ${before.number}${beginning(before.words)}`;
  return `The user put these files back to what they were ${when}. What was done to them since then is undone; the conversation goes on. Do not repeat it unless the user asks. ${look}`;
}

const beginning = (words: string): string => (words === '' ? '' : ` (${quote(truncateBytes(words, longestWords))})`);
const mostNewRepositories = 20;

export const newRepositoriesFragment = defineFragment<Readonly<Record<'folders', readonly string[]>>>({
  id: 'new-repositories',
  purpose:
    'Which folders became git repositories during a turn, and that commands cannot change their `.git` any more, if they have one.',
  capTokens: 800,
  body({ folders }) {
    const more = folders.length > mostNewRepositories ? ` and ${folders.length - mostNewRepositories} more` : '';
    const named = folders.slice(0, mostNewRepositories).map(quote).join(', ');
    return `\nNew git repositories appeared during the turn: ${named}${more}. The user was warned. From now on commands can read the .git in them and not write it. A bare repository has no .git and stays writable.\n`;
  },
});

const mostGeneratedImages = 16;

export const generatedImagesFragment = defineFragment<Readonly<Record<'paths', readonly string[]>>>({
  id: 'generated-images',
  purpose: 'Where images that the model generated are saved.',
  capTokens: 3500,
  body({ paths }) {
    const named = paths
      .slice(0, mostGeneratedImages)
      .map((path) => quote(truncateMiddle(path, { mode: 'bytes', limit: 600 })));
    return `\nImages that you generated are saved here. Copy them if they are needed elsewhere.\n${named.join('\n')}\n`;
  },
});

type ImageResizeNotice = {
  /** The message's pictures that were made smaller, numbered among all its pictures. */
  readonly images: readonly {
    readonly [key in keyof ResizedImage | 'number']: key extends 'number' ? number : string;
  }[];
};

export const imageResizeNoticeFragment = defineFragment<ImageResizeNotice>({
  id: 'image-resize-notice',
  purpose: 'Pictures of the user that were larger than the model takes.',
  capTokens: 800,
  separate: true,
  body({ images }) {
    const lines = images.map(({ number, from, to }) => `[Image #${number}] was resized from ${from} to ${to} pixels.`);
    return `\n${withMissingCount(boundedList(lines, mostImages)).join('\n')}\n`;
  },
});

export const unusableImagesFragment = defineFragment<{ readonly paths: readonly string[] }>({
  id: 'unusable-images',
  purpose: 'Files that the user sent as images and that cannot be shown to the model.',
  capTokens: 800,
  separate: true,
  body({ paths }) {
    const entries = paths.map((path) => path.replaceAll(/[\r\n]/g, ' '));
    const lines = withMissingCount(boundedList(entries, mostImages));
    return `\nThe user sent these files as images. They are not in a format that can be shown to you:\n${lines.join('\n')}\n`;
  },
});

const mostImages = { count: 40, characters: 2500 };
const longestPath = 400;

/** A line of the title and the paths that fit; none without paths. `most` allows for three bytes per character. */
function pathListLine(
  title: string,
  paths: readonly string[],
  most: { readonly count: number; readonly characters: number },
): readonly string[] {
  if (paths.length === 0) return [];
  const quoted = paths.map((path) => quote(truncateBytes(path, longestPath)));
  const list = boundedList(quoted, most);
  return [`${title}: ${withMissingCount(list, `and ${list.left} more`).join(', ')}`];
}

const truncateBytes = (text: string, bytes: number): string => truncateMiddle(text, { mode: 'bytes', limit: bytes });
