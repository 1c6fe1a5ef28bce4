import type { ThreadDirectory } from '../../../ports/thread-store.ts';
import { chooseThread } from '../files/find-threads.ts';
import type { FollowingParts } from '../maintenance/archive-and-delete.ts';
import { openThreadIndex } from './open-thread-index.ts';
import { appendThreadName } from '../files/thread-names.ts';

/** The threads of a home, from their files. The index for lists and searches is loaded on use. */
export function createFileDirectory(options: FollowingParts): ThreadDirectory {
  const { files, home } = options;
  return {
    list: async (query, progress) => (await openThreadIndex(options)).list(query, progress),
    search: async (text, query, progress) => (await openThreadIndex(options)).search(text, query, progress),
    summary: async (id) => (await openThreadIndex(options)).summary(id),
    choose: (choice) => chooseThread(files, home, choice),
    rename: (id, name) => appendThreadName(options, id, name),
    async changed(changes) {
      const { followChanges } = await import('../maintenance/archive-and-delete.ts');
      return followChanges(options, changes);
    },
  };
}
