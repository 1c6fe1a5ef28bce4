import { shownName } from '../wording/turn-lines.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { bold, dim, type Span } from './styled-text.ts';
import { formatDuration } from '../../../engine/wording.ts';

type Begun = { readonly words: string; readonly at: number };
type HooksBegun = Begun & { readonly event: string; readonly left: number };
const compacting = 'Compacting the history';

/** `performance` would cost every start more than a millisecond: Node loads it on first use. */
function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

export class TurnActivity {
  readonly #now: () => number;
  readonly #calls = new Map<string, Begun>();
  #other: Begun | undefined;
  /** Questions to the user, by their id: these take precedence over all else. */
  readonly #asking = new Map<string, Begun>();
  /** Hooks that the turn waits for, with the number that have not ended. */
  #hooks: readonly HooksBegun[] = [];
  #waitsUntil: number | undefined;
  #isStopping = false;

  constructor(now: () => number = milliseconds) {
    this.#now = now;
  }

  event(event: ThreadEvent): void {
    switch (event.kind) {
      case 'turn-started':
      case 'checkpoint-installed':
      case 'checkpoint-failed':
        return this.#begin('Thinking');
      case 'item-started': {
        const words = callWords(event.item);
        if (words !== undefined) this.#calls.set(event.item.id, { words, at: this.#now() });
        return;
      }
      case 'item-completed':
        // The model continues when the last call is over.
        if (this.#calls.delete(event.item.id) && this.#calls.size === 0) this.#begin('Thinking');
        return;
      case 'hook-started': {
        const [first, ...more] = event.names;
        if (first === undefined) return;
        const words = `hook ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
        this.#hooks = [...this.#hooks, { words, at: this.#now(), event: event.event, left: event.names.length }];
        return;
      }
      case 'hook-completed':
        this.#hooks = withoutOne(this.#hooks, event.run.event);
        return;
      case 'checkpoint-started':
        return this.#begin(compacting);
      case 'checkpoint-stage':
        return this.#begin(`${compacting}, stage ${event.stage} of ${event.of}`, this.#other?.at);
      case 'retrying':
        this.#waitsUntil = this.#now() + event.waitMs;
        return;
      case 'question-asked': {
        const words = event.to === 'review' ? 'Waiting for the reviewer' : 'Waiting for your answer';
        return void this.#asking.set(event.question.id, { words, at: this.#now() });
      }
      case 'question-answered':
        this.#asking.delete(event.id);
        return;
      case 'turn-completed':
      case 'turn-failed':
      case 'turn-aborted':
      case 'turn-suspended':
        this.#calls.clear();
        this.#asking.clear();
        this.#hooks = [];
        this.#other = undefined;
        this.#isStopping = false;
        return;
      default:
    }
  }

  /** The user wants the turn to end; it is over only when the turn reports that. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Undefined when nothing is under way. */
  get words(): readonly Span[] | undefined {
    const now = this.#now();
    if (this.#isStopping) return [bold('Stopping'), dim(' · Ctrl-C again to stop at once')];
    const shownFor = ({ words, at }: Begun, more = ''): readonly Span[] => {
      return [bold(words), dim(`${more} · ${formatDuration(now - at)} · Ctrl-C to stop`)];
    };
    const [awaited = this.#hooks[0]] = this.#asking.values();
    if (awaited !== undefined) return shownFor(awaited);
    const waitMs = (this.#waitsUntil ?? 0) - now;
    if (this.#calls.size === 0 && this.#other !== undefined && waitMs > 0)
      return [dim(`Waiting ${formatDuration(waitMs + 999)} before the next attempt · Ctrl-C to stop`)];
    const [shown = this.#other] = this.#calls.values();
    if (shown === undefined) return undefined;
    return shownFor(shown, this.#calls.size < 2 ? '' : ` and ${this.#calls.size - 1} more`);
  }

  #begin(words: string, at = this.#now()): void {
    this.#other = { words, at };
    this.#waitsUntil = undefined;
  }
}

/** Hooks of one moment end together, so only their number counts. */
function withoutOne(all: readonly HooksBegun[], event: string): readonly HooksBegun[] {
  const at = all.findIndex((each) => each.event === event);
  const found = all[at];
  if (found === undefined) return all;
  return found.left > 1 ? all.with(at, { ...found, left: found.left - 1 }) : all.toSpliced(at, 1);
}

/** Undefined for items that take no time. */
function callWords(item: TurnItem): string | undefined {
  if (item.kind === 'command') return `Running ${item.argv.at(-1) ?? ''}`.split('\n')[0];
  if (item.kind === 'tool-call') return `Running ${shownName(item.tool)}`;
  return item.kind === 'file-change' ? 'Applying a patch' : undefined;
}
