import type { ModelSwitchedEvent, PrefixBrokenEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import { checkpointLine, checkpointText } from '../../wording/checkpoint-words.ts';
import { count } from '../../wording/number-words.ts';
import { brokenPrefix, breakWords } from '../../wording/prefix-words.ts';
import { elapsedWords } from '../text/elapsed.ts';
import type { QuietLine } from './quiet-cell.ts';

type Installed = Extract<ThreadEvent, { kind: 'checkpoint-installed' }>;
type RetryEvent = Extract<ThreadEvent, { kind: 'retrying' }>;

/** Something about the requests changed, which costs tokens or time. */
export type RequestChange =
  | { readonly kind: 'switch'; readonly event: ModelSwitchedEvent; readonly prefix?: PrefixBrokenEvent }
  | { readonly kind: 'checkpoint'; readonly event: Installed; readonly prefix?: PrefixBrokenEvent }
  | { readonly kind: 'prefix'; readonly prefix: PrefixBrokenEvent }
  /** `tokens`: what the request weighs that is sent again, if it is known. */
  | { readonly kind: 'retry'; readonly events: readonly RetryEvent[]; readonly tokens?: number };

/** A change in one line, with what it costs; the rest is for those who open it. */
export function changeLine(change: RequestChange): QuietLine {
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
      const why = first === undefined ? '' : ` (${breakWords(first)})`;
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

/** Each break counts all from its place on: the largest holds the others. */
function againWords({ breaks }: Pick<PrefixBrokenEvent, 'breaks'>): string {
  const may = mayHold({ breaks }) ? 'may be' : 'are';
  return `about ${count(Math.max(0, ...breaks.map(({ tokens }) => tokens)))} tokens ${may} sent again uncached`;
}

/** Whether the bytes are the same: only the provider knows then what its cache holds. */
function mayHold({ breaks }: Pick<PrefixBrokenEvent, 'breaks'>): boolean {
  return breaks.length > 0 && breaks.every((each) => each.kind === 'setting' && each.name === 'cacheKey');
}

function cacheLines({ breaks, keptTokens }: PrefixBrokenEvent): readonly string[] {
  return [
    ...breaks.map((each) => `cache: ${brokenPrefix(each)}`),
    `cache: about ${count(keptTokens)} tokens can be used`,
  ];
}

function retryLine({ events, tokens }: Extract<RequestChange, { kind: 'retry' }>): QuietLine {
  const newest = events.at(-1)!;
  const times = events.length === 1 ? '' : ` ${events.length} times`;
  const cost = tokens === undefined ? '' : `, about ${count(tokens)} tokens`;
  const reasons = Map.groupBy(events, ({ reason }) => reason);
  const details = [...reasons].map(([reason, tries]) => {
    const waited = elapsedWords(tries.reduce((sum, { waitMs }) => sum + waitMs, 0));
    return tries.length === 1
      ? `after ${waited}: ${reason}`
      : `${tries.length} times, after ${waited} in all: ${reason}`;
  });
  return { kind: 'warning', line: `Sent again${times}${cost}: ${newest.reason}`, details: details.join('\n') };
}
