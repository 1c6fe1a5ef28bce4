import type { GuardedGit } from '../../ports/guarded-git.ts';

/** Its code is loaded when git is about to leave a sandbox. */
export function lazyGuardedGit(folder: string): GuardedGit {
  let loaded: Promise<GuardedGit> | undefined;
  return {
    folder,
    async variables(...asked) {
      loaded ??= import('../../exec/guarded-git.ts').then(({ createGuardedGit }) => createGuardedGit(folder));
      return (await loaded).variables(...asked);
    },
  };
}
