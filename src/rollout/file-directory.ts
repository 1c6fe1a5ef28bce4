import type { ThreadDirectory } from '../ports/thread-directory.ts';
import { chooseThread } from './choose-thread.ts';
import type { ThreadIndex } from './index/thread-index.ts';
import { appendThreadName, type NameParts } from './thread-names.ts';

export interface FileDirectoryOptions extends NameParts {
  /** Where Codex keeps its index. */
  readonly codexIndexFolder: string;
}

/** The threads under a home, as their files are. Lists and searches load the index on use: most runs need none. */
export function createFileDirectory(options: FileDirectoryOptions): ThreadDirectory {
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

export async function openThreadIndex({ home, clock }: Pick<NameParts, 'home' | 'clock'>): Promise<ThreadIndex> {
  const { ThreadIndex } = await import('./index/thread-index.ts');
  return new ThreadIndex({ home, clock });
}
