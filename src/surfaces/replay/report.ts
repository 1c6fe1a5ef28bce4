import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Difference } from '../../replay/compare.ts';
import { table } from '../terminal/table.ts';
import type { ReplayedRequest } from './replayed-request.ts';

/** For people: a row for each request, and what it comes to. */
export function reportTable(requests: readonly ReplayedRequest[]): string {
  if (requests.length === 0) return 'The thread has made no request.\n';
  const head = ['request', 'turn', 'step', 'items', 'bytes', 'result'];
  const rows = requests.map((request) => [
    String(request.number),
    String(request.turn),
    request.purpose ?? String(request.step ?? '-'),
    String(request.items),
    request.bytes === undefined ? '-' : String(request.bytes),
    resultWords(request),
  ]);
  return `${table([head, ...rows])}\n${summaryWords(requests)}\n`;
}

/** For programs. */
export function reportJson(
  id: ThreadId,
  requests: readonly ReplayedRequest[],
  { skipped }: { readonly skipped: number },
): string {
  const rows = requests.map(({ turnId, toolSet, keptItems, sha256, ...request }) => ({
    ...request,
    ...defined({ tool_set: toolSet, turn_id: turnId, kept_items: keptItems, sha256 }),
  }));
  return `${JSON.stringify({ thread_id: id, skipped_lines: skipped, counts: countsOf(requests), requests: rows })}\n`;
}

function resultWords({ result, first, encoder, toolSet }: ReplayedRequest): string {
  switch (result) {
    case 'same':
      return 'ok';
    case 'different':
      return `mismatch: ${first === undefined ? '' : differenceWords(first)}`;
    case 'other-encoder':
      return `made by encoder ${encoder}, which this version does not have`;
    case 'tools-missing':
      return `cannot be rebuilt: its tools are lost (tool set ${toolSet?.slice(0, 8)})`;
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
    case 'item': {
      const { index, what, id, type } = difference;
      const name = `item ${index}${type === undefined ? '' : ` (${type}${id === undefined ? '' : ` ${id}`})`}`;
      if (what === 'missing') return `${name} was sent and is not in the file`;
      return what === 'added' ? `${name} was not sent` : `${name} is not what was sent`;
    }
  }
}

function countsOf(requests: readonly ReplayedRequest[]) {
  const count = (wanted: ReplayedRequest['result']): number =>
    requests.filter(({ result }) => result === wanted).length;
  return {
    same: count('same'),
    different: count('different'),
    other_encoder: count('other-encoder'),
    tools_missing: count('tools-missing'),
    not_recorded: count('not-recorded'),
    inferred: count('inferred'),
  };
}

function summaryWords(requests: readonly ReplayedRequest[]): string {
  const { same, different, other_encoder: other, not_recorded: unknown, inferred, ...counts } = countsOf(requests);
  const lost = counts.tools_missing;
  const total = requests.length;
  const parts = [
    `${same} of ${total} ${total === 1 ? 'request' : 'requests'} rebuilt byte for byte`,
    ...(different === 0 ? [] : [`${different} not as sent`]),
    ...(other === 0 ? [] : [`${other} of an encoder that is not here`]),
    ...(lost === 0 ? [] : [`${lost} whose tools are lost`]),
    ...(unknown === 0 ? [] : [`${unknown} without a saved digest`]),
    ...(inferred === 0 ? [] : [`${inferred} of another program, with nothing to compare`]),
  ];
  return `${parts.join('; ')}.`;
}
