import { createDigester } from '../../model/digester.ts';
import { responsesEncoder } from '../../model/responses/encode.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import { type CommandForm, wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { runThreadCommand, type ThreadCommandInput, threadOptions } from '../thread-command.ts';
import { printRequest } from './print-request.ts';
import { type ReplayedRequest, replayedRequest } from './replayed-request.ts';
import { reportJson, reportTable } from './report.ts';

export const replayForm: CommandForm = {
  name: 'replay',
  summary: 'Rebuilds every model request of a thread from its file and compares it with what was sent.',
  forms: ['THREAD [--request N [--print]] [--json]', '--last [--all] …'],
  options: [
    { key: 'request', names: ['--request'], value: 'N', help: 'only this one, counted from 1' },
    { key: 'print', names: ['--print'], help: 'with --request: its body, byte for byte, and nothing else' },
    { key: 'json', names: ['--json'], help: 'for programs' },
    ...threadOptions,
  ],
  notes:
    'THREAD is an id, the beginning of one, or a name. Ends with 0, or with 1 when a request is another\n' +
    'than was sent. Threads of Codex hold no records of requests: what they said is told, and compared\n' +
    'with nothing.',
};

/** `capstan replay`. 0: no request differs; 1: one does, or the thread cannot be read; 2: wrong usage. */
export function runReplay(words: readonly string[]): Promise<number> {
  return runThreadCommand(replayForm, words, replay);
}

async function replay({ engine, id, asked }: ThreadCommandInput): Promise<number | Outcome> {
  const given = asked.values.get('request')?.at(-1);
  const only = given === undefined ? undefined : Number(given);
  if (only !== undefined && !(Number.isInteger(only) && only > 0))
    return wrongUsage(replayForm, `--request takes a number from 1, not ${JSON.stringify(given)}.`);
  const print = asked.flags.has('print');
  if (print && only === undefined) return wrongUsage(replayForm, '--print needs --request N.');

  const encoder = responsesEncoder();
  const verdictOn = createComparison(createDigester());
  const requests: ReplayedRequest[] = [];
  let number = 0;
  const report = { skipped: 0 };
  for await (const request of rebuildRequests(countingSkipped(engine.lines(id), report), (version) =>
    version === encoder.version ? encoder : undefined,
  )) {
    const verdict = verdictOn(request);
    if (only !== undefined && ++number !== only) continue;
    if (print) return printRequest(request, encoder);
    requests.push(replayedRequest(request, verdict, { number: only ?? requests.length + 1, encoder }));
  }
  if (only !== undefined && requests.length === 0) return noSuchRequest(only, number);
  process.stdout.write(asked.flags.has('json') ? reportJson(id, requests, report) : reportTable(requests));
  if (report.skipped > 0 && !asked.flags.has('json'))
    complain({ message: `${report.skipped} lines of the thread could not be read.`, next: '' }, 0);
  return requests.some(({ result }) => result === 'different') ? 1 : 0;
}

/** The lines; what the reader passed over is known at the end. */
async function* countingSkipped<Value>(
  lines: AsyncGenerator<Value, { readonly skipped: number }>,
  report: { skipped: number },
): AsyncGenerator<Value> {
  report.skipped = (yield* lines).skipped;
}

function noSuchRequest(wanted: number, count: number): Outcome<'request-unknown'> {
  const message = `There is no request ${wanted}: the thread has ${count}.`;
  return { code: 'request-unknown', message, next: 'Run `capstan replay` without --request to see them all.' };
}
