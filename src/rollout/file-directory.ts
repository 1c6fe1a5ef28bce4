import type { ThreadDirectory } from '../ports/thread-directory.ts';
import { chooseThread } from './find/choose-thread.ts';
import type { FollowingParts } from './follow-changes.ts';
import { openThreadIndex } from './index/open-index.ts';
import { appendThreadName } from './find/thread-names.ts';

/** The threads under a home, as their files are. Lists and searches load the index on use. */
export function createFileDirectory(options: FollowingParts): ThreadDirectory {
  const { files, home } = options;
  return {
    list: async (query, progress) => (await openThreadIndex(options)).list(query, progress),
    search: async (text, query, progress) => (await openThreadIndex(options)).search(text, query, progress),
    summary: async (id) => (await openThreadIndex(options)).summary(id),
    choose: (choice) => chooseThread(files, home, choice),
    rename: (id, name) => appendThreadName(options, id, name),
    async changed(changes) {
      const { followChanges } = await import('./follow-changes.ts');
      return followChanges(options, changes);
    },
  };
}
