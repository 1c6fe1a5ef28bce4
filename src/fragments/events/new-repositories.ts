import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

const mostNamed = 20;

/** Folders that became git repositories while commands ran. */
export interface NewRepositoriesText {
  readonly [key: string]: readonly string[];
  readonly folders: readonly string[];
}

export const newRepositoriesFragment = defineFragment<NewRepositoriesText>({
  id: 'new-repositories',
  purpose:
    'Which folders became git repositories during a turn, and that commands cannot change their `.git` any more, if they have one.',
  role: 'developer',
  markers: ['<new_repositories>', '</new_repositories>'],
  capTokens: 800,
  body({ folders }) {
    const more = folders.length > mostNamed ? ` and ${folders.length - mostNamed} more` : '';
    const named = folders
      .slice(0, mostNamed)
      .map((folder) => quote(folder))
      .join(', ');
    return `\nNew git repositories appeared during the turn: ${named}${more}. The user was warned. From now on commands can read the .git in them and not write it. A bare repository has no .git and stays writable.\n`;
  },
});
