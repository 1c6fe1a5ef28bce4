import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Difference } from '../../replay/compare.ts';
import type { ReadThread } from '../commands/load-thread.ts';
import type { TakenBackRequests } from '../engine/taken-back.ts';
import { table } from '../terminal/table.ts';
import type { ReplayedRequest } from './replayed-request.ts';

type Result = ReplayedRequest['result'];

/** For people: a row for each request, and what it comes to. */
export function reportTable(requests: readonly ReplayedRequest[], isBack: boolean): string {
  if (requests.length === 0) return isBack ? 'No request was taken back.\n' : 'The thread has made no request.\n';
  // Most threads have none.
  const hasFrames = requests.some(({ frames }) => frames !== undefined);
  const head = ['request', 'turn', 'step', 'items', 'bytes', ...(hasFrames ? ['sent'] : []), 'result'];
  const rows = requests.map((request) => [
    String(request.number),
    String(request.turn),
    request.purpose ?? (request.step === undefined ? '-' : String(request.step + 1)),
    String(request.items),
    request.bytes === undefined ? '-' : String(request.bytes),
    ...(hasFrames ? [sentWords(request)] : []),
    resultWords(request),
  ]);
  return `${table([head, ...rows])}\n${summaryWords(requests)}\n`;
}

/** For programs. */
export function replayReport(
  { id, skipped }: Pick<ReadThread, 'id' | 'skipped'>,
  requests: readonly ReplayedRequest[],
  { requests: back, problem }: Pick<TakenBackRequests, 'requests' | 'problem'>,
) {
  const rows = requests.map(({ turnId, toolSet, keptItems, sha256, ...request }) => ({
    ...request,
    ...defined({ tool_set: toolSet, turn_id: turnId, kept_items: keptItems, sha256 }),
  }));
  const results = ['same', ...Object.keys(summaries)] as readonly Result[];
  const counts = results.map((result) => [result.replace('-', '_'), countOf(requests, result)]);
  return {
    thread_id: id,
    skipped_lines: skipped,
    counts: Object.fromEntries(counts) as JsonObject,
    ...(problem === undefined ? { taken_back: back } : {}),
    requests: rows,
  };
}

/** What left for it: of a WebSocket mostly less than the request has. */
function sentWords({ frames, bytes }: ReplayedRequest): string {
  if (frames === undefined) return bytes === undefined ? '-' : String(bytes);
  return frames.map((frame) => String(frame.bytes)).join(' + ');
}

/** How one compares with what was sent. */
export function resultWords({ result, first, encoder, toolSet }: ReplayedRequest): string {
  switch (result) {
    case 'same':
      return 'ok';
    case 'different':
      return `mismatch: ${first === undefined ? '' : differenceWords(first)}`;
    case 'other-encoder':
      return `made by encoder ${encoder}, which this version does not have`;
    case 'tools-missing':
      return `cannot be rebuilt: its tool list is missing (tool set ${toolSet?.slice(0, 8)})`;
    case 'not-recorded':
      return 'rebuilt; no digest was saved';
    case 'inferred':
      return 'input only; another program leaves no record';
  }
}

function differenceWords(difference: Difference): string {
  switch (difference.part) {
    case 'instructions':
      return 'the instructions are not those that were sent';
    case 'tools':
      return `the tools are not those that were sent (tool set ${difference.toolSet.slice(0, 8)})`;
    case 'options':
      return 'instructions, tools and items are as sent; model, effort or labels are not';
    case 'frame':
      return 'the request is as sent; the frame that left for it is not';
    case 'item': {
      const { index, what, id, type } = difference;
      const name = `item ${index}${type === undefined ? '' : ` (${type}${id === undefined ? '' : ` ${id}`})`}`;
      if (what === 'missing') return `${name} was sent and is not in the file`;
      return what === 'added' ? `${name} was not sent` : `${name} is not what was sent`;
    }
  }
}

const summaries = {
  different: 'not as sent',
  'other-encoder': 'made by an encoder that this version does not have',
  'tools-missing': 'whose tool list is missing',
  'not-recorded': 'without a saved digest',
  inferred: 'of another program, with nothing to compare',
} as const satisfies Partial<Record<Result, string>>;

function countOf(requests: readonly ReplayedRequest[], wanted: Result): number {
  return requests.filter(({ result }) => result === wanted).length;
}

export function summaryWords(requests: readonly ReplayedRequest[]): string {
  const total = requests.length;
  const others = (Object.keys(summaries) as (keyof typeof summaries)[]).flatMap((result) => {
    const count = countOf(requests, result);
    return count === 0 ? [] : [`${count} ${summaries[result]}`];
  });
  const same = `${countOf(requests, 'same')} of ${total} ${total === 1 ? 'request' : 'requests'} rebuilt byte for byte`;
  return `${[same, ...others].join('; ')}.`;
}
