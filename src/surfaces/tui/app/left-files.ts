import type { LiveThread } from '../../engine/live/live-thread.ts';
import { plural } from '../../wording/number-words.ts';
import { shownPath } from '../text/shown-path.ts';

/** More are counted. */
const mostNamed = 5;

/** What a conversation that is not kept leaves in files, from now on until the signal. */
export class LeftFiles {
  readonly #files = new Set<string>();
  #commands = 0;

  async follow(thread: Pick<LiveThread, 'follow'>, signal: AbortSignal): Promise<void> {
    for await (const news of thread.follow({ provisional: false, signal })) {
      if (news.kind !== 'recorded' || news.event.kind !== 'item-completed') continue;
      const { item } = news.event;
      if (item.kind === 'command' && item.status !== 'declined') this.#commands += 1;
      if (item.kind !== 'file-change' || item.status !== 'completed') continue;
      for (const { path, movePath } of item.changes) this.#files.add(movePath ?? path);
    }
  }

  /** One line for the user. Undefined: it did nothing that could be left. */
  words(place: Parameters<typeof shownPath>[1]): string | undefined {
    const names = [...this.#files].slice(0, mostNamed).map((path) => shownPath(path, place));
    const more = this.#files.size - names.length;
    const files = [...names, ...(more === 0 ? [] : [`${more} more`])].join(', ');
    const did = [
      ...(files === '' ? [] : [`changed ${files}`]),
      ...(this.#commands === 0 ? [] : [`ran ${plural(this.#commands, 'command')}`]),
    ];
    if (did.length === 0) return undefined;
    return `The side conversation ${did.join(' and ')}. Files stay as it left them: the main model is not told, and /rewind does not take that back.`;
  }
}
