import { isLongOption } from './long-option.ts';

/** Options that write files or start programs, of any of the commands below. */
const refused = 'output ext-diff textconv exec paginate show-signature open-files-in-pager contents'.split(' ');
const shownBranches =
  /^(?:-[arv]+|-vv|--(?:all|remotes|list|show-current|verbose|no-color|color|no-column|ignore-case|(?:sort|format|abbrev|color|points-at|contains|no-contains|merged|no-merged)=.*))$/;

/**
 * The words behind `git`. Any option before the subcommand is refused: it may set a configuration, which may name
 * programs, or another repository, whose configuration may.
 */
export function isReadOnlyGit([subcommand = '', ...words]: readonly string[]): boolean {
  switch (subcommand) {
    case 'status':
    case 'log':
    case 'diff':
    case 'show':
      // `%G` checks signatures, with a program that the configuration names.
      return words.every((word) => !word.includes('%G') && !refused.some((name) => isLongOption(word, name)));
    case 'branch':
      return words.every((word) => shownBranches.test(word));
    default:
      return false;
  }
}
