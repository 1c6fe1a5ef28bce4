import type { IdSource } from '../../ports/system.ts';
import { defined } from '../../base/objects.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { providerForWaitingItem } from '../../core/state/current-provider.ts';
import { messageDroppedLine, waitingMessageLine } from '../../core/state/fold/waiting-messages.ts';
import type { DroppedBecause, WaitingContent } from '../../core/state/fold/waiting-messages.ts';
import type { CompactionResult } from './checkpoint/compaction-result.ts';
import type { SubmittedSettings } from './thread-settings.ts';
import type { ThreadLog } from './log.ts';

export type InboxMessage = WaitingContent & {
  /** The id of its `capstan_waiting` line. Absent: it has none, and enters history with the first lines of its turn. */
  readonly id?: string;
};

export interface SubmittedWords {
  readonly input: UserInput;
  id?: string;
  readonly waits: boolean;
  /** Cancelled while it waited: the words were never said. */
  isWithdrawn?: true;
}

export interface RequestedCompaction {
  readonly focus?: string;
  readonly signal: AbortSignal;
  /** The settings when the wish was submitted. Absent: only the running turn can serve it. */
  readonly settings?: SubmittedSettings;
  settle(result: CompactionResult | Promise<CompactionResult>): void;
}

/** Input waiting to enter history, oldest first: a view of the state. Compaction wishes are only in memory. */
export class Inbox {
  readonly #log: Pick<ThreadLog, 'state' | 'record'>;
  readonly #ids: IdSource;
  readonly #recordSettings: () => void;
  /** Words of turns that have not begun, in order. No other turn takes them in. */
  #submitted: SubmittedWords[] = [];
  /** Words of the turn that has just begun, until they get a line, which happens before anything becomes durable. */
  #fresh: SubmittedWords | undefined;
  #wishes: RequestedCompaction[] = [];
  /** Wishes that their turn did not serve. No other turn takes them: they have their own place in the queue. */
  #missed: RequestedCompaction[] = [];

  /** `recordSettings`: records the settings under which a message waits; called before its own line. */
  constructor(log: Pick<ThreadLog, 'state' | 'record'>, ids: IdSource, recordSettings: () => void) {
    this.#log = log;
    this.#ids = ids;
    this.#recordSettings = recordSettings;
  }

  get pending(): boolean {
    return this.waiting.length > 0;
  }

  get waiting(): readonly InboxMessage[] {
    const { waiting } = this.#log.state;
    const isAnothers = ({ id }: InboxMessage): boolean => this.#submitted.some((words) => words.id === id);
    const own = this.#submitted.length === 0 ? waiting : waiting.filter((mail) => !isAnothers(mail));
    return this.#fresh === undefined ? own : [...own, { kind: 'words', input: this.#fresh.input }];
  }

  get hasSubmitted(): boolean {
    return this.#submitted.length > 0;
  }
  get hasMissed(): boolean {
    return this.#missed.length > 0;
  }

  /** Records a message, and returns the id of its line. The caller makes it durable. */
  accept(message: WaitingContent): string {
    // Messages stay in order of arrival: also after those of a turn that was submitted and has not begun.
    this.keepAll();
    return this.#record(message);
  }

  /** Takes accepted messages back. Returns those that had not entered history. The caller makes it durable. */
  takeBack(ids: readonly string[]): readonly string[] {
    const waiting = new Set(this.waiting.map(({ id }) => id));
    const taken = ids.filter((id) => waiting.has(id));
    for (const id of taken) this.#log.record(messageDroppedLine(id, 'cancelled'));
    return taken;
  }

  /** Adds the words of a submitted turn. If the turn has to wait, these words and all earlier ones get a line. */
  submit(input: UserInput, { waits }: { readonly waits: boolean }): SubmittedWords {
    const words: SubmittedWords = { input, waits };
    this.#submitted.push(words);
    if (waits) this.keepAll();
    return words;
  }

