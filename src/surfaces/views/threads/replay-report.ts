import { cachePerObject } from '../../../base/objects.ts';
import { createRequestComparison } from '../../../core/replay/compare-requests.ts';
import type { RequestDifference, ComparisonVerdict } from '../../../core/replay/compare-requests.ts';
import { type InferredRequest, rebuildRequests, type RebuiltRequest } from '../../../core/replay/rebuild-requests.ts';
import { loadReplayParts } from '../../../engine/rerun-step.ts';
import type { TakenBackRequests } from '../../../engine/store/stored-thread-details.ts';
import { plural } from '../../../engine/wording.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { ReadOnlyThread } from '../command-line/command-engine.ts';
import { formatTable, sum } from '../terminal/tables.ts';

type Result = ReplayedRequest['result'];
type TakenBack = Pick<TakenBackRequests, 'requests' | 'problem'>;

export function replayTable(requests: readonly ReplayedRequest[], isBack: boolean): string {
  if (requests.length === 0) return isBack ? 'No request was taken back.\n' : 'The thread has made no request.\n';
  const hasFrames = requests.some(({ frames }) => frames !== undefined);
  const head = ['request', 'turn', 'step', 'items', 'bytes', ...(hasFrames ? ['sent'] : []), 'result'];
  const rows = requests.map((request) => [
    String(request.number),
    String(request.turn),
    request.purpose ?? (request.step === undefined ? '-' : String(request.step + 1)),
    String(request.items),
    request.bytes === undefined ? '-' : String(request.bytes),
    ...(hasFrames ? [sentWords(request)] : []),
    replayResultText(request),
  ]);
  return `${formatTable([head, ...rows])}\n${replaySummaryText(requests)}\n`;
}

export function replayReport(
  { id, skipped }: Pick<ReadOnlyThread, 'id' | 'skipped'>,
  requests: readonly ReplayedRequest[],
  { requests: back, problem }: TakenBack,
) {
  const rows = requests.map(({ turnId, toolSet, keptItems, sha256, ...request }) => ({
    ...request,
    tool_set: toolSet,
    turn_id: turnId,
    kept_items: keptItems,
    sha256,
  }));
  const results = ['same', ...Object.keys(summaries)] as readonly Result[];
  const counts = results.map((result) => [result.replace('-', '_'), countOf(requests, result)]);
  return {
    thread_id: id,
    skipped_lines: skipped,
    counts: Object.fromEntries(counts) as JsonObject,
    taken_back: problem === undefined ? back : undefined,
    requests: rows,
  };
}

/** The bytes that were sent: over a WebSocket mostly fewer than the request has. */
function sentWords({ frames, bytes }: ReplayedRequest): string {
  if (frames === undefined) return bytes === undefined ? '-' : String(bytes);
  return frames.map((frame) => String(frame.bytes)).join(' + ');
}

export function replayResultText({ result, first, encoder, toolSet }: ReplayedRequest): string {
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

function differenceWords(difference: RequestDifference): string {
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

const countOf = (requests: readonly ReplayedRequest[], wanted: Result): number =>
  requests.filter(({ result }) => result === wanted).length;

export function replaySummaryText(requests: readonly ReplayedRequest[]): string {
  const total = requests.length;
  const others = (Object.keys(summaries) as (keyof typeof summaries)[]).flatMap((result) => {
    const count = countOf(requests, result);
    return count === 0 ? [] : [`${count} ${summaries[result]}`];
  });
  const same = `${countOf(requests, 'same')} of ${total} ${total === 1 ? 'request' : 'requests'} rebuilt byte for byte`;
  return `${[same, ...others].join('; ')}.`;
}

/** `turn`: its number in the thread, from 1. `bytes`: of the body, or of the input alone if no more is known. */
export type ReplayedRequest = ReturnType<typeof replayedRequest>;

export const isNotReproduced = ({ result }: ReplayedRequest): boolean =>
  result === 'different' || result === 'tools-missing';

function replayedRequest(
  request: RebuiltRequest | InferredRequest,
  verdict: ComparisonVerdict,
  { number, itemSize }: { readonly number: number; readonly itemSize: (item: Item) => number },
) {
  const { turn, line } = request;
  const { ordinal } = line;
  const [result, first] = [verdict.kind, verdict.kind === 'different' ? verdict.first : undefined];
  if (request.kind === 'inferred') {
    const { turnId, model, input } = request;
    const bytes = sum(input.map((item) => itemSize(item) + 1)) + 1;
    return { number, turn, turnId, ordinal, model, items: input.length, bytes, result, first };
  }
  const { record, prompt, encoded, sent, frames } = request;
  const { turnId, step, encoder, toolSet } = record;
  return {
    number,
    turn,
    turnId,
    step,
    // Only for a request beside the conversation, which was made before its step.
    purpose: record.auxiliary?.purpose,
    ordinal,
    model: record.options.model,
    encoder,
    toolSet,
    items: prompt.input.length,
    bytes: encoded === undefined ? sent?.bytes : sum(encoded.body.map(({ length }) => length)),
    // Items that the provider could take from its cache.
    keptItems: numberAt(objectAt(objectAt(line.payload, 'prefix'), 'kept'), 'items'),
    sha256: sent?.sha256,
    frames:
      frames.length === 0
        ? undefined
        : frames.map(({ record: { previous, items, bytes } }) => {
            // `previous`: the id of the answer that it built on.
            return { kind: previous === undefined ? 'full' : 'incremental', previous, items, bytes } as const;
          }),
    result,
    first,
  };
}

/** Rebuilds every request of a thread, or of one `turn`, in order, and compares it with what was sent. */
export async function* replayRequests(
  lines: AsyncIterable<Line> | Iterable<Line>,
  { turn: wanted }: { readonly turn?: number } = {},
): AsyncGenerator<{ readonly request: RebuiltRequest | InferredRequest; readonly shown: ReplayedRequest }> {
  const { digester, encoderOf, itemBytes } = await loadReplayParts();
  const verdictOn = createRequestComparison(digester);
  // Cached because an item is in every request after its own.
  const itemSize = cachePerObject((item: Item) => itemBytes(item).length);
  let number = 0;
  const isWanted = (turn: number): boolean => wanted === undefined || turn === wanted;
  const encoderFor = (version: string, turn: number) => (isWanted(turn) ? encoderOf(version) : undefined);
  for await (const request of rebuildRequests(lines, encoderFor)) {
    number++;
    // Runs for skipped requests, too: each record holds only what is new to it.
    const verdict = verdictOn(request);
    if (isWanted(request.turn)) yield { request, shown: replayedRequest(request, verdict, { number, itemSize }) };
  }
}

/** Counts the requests that a thread no longer lists, and names the command for them. Undefined if there are none. */
export function takenBackWords(id: ThreadId, { requests, problem }: TakenBack): string | undefined {
  if (problem !== undefined)
    return `Requests that were taken back could not be counted: ${endWithFullStop(problem.message)}`;
  if (requests === 0) return undefined;
  const were = requests === 1 ? 'was' : 'were';
  return `${plural(requests, 'more request')} ${were} taken back: capstan replay ${id} --taken-back`;
}
