import type { WorkProgress } from '../../ports/work-progress.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { InferredRequest, RebuiltRequest } from '../../replay/rebuild.ts';
import { toolsMissing } from '../../state/request.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { replayCommand } from '../commands/view-commands.ts';
import { plural } from '../wording/number-words.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { complain, print } from '../terminal/print.ts';
import { withProgress } from '../terminal/with-progress.ts';
import { loadThread } from '../commands/load-thread.ts';
import { replayRequests } from './replay-requests.ts';
import { isUnlike, type ReplayedRequest } from './replayed-request.ts';
import { replayReport, reportTable } from './report.ts';

/** `capstan replay`. 0: no request differs; 1: one does, or the thread cannot be read; 2: wrong usage. */
export async function run(given: CommandArguments<typeof replayCommand>): Promise<number | Outcome> {
  const { request: only, print: wantsBody, json: isJson } = given.options;
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;

  const { itemBytes } = await loadReplayParts();
  const requests: ReplayedRequest[] = [];
  let number = 0;
  const wanted = await withProgress({ label: 'Replaying lines' }, async (report) => {
    for await (const { request, shown } of replayRequests(reported(thread.lines, report))) {
      number = shown.number;
      if (only !== undefined && number !== only) continue;
      if (wantsBody) return request;
      requests.push(shown);
    }
    return undefined;
  });
  if (wanted !== undefined) return printRequest(wanted, itemBytes);
  if (only !== undefined && requests.length === 0) return noSuchRequest(thread.id, only, number);
  const { skipped } = thread;
  if (isJson) print(`${JSON.stringify(replayReport(thread, requests))}\n`, 'json');
  else print(reportTable(requests), 'text');
  if (skipped > 0 && !isJson) complain({ message: `${plural(skipped, 'line')} could not be read.`, next: '' }, 0);
  return requests.some(isUnlike) ? 1 : 0;
}

/** The lines, with a report on how many were taken. */
async function* reported(lines: readonly Line[], report: WorkProgress): AsyncGenerator<Line> {
  for (const [at, line] of lines.entries()) {
    await report(at, lines.length);
    yield line;
  }
}

function noSuchRequest(id: ThreadId, wanted: number, count: number): Outcome<'request-unknown'> {
  const message = `There is no request ${wanted}: the thread has ${count}.`;
  return { code: 'request-unknown', message, next: `\`capstan replay ${id}\` lists them all.` };
}

/** Writes the body as it was sent. Of a request that left no record there is only the input, as a list. */
function printRequest(
  request: RebuiltRequest | InferredRequest,
  itemBytes: (item: Item) => Uint8Array,
): number | Outcome {
  if (request.kind === 'inferred') {
    const items = request.input.map((item) => Buffer.from(itemBytes(item)).toString('utf8'));
    print(`[${items.join(',')}]`, 'exact json');
    return 0;
  }
  if (request.prompt.tools === undefined) return toolsMissing(request.record);
  if (request.encoded === undefined) {
    const message = `The request was encoded as ${request.record.encoder}, which this version does not make.`;
    return { code: 'encoder-unknown', message, next: 'Use the version of Capstan that wrote the thread.' };
  }
  print(Buffer.concat(request.encoded.body), 'exact json');
  return 0;
}
