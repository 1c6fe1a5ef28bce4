import type { InferredRequest, RebuiltRequest } from '../../../core/replay/rebuild-requests.ts';
import { toolsMissingProblem } from '../../../core/state/plan-request.ts';
import { loadReplayParts } from '../../../engine/rerun-step.ts';
import type { TakenBackRequests } from '../../../engine/store/stored-thread-details.ts';
import { describeSkippedLines } from '../../../engine/wording.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import type { Line } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { withReadOnlyThread } from '../../views/command-line/command-engine.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { printFailure, print } from '../../views/terminal/print.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import {
  isNotReproduced,
  type ReplayedRequest,
  replayReport,
  replayRequests,
  replayTable,
  takenBackWords,
} from '../../views/threads/replay-report.ts';
import type { replayCommand } from '../table/threads-read-commands.ts';

/** Exit codes: 0: no request differs; 1: one does, or the thread cannot be read; 2: wrong usage. */
export const run = withReadOnlyThread<typeof replayCommand>(async ({ options }, thread) => {
  const { request: only, print: wantsBody, takenBack: isBack } = options;
  const { itemBytes } = await loadReplayParts();
  const requests: ReplayedRequest[] = [];
  const back = await thread.takenBack();
  if (isBack && back.problem !== undefined) return back.problem;
  let number = 0;
  const wanted = await withProgress({ label: 'Replaying lines' }, async (report) => {
    const all = isBack
      ? replayTakenBack(back, (lines) => reported(lines, report))
      : replayRequests(reported(thread.lines, report, thread.lines.length));
    for await (const { request, shown } of all) {
      number = shown.number;
      if (only !== undefined && number !== only) continue;
      if (wantsBody) return request;
      requests.push(shown);
    }
    return undefined;
  });
  if (wanted !== undefined) return printRequest(wanted, itemBytes);
  if (only !== undefined && requests.length === 0) return noSuchRequest(thread.id, only, number, isBack);
  const more = isBack || only !== undefined ? undefined : takenBackWords(thread.id, back);
  const text = `${replayTable(requests, isBack)}${more === undefined ? '' : `${more}\n`}`;
  printResult(replayReport(thread, requests, back), options, () => text);
  if (thread.skipped > 0 && !options.json)
    printFailure({ message: describeSkippedLines(thread), next: 'The requests were checked without them.' }, 0);
  return requests.some(isNotReproduced) ? 1 : 0;
});

async function* reported(lines: Iterable<Line> | AsyncIterable<Line>, report: WorkProgress, total?: number) {
  let at = 0;
  for await (const line of lines) {
    await report(at++, total);
    yield line;
  }
}

function noSuchRequest(id: ThreadId, wanted: number, count: number, isBack: boolean): Outcome<'request-unknown'> {
  const had = isBack ? `of the thread ${count} were taken back` : `the thread has ${count}`;
  const next = `\`capstan replay ${id}${isBack ? ' --taken-back' : ''}\` lists them all.`;
  return { code: 'request-unknown', message: `There is no request ${wanted}: ${had}.`, next };
}

/** Writes the body as it was sent. For a request without a record there is only the input, as a list. */
function printRequest(request: RebuiltRequest | InferredRequest, itemBytes: (item: Item) => Uint8Array) {
  if (request.kind === 'inferred') {
    const items = request.input.map((item) => Buffer.from(itemBytes(item)).toString('utf8'));
    print(`[${items.join(',')}]`, 'exact json');
    return 0;
  }
  if (request.prompt.tools === undefined) return toolsMissingProblem(request.record);
  if (request.encoded === undefined) {
    const message = `The request was encoded as ${request.record.encoder}, which this version does not make.`;
    return { code: 'encoder-unknown', message, next: 'Use the version of Capstan that wrote the thread.' };
  }
  print(Buffer.concat(request.encoded.body), 'exact json');
  return 0;
}

/** Rebuilds the requests that were taken back, each once and with the thread as it was then, counted from 1. */
async function* replayTakenBack(
  { parts }: Pick<TakenBackRequests, 'parts'>,
  each: (lines: AsyncIterable<Line>) => AsyncIterable<Line>,
): ReturnType<typeof replayRequests> {
  let number = 0;
  for (const { from, lines } of parts) {
    for await (const { request, shown } of replayRequests(each(lines()))) {
      // Other programs record no requests; those inferred from their lines are not counted.
      if (request.kind === 'rebuilt' && (request.line.ordinal ?? 0) >= from)
        yield { request, shown: { ...shown, number: ++number } };
    }
  }
}
