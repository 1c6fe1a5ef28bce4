import type { Engine } from '../../../engine/engine.ts';
import type { ClipboardContent } from '../../../engine/home/clipboard.ts';
import type { PromptHistory, PromptPlace } from '../../../engine/home/custom-prompts.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import type { FileIndex, Mentionable } from '../../../engine/workspace/find-mentionable.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import { findSlash } from '../commands/slash-commands.ts';
import { cleanText } from '../screen/text/clean-text.ts';
import type { ArgumentLister } from './argument-popup.ts';
import { pathInMessage } from './draft-elements.ts';
import type { EarlierPrompts } from './draft-history.ts';
import { draftFromText, escapeCommandDraft, parseSlashCommand } from './draft.ts';
import type { MentionItem, MentionSource } from './mention-popup.ts';

export interface DraftServices extends MentionSource {
  readonly model: string;
  readonly takesPictures: boolean;
  /** Detect pastes that the terminal does not mark. */
  readonly detectsPastes: boolean;
  readonly argumentValues: ArgumentLister;
  clipboard(): Promise<ClipboardContent | Outcome>;
  /** Ranks a file higher from now on, because the user named it. */
  named(path: string): void;
  readonly earlier: EarlierPrompts;
  /** Settles when sent messages are saved. */
  readonly kept: Promise<unknown>;
}

/** More files than the list shows: the user scrolls, and the next letter filters these until new results arrive. */
const mostFiles = 100;

export function createDraftServices(host: DraftServicesHost): DraftServices {
  const named = new Set<string>();
  let index: { readonly cwd: string; readonly opened: Promise<FileIndex> } | undefined;
  const indexNow = (): Promise<FileIndex> => {
    const { cwd } = host.thread().settings;
    if (index?.cwd !== cwd) index = { cwd, opened: host.engine.openFileIndex(cwd) };
    return index.opened;
  };
  /** Returns an empty list if it cannot be made, and tells the user why. */
  const orNone = async <Item>(what: string, list: () => Promise<readonly Item[]>): Promise<readonly Item[]> => {
    try {
      return await list();
    } catch (error) {
      host.notice(`${what} cannot be listed: ${messageOfThrown(error)}`, 'error');
      return [];
    }
  };
  const earlier = new EarlierPromptsFile(host);
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
    tools: () =>
      orNone('Skills', async () => {
        const found = await host.engine.findMentionable(host.thread().settings.cwd);
        // A wrong configuration was reported when the thread was opened.
        return 'code' in found ? [] : toolItems(found);
      }),
    argumentValues: (asked) =>
      orNone(`What /${asked.command} takes`, async () =>
        (await import('../commands/argument-values.ts')).listArgumentValues(host, asked),
      ),
    async files(typed, signal, tell) {
      await orNone('Files', async () => {
        const found = ({ files }: { readonly files: readonly FoundFile[] }): void => tell(files.map(fileItem));
        await (await indexNow()).search({ typed, limit: mostFiles, named, signal, found });
        return [];
      });
    },
  };
}

type FoundFile = { readonly path: string; readonly kind: 'file' | 'folder' };

const fileItem = ({ path, kind }: FoundFile): MentionItem => ({
  kind,
  name: path,
  about: '',
  text: pathInMessage(kind === 'folder' ? `${path}/` : path),
});

const toolItems = ({ skills, plugins }: Mentionable): readonly MentionItem[] => [
  ...plugins.map(({ name }): MentionItem => ({ kind: 'plugin', name, about: 'plugin', text: `@${name}` })),
  ...skills.map(({ name, description: about, mention: text }): MentionItem => ({ kind: 'skill', name, about, text })),
];

export class EarlierPromptsFile implements EarlierPrompts {
  readonly #host: DraftServicesHost;
  #opened: Promise<PromptHistory> | undefined;
  #rest: PromptPlace | 'end' | undefined;
  #isRefused = false;
  kept: Promise<void> = Promise.resolve();

  constructor(host: DraftServicesHost) {
    this.#host = host;
  }

  async older(): Promise<readonly string[] | undefined> {
    if (this.#rest === 'end') return undefined;
    const read = (await this.#open()).before(this.#rest);
    if ('code' in read) throw new Error(read.message);
    this.#rest = read.rest ?? 'end';
    return read.prompts.map(({ text, isCommand }) => {
      const draft = draftFromText(cleanText(text));
      return (isCommand === true ? draft : escapeCommandDraft(draft)).text;
    });
  }

  add(text: string): void {
    // Commands of Capstan are not saved: they belong to this conversation only.
    if (findSlash(parseSlashCommand(text)?.name ?? '') !== undefined) return;
    const threadId = this.#host.thread().id;
    // Only a shell command begins with `!`: a message that does so got a blank before it.
    this.kept = this.#keep(this.kept, { threadId, text, ...(text.startsWith('!') && { isCommand: true }) });
  }

  async #keep(before: Promise<void>, prompt: Parameters<PromptHistory['append']>[0]): Promise<void> {
    await before;
    const history = await this.#open();
    // Messages sent from now on are already in memory and must not be read as older ones.
    this.#rest ??= history.end() ?? 'end';
    const problem = await history.append(prompt);
    // Report repeated failures once.
    if (problem !== undefined && !this.#isRefused) this.#host.notice(outcomeText(problem), 'warning');
    this.#isRefused = problem !== undefined;
  }

  #open(): Promise<PromptHistory> {
    return (this.#opened ??= this.#host.engine.user.openPromptHistory());
  }
}

export interface DraftServicesHost {
  thread(): Pick<LiveThread, 'id' | 'place' | 'sessions' | 'settings' | 'takesPictures'>;
  readonly engine: Engine;
  notice(text: string, level: 'info' | 'warning' | 'error'): void;
}
