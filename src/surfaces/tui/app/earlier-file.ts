import { fullText } from '../../../protocol/outcome.ts';
import type { PromptHistory, PromptPlace } from '../../engine/open-prompt-history.ts';
import { asMessage } from '../composer/command-draft.ts';
import { draftOf } from '../composer/draft.ts';
import type { EarlierPrompts } from '../composer/draft-history.ts';
import { readSlash } from '../composer/read-slash.ts';
import { clean } from '../text/clean.ts';
import { findSlash } from '../views/slash-table.ts';
import type { DraftHost } from './draft-host.ts';

/** What was sent in all conversations of the home, read from the newest to the oldest. */
export class EarlierFile implements EarlierPrompts {
  readonly #host: DraftHost;
  #opened: Promise<PromptHistory> | undefined;
  #rest: PromptPlace | 'end' | undefined;
  #isRefused = false;
  kept: Promise<void> = Promise.resolve();

  constructor(host: DraftHost) {
    this.#host = host;
  }

  async older(): Promise<readonly string[] | undefined> {
    if (this.#rest === 'end') return undefined;
    const read = (await this.#open()).before(this.#rest);
    if ('code' in read) throw new Error(read.message);
    this.#rest = read.rest ?? 'end';
    return read.prompts.map(({ text, isCommand }) => {
      const draft = draftOf(clean(text));
      return (isCommand === true ? draft : asMessage(draft)).text;
    });
  }

  add(text: string): void {
    // A command is for this conversation.
    if (findSlash(readSlash(text)?.name ?? '') !== undefined) return;
    const threadId = this.#host.thread().id;
    // Of a message that begins like one, a blank stands before it.
    this.kept = this.#keep(this.kept, { threadId, text, ...(text.startsWith('!') && { isCommand: true }) });
  }

  async #keep(before: Promise<void>, prompt: Parameters<PromptHistory['append']>[0]): Promise<void> {
    await before;
    const history = await this.#open();
    // What is sent from now on is known here, and must not be read as something older.
    this.#rest ??= history.end() ?? 'end';
    const problem = await history.append(prompt);
    // Once is enough.
    if (problem !== undefined && !this.#isRefused) this.#host.notice(fullText(problem), 'warning');
    this.#isRefused = problem !== undefined;
  }

  #open(): Promise<PromptHistory> {
    return (this.#opened ??= this.#host.engine.user.openPromptHistory());
  }
}
