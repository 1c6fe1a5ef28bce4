import { errorWords } from '../../../protocol/error-words.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ClipboardContent } from '../../engine/read-clipboard.ts';
import type { Mentionable } from '../../engine/mentionable.ts';
import type { FileIndex } from '../../engine/find-workspace-files.ts';
import type { EarlierPrompts } from '../composer/draft-history.ts';
import { pathInMessage } from '../composer/insert-element.ts';
import type { ArgumentValues } from '../views/argument-popup.ts';
import type { MentionItem } from '../views/mention-item.ts';
import type { MentionSource } from '../views/mention-popup.ts';
import { EarlierFile } from './earlier-file.ts';
import type { DraftHost } from './draft-host.ts';

/** What the composer needs of the engine. */
export interface DraftDoors extends MentionSource {
  readonly model: string;
  readonly takesPictures: boolean;
  /** Whether to look for pastes that the terminal does not mark. */
  readonly detectsPastes: boolean;
  readonly argumentValues: ArgumentValues;
  clipboard(): Promise<ClipboardContent | Outcome>;
  /** The user has named a file: it comes up from now on. */
  named(path: string): void;
  /** What was sent in other conversations. */
  readonly earlier: EarlierPrompts;
  /** What was sent is kept. */
  readonly kept: Promise<unknown>;
}

/** More than are shown at once: the user scrolls, and the next letter chooses among them until there is more. */
const mostFiles = 100;

export function draftDoors(host: DraftHost): DraftDoors {
  const named = new Set<string>();
  let index: { readonly cwd: string; readonly opened: Promise<FileIndex> } | undefined;
  const indexNow = (): Promise<FileIndex> => {
    const { cwd } = host.thread().settings;
    if (index?.cwd !== cwd) index = { cwd, opened: host.engine.openFileIndex(cwd) };
    return index.opened;
  };
  const earlier = new EarlierFile(host);
  return {
    earlier,
    get kept() {
      return earlier.kept;
    },
    get model() {
      return host.thread().settings.model;
    },
    get takesPictures() {
      return host.thread().takesPictures;
    },
    clipboard: () => host.engine.user.readClipboard(),
    get detectsPastes() {
      return host.engine.config.detectsPastes;
    },
    named: (path) => void named.add(path),
    async tools() {
      try {
        const found = await host.engine.findMentionable(host.thread().settings.cwd);
        // A wrong configuration was reported when the thread was opened.
        return 'code' in found ? [] : toolItems(found);
      } catch (error) {
        host.notice(`Skills cannot be listed: ${errorWords(error)}`, 'error');
        return [];
      }
    },
    async argumentValues(asked) {
      try {
        return await (await import('./argument-values.ts')).argumentValues(host, asked);
      } catch (error) {
        host.notice(`What /${asked.command} takes cannot be listed: ${errorWords(error)}`, 'error');
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
        host.notice(`Files cannot be listed: ${errorWords(error)}`, 'error');
      }
    },
  };
}

function fileItem(path: string, kind: 'file' | 'folder'): MentionItem {
  return { kind, name: path, about: '', text: pathInMessage(kind === 'folder' ? `${path}/` : path) };
}

function toolItems({ skills, plugins }: Mentionable): readonly MentionItem[] {
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
