import { formatCount } from '../../../engine/wording.ts';
import type { ModelSwitchedEvent, PrefixBrokenEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import { brokenPrefix, cacheBreakWords, checkpointLine, checkpointText } from '../../views/wording/checkpoint-words.ts';
import { elapsedWords } from '../screen/text/format-values.ts';
import { quietCell, type QuietLine } from './cells/notice-cells.ts';
import type { TranscriptEntry } from './transcript.ts';

/** Events that do not show how a request went: a change before them may still turn out to have a cost. */
const early: ReadonlySet<ThreadEvent['kind']> = new Set(['context', 'settings', 'turn-started', 'warning']);

/** One quiet line for each change of the requests, with its cost. */
export class RequestChangeEntries {
  readonly #add: (entry: TranscriptEntry) => TranscriptEntry;
  #open: { readonly entry: TranscriptEntry; readonly change: RequestChange } | undefined;
  /** Retries of the running request. The row above the composer shows them; a line follows if one has helped. */
  #retry: Extract<RequestChange, { kind: 'retry' }> | undefined;
  #tokens: number | undefined;

  constructor(add: (entry: TranscriptEntry) => TranscriptEntry) {
    this.#add = add;
  }

  /** True if a line shows the event. */
  event(event: ThreadEvent): boolean {
    switch (event.kind) {
      case 'model-switched':
        return this.#begin({ kind: 'switch', event });
      case 'checkpoint-installed':
        return this.#begin({ kind: 'checkpoint', event });
      case 'prefix-broken':
        return this.#broken(event);
      case 'retrying':
        this.#retry = { kind: 'retry', events: [...(this.#retry?.events ?? []), event], tokens: this.#tokens };
        return true;
      case 'turn-failed':
      case 'turn-aborted':
        // Add no line: the end of the turn gives the reason, unless another model continues the turn.
        if (event.kind === 'turn-aborted' || event.continuedBy === undefined) this.#retry = undefined;
        break;
      case 'usage':
        this.#tokens = event.tokens;
        break;
      default:
        break;
    }
    if (!early.has(event.kind)) this.settle();
    return false;
  }

  settle(): void {
    if (this.#open !== undefined) this.#open.entry.isFinal = true;
    this.#open = undefined;
    const retry = this.#retry;
    this.#retry = undefined;
    if (retry !== undefined) this.#add({ cell: quietCell(requestChangeLine(retry)), isFinal: true, opens: true });
  }

  /** Shows the break in the line of the switch or checkpoint before it, or else in a line of its own. */
  #broken(prefix: PrefixBrokenEvent): boolean {
    const open = this.#open;
    if (open?.change.kind === 'switch' || open?.change.kind === 'checkpoint')
      open.entry.cell = quietCell(requestChangeLine({ ...open.change, prefix }));
    else this.#begin({ kind: 'prefix', prefix });
    this.settle();
    return true;
  }

  #begin(change: RequestChange): boolean {
    this.settle();
    const cell = quietCell(requestChangeLine(change));
    this.#open = { entry: this.#add({ cell, isFinal: false, opens: true }), change };
    return true;
  }
}

type EventOf<Kind extends ThreadEvent['kind']> = Extract<ThreadEvent, { kind: Kind }>;

type RequestChange =
  | { readonly kind: 'switch'; readonly event: ModelSwitchedEvent; readonly prefix?: PrefixBrokenEvent }
  | {
      readonly kind: 'checkpoint';
      readonly event: EventOf<'checkpoint-installed'>;
      readonly prefix?: PrefixBrokenEvent;
    }
  | { readonly kind: 'prefix'; readonly prefix: PrefixBrokenEvent }
  /** `tokens`: size of the repeated request, if known. */
  | { readonly kind: 'retry'; readonly events: readonly EventOf<'retrying'>[]; readonly tokens?: number };

export function requestChangeLine(change: RequestChange): QuietLine {
  switch (change.kind) {
    case 'switch': {
      const { from, to, changes } = change.event;
      const moved = changes.map(
        ({ field, from: before, to: after }) =>
          `${field}: ${JSON.stringify(before) ?? 'none'} -> ${JSON.stringify(after) ?? 'none'}`,
      );
      return lineOf(`Model changed from ${from} to ${to}`, moved, change.prefix);
    }
    case 'checkpoint': {
      const { report } = change.event;
      const [, ...details] = checkpointText(report).split('\n');
      return lineOf(checkpointLine(report), details, change.prefix);
    }
    case 'prefix': {
      const { prefix } = change;
      const [first] = prefix.breaks;
      const why = first === undefined ? '' : ` (${cacheBreakWords(first)})`;
      const sure = mayHold(prefix) ? 'Cache' : 'Cache lost';
      return { line: `${sure}: ${againWords(prefix)}${why}`, details: cacheLines(prefix).join('\n') };
    }
    case 'retry':
      return retryLine(change);
  }
}

function lineOf(line: string, details: readonly string[], prefix: PrefixBrokenEvent | undefined): QuietLine {
  if (prefix === undefined) return { line, details: details.join('\n') };
  return { line: `${line}; ${againWords(prefix)}`, details: [...details, ...cacheLines(prefix)].join('\n') };
}

/** Each break counts everything after its place: the largest includes the others. */
function againWords({ breaks }: Pick<PrefixBrokenEvent, 'breaks'>): string {
  const may = mayHold({ breaks }) ? 'may be' : 'are';
  return `about ${formatCount(Math.max(0, ...breaks.map(({ tokens }) => tokens)))} tokens ${may} sent again uncached`;
}

/** True if the bytes are the same: then only the provider knows what its cache holds. */
const mayHold = ({ breaks }: Pick<PrefixBrokenEvent, 'breaks'>): boolean =>
  breaks.length > 0 && breaks.every((each) => each.kind === 'setting' && each.name === 'cacheKey');

function cacheLines({ breaks, keptTokens }: PrefixBrokenEvent): readonly string[] {
  return [
    ...breaks.map((each) => `cache: ${brokenPrefix(each)}`),
    `cache: about ${formatCount(keptTokens)} tokens can be used`,
  ];
}

function retryLine({ events, tokens }: Extract<RequestChange, { kind: 'retry' }>): QuietLine {
  const newest = events.at(-1)!;
  const times = events.length === 1 ? '' : ` ${events.length} times`;
  const cost = tokens === undefined ? '' : `, about ${formatCount(tokens)} tokens`;
  const reasons = Map.groupBy(events, ({ reason }) => reason);
  const details = [...reasons].map(([reason, tries]) => {
    const waited = elapsedWords(tries.reduce((sum, { waitMs }) => sum + waitMs, 0));
    return tries.length === 1
      ? `after ${waited}: ${reason}`
      : `${tries.length} times, after ${waited} in all: ${reason}`;
  });
  return { kind: 'warning', line: `Sent again${times}${cost}: ${newest.reason}`, details: details.join('\n') };
}