  /** The turn of these words begins. Messages accepted before come before them, later ones after. */
  begin(words: SubmittedWords): void {
    this.#forget(words);
    if (words.id === undefined) this.#fresh = words;
  }

  /** The turn of these words is refused. True if a line records it. */
  refuse(words: SubmittedWords, because: DroppedBecause): boolean {
    if (!this.#submitted.includes(words)) return false;
    this.#forget(words);
    if (words.id !== undefined) this.#log.record(messageDroppedLine(words.id, because));
    return words.id !== undefined;
  }

  /** Cancels the turn of these words. False: it did not have to wait, or has begun. The caller makes it durable. */
  withdraw(words: SubmittedWords): boolean {
    if (!words.waits || !this.#submitted.includes(words)) return false;
    words.isWithdrawn = true;
    this.refuse(words, 'cancelled');
    return true;
  }

  /** Records the words of the turn that has begun, unless they have a line. True if anything was recorded. */
  keep(): boolean {
    const fresh = this.#fresh;
    this.#fresh = undefined;
    if (fresh !== undefined) this.#keep(fresh);
    return fresh !== undefined;
  }

  /** Also records the words of turns that have not begun. */
  keepAll(): void {
    this.keep();
    for (const words of this.#submitted) if (words.id === undefined) this.#keep(words);
  }

  /** Returns what enters history now. The caller records each at once, with the id of its line. */
  take(): readonly InboxMessage[] {
    const taken = this.waiting;
    this.#fresh = undefined;
    return taken;
  }

  #keep(words: SubmittedWords): void {
    words.id = this.#record({ kind: 'words', input: words.input });
  }

  #record(message: WaitingContent): string {
    const id = this.#ids.uuid();
    this.#recordSettings();
    const maker = message.kind === 'item' ? providerForWaitingItem(message.item, this.#log.state) : undefined;
    this.#log.record(waitingMessageLine({ id, ...message, ...defined({ maker }) }));
    return id;
  }

  #forget(words: SubmittedWords): void {
    this.#submitted = this.#submitted.filter((each) => each !== words);
  }

  wish(wish: RequestedCompaction): void {
    this.#wishes.push(wish);
    const giveUp = (): void => {
      if (![...this.#wishes, ...this.#missed].includes(wish)) return;
      this.#wishes = this.#wishes.filter((each) => each !== wish);
      this.#missed = this.#missed.filter((each) => each !== wish);
      wish.settle({ kind: 'aborted' });
    };
    if (wish.signal.aborted) giveUp();
    else wish.signal.addEventListener('abort', giveUp, { once: true });
  }

  takeWishes(): JoinedWishes | undefined {
    const wishes = this.#wishes;
    this.#wishes = [];
    return joined(wishes);
  }

  missWishes(): void {
    this.#missed = [...this.#missed, ...this.#wishes.filter(({ settings }) => settings !== undefined)];
    this.#wishes = [];
  }

  /** Takes the missed wishes that were submitted under these settings, joined to one compaction. */
  takeMissed(settings: SubmittedSettings): JoinedWishes | undefined {
    const wishes = this.#missed.filter((wish) => wish.settings === settings);
    this.#missed = this.#missed.filter((wish) => wish.settings !== settings);
    return joined(wishes);
  }
}

type JoinedWishes = Omit<RequestedCompaction, 'settings'>;

/** One compaction serves all wishes, with their focus texts joined. It is aborted when all callers have given up. */
function joined(wishes: readonly RequestedCompaction[]): JoinedWishes | undefined {
  if (wishes.length === 0) return undefined;
  const focus = wishes.flatMap((wish) => wish.focus ?? []).join('\n');
  return {
    focus: focus === '' ? undefined : focus,
    signal: allOf(wishes.map(({ signal }) => signal)),
    settle: (result) => wishes.forEach((wish) => wish.settle(result)),
  };
}

function allOf(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  for (const signal of signals) {
    const look = (): void => void (signals.every(({ aborted }) => aborted) && all.abort(signal.reason));
    signal.addEventListener('abort', look, { once: true });
  }
  return all.signal;
}
