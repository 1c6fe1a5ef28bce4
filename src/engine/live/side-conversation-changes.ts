import { defined } from '../../base/objects.ts';
import type { ChangedFile, FilesChangedInSideConversation } from '../../protocol/turn-item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { LiveThread } from './live-thread-types.ts';

/** The most files that one line names. */
const mostNamed = 1000;

/**
 * Tracks the file changes of a side conversation. The main one records them at the end of each of its turns, so that
 * its model learns of them with its next request even if this process is killed.
 */
export class SideConversationChanges {
  readonly #main: Pick<LiveThread, 'tellChangedBeside'>;
  /** Not yet reported to the main conversation. */
  #news = new NewChanges();
  readonly #files = new Set<string>();
  commands = 0;
  /** Why the main conversation does not know all changes. Undefined if it does, once `over` settles. */
  problem: Outcome | undefined;
  /** Settles when the side conversation is closed and the main one knows all its changes. */
  readonly over: Promise<void>;

  constructor(main: Pick<LiveThread, 'tellChangedBeside'>, side: Pick<LiveThread, 'follow'>) {
    this.#main = main;
    this.over = this.#follow(side.follow({ provisional: false }));
  }

  /** Every file that its patches changed, by its current or last name. */
  get files(): readonly string[] {
    return [...this.#files];
  }

  async #follow(all: ReturnType<LiveThread['follow']>): Promise<void> {
    for await (const news of all) if (news.kind === 'recorded') await this.#take(news.event);
    await this.#tell();
  }

  async #take(event: ThreadEvent): Promise<void> {
    if (event.kind === 'turn-completed' || event.kind === 'turn-failed' || event.kind === 'turn-aborted')
      return this.#tell();
    if (event.kind !== 'item-completed') return;
    const { item } = event;
    if (item.kind === 'command' && item.status !== 'declined') {
      this.commands += 1;
      this.#news.commands += 1;
    }
    if (item.kind !== 'file-change' || item.status !== 'completed') return;
    for (const file of item.changes) {
      this.#files.add(file.movePath ?? file.path);
      this.#news.add(file);
    }
  }

  async #tell(): Promise<void> {
    const { changed } = this.#news;
    // The changes of commands are unknown, and most commands change nothing.
    if (changed === undefined) return;
    this.#news = new NewChanges();
    const told = await this.#main.tellChangedBeside(changed);
    if (told.kind === 'refused') this.problem ??= told.outcome;
  }
}

class NewChanges {
  readonly #files = new Map<string, ChangedFile['kind']>();
  commands = 0;

  /** Undefined: patches left no net change. */
  get changed(): FilesChangedInSideConversation | undefined {
    const all = [...this.#files].map(([path, kind]) => ({ path, kind }));
    if (all.length === 0) return undefined;
    const more = all.length > mostNamed ? all.length - mostNamed : undefined;
    return { changes: all.slice(0, mostNamed), ...defined({ more, commands: this.commands || undefined }) };
  }

  add({ path, kind, movePath }: ChangedFile): void {
    if (movePath === undefined) return this.#became(path, kind);
    this.#became(path, 'delete');
    this.#became(movePath, 'add');
  }

  /** Merges a change with the earlier ones that the main conversation does not know yet. */
  #became(path: string, kind: ChangedFile['kind']): void {
    const before = this.#files.get(path);
    if (before === 'add' && kind === 'delete') this.#files.delete(path);
    else if (before === 'add') this.#files.set(path, 'add');
    else this.#files.set(path, before === 'delete' && kind === 'add' ? 'update' : kind);
  }
}
