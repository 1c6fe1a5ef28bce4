import type { GuardedGit } from '../../ports/guarded-git.ts';

/** Its code is loaded when a rule or an answer is about to let git work. */
export function lazyGuardedGit(folder: string): GuardedGit {
  let loaded: Promise<GuardedGit> | undefined;
  return {
    folder,
    async guard(...asked) {
      loaded ??= import('../../exec/guarded-git.ts').then(({ createGuardedGit }) => createGuardedGit(folder));
      return (await loaded).guard(...asked);
    },
  };
}
