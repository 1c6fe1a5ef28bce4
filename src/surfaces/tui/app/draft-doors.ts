import { errorWords } from '../../../protocol/error-words.ts';
import type { FileIndex } from '../../engine/find-workspace-files.ts';
import type { EarlierPrompts } from '../composer/draft-history.ts';
import { quotedPath } from '../composer/insert-element.ts';
import type { MentionItem } from '../views/mention-item.ts';
import type { MentionSource } from '../views/mention-popup.ts';
import { EarlierFile } from './earlier-file.ts';
import type { TuiSession } from './session.ts';

/** What the composer needs of the engine. */
export interface DraftDoors extends MentionSource {
  readonly model: string;
  readonly takesPictures: boolean;
  /** The user has named a file: it comes up from now on. */
  named(path: string): void;
  /** What was sent in other conversations. */
  readonly earlier: EarlierPrompts;
  /** What was sent is kept. */
  readonly kept: Promise<unknown>;
}

/** More than are shown at once: the user scrolls, and the next letter chooses among them until there is more. */
const mostFiles = 100;

export function draftDoors(session: Pick<TuiSession, 'thread' | 'parts' | 'notice'>): DraftDoors {
  const named = new Set<string>();
  let index: { readonly cwd: string; readonly opened: Promise<FileIndex> } | undefined;
  const indexNow = (): Promise<FileIndex> => {
    const { cwd } = session.thread.settings;
    if (index?.cwd !== cwd) index = { cwd, opened: session.parts.engine.openFileIndex(cwd) };
    return index.opened;
  };
  const earlier = new EarlierFile(session);
  return {
    earlier,
    get kept() {
      return earlier.kept;
    },
    get model() {
      return session.thread.settings.model;
    },
    get takesPictures() {
      return session.thread.takesPictures;
    },
    named: (path) => void named.add(path),
    async tools() {
      try {
        const found = await session.parts.engine.findMentionable(session.thread.settings.cwd);
        // A wrong configuration was reported when the thread was opened.
        return 'code' in found ? [] : toolItems(found);
      } catch (error) {
        session.notice(`Skills cannot be listed: ${errorWords(error)}`, 'error');
        return [];
      }
    },
    async files(typed, signal, found) {
      try {
        const opened = await indexNow();
        await opened.search({
          typed,
          limit: mostFiles,
          named,
          signal,
          found: ({ files }) => found(files.map(({ path, kind }) => fileItem(path, kind))),
        });
      } catch (error) {
        session.notice(`Files cannot be listed: ${errorWords(error)}`, 'error');
      }
    },
  };
}

function fileItem(path: string, kind: 'file' | 'folder'): MentionItem {
  return { kind, name: path, about: '', text: quotedPath(kind === 'folder' ? `${path}/` : path) };
}

type Found = Exclude<Awaited<ReturnType<TuiSession['parts']['engine']['findMentionable']>>, { readonly code: string }>;

function toolItems({ skills, plugins }: Found): readonly MentionItem[] {
  return [
    ...plugins.map(({ name }): MentionItem => ({ kind: 'plugin', name, about: 'plugin', text: `@${name}` })),
    ...skills.map(({ name, description, mention }): MentionItem => ({
      kind: 'skill',
      name,
      about: description,
      text: mention,
    })),
  ];
}
