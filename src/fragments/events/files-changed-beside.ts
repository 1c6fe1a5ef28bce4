import type { FilesChangedBeside } from '../../protocol/files-changed-beside.ts';
import type { ChangedFile } from '../../protocol/turn-item.ts';
import { defineFragment } from '../text/define.ts';
import { listedPaths } from '../text/listed-paths.ts';

/** Of each of the three lists. */
const most = { count: 60, characters: 900 };

export const filesChangedBesideFragment = defineFragment<FilesChangedBeside>({
  id: 'files-changed-beside',
  purpose: 'Which files a side conversation of the user changed, as far as that is known.',
  role: 'developer',
  markers: ['<files_changed_beside>', '</files_changed_beside>'],
  capTokens: 2300,
  body({ changes, more = 0, commands = 0 }) {
    const of = (kind: ChangedFile['kind']): readonly string[] => changes.flatMap((file) => pathsOf(file, kind));
    const lists = [
      ...listedPaths('Added', of('add'), most),
      ...listedPaths('Changed', of('update'), most),
      ...listedPaths('Deleted', of('delete'), most),
    ];
    const rest = more === 0 ? [] : [`${more} more are not named here.`];
    return `\n${[head, ...lists, ...rest, ...commandsRun(commands)].join('\n')}\n`;
  },
});

const head =
  'The user held a side conversation, which you do not see. It changed these files: what you know of their content may be old. Read a file again before you rely on it.';

/** A file that moved is gone in one place and new in another. */
function pathsOf({ path, kind, movePath }: ChangedFile, wanted: ChangedFile['kind']): readonly string[] {
  if (movePath === undefined) return kind === wanted ? [path] : [];
  if (wanted === 'update') return [];
  return [wanted === 'add' ? movePath : path];
}

function commandsRun(count: number): readonly string[] {
  if (count === 0) return [];
  return [
    count === 1
      ? 'It also ran 1 command; which files that changed is not known.'
      : `It also ran ${count} commands; which files those changed is not known.`,
  ];
}
