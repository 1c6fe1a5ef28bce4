import type { ThreadId } from '../../protocol/ids.ts';
import { createDigester } from '../../model/digester.ts';
import { responsesEncoder } from '../../model/responses/encode.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { plural } from '../context/table.ts';
import { print } from '../print.ts';
import { readThread } from '../read-thread.ts';
import { lastOption, runCommand, threadNamed } from '../run-command.ts';
import { printRequest } from './print-request.ts';
import { type ReplayedRequest, replayedRequest } from './replayed-request.ts';
import { reportJson, reportTable } from './report.ts';

export const replayForm: CommandForm = {
  name: 'replay',
  summary: 'Rebuilds every model request of a thread from its file and compares it with what was sent.',
  forms: ['THREAD [--request N [--print]] [--json]', '--last …'],
  options: [
    { key: 'request', names: ['--request'], value: 'N', help: 'only this one, counted from 1' },
    { key: 'print', names: ['--print'], help: 'with --request: its body, byte for byte, and nothing else' },
    { key: 'json', names: ['--json'], help: 'for programs' },
    lastOption,
  ],
  notes:
    'THREAD is an id, the beginning of one, or a name. Ends with 0, or with 1 when a request is another\n' +
    'than was sent or its tools are lost. Threads of Codex hold no records of requests: what they said is\n' +
    'told, and compared with nothing.',
};

/** `capstan replay`. 0: no request differs; 1: one does, or the thread cannot be read; 2: wrong usage. */
export function runReplay(words: readonly string[]): Promise<number> {
  return runCommand(replayForm, words, replay);
}

async function replay(asked: ParsedWords): Promise<number | Outcome> {
  const meant = threadNamed(replayForm, asked);
  if ('code' in meant) return meant;
  const only = wantedRequest(asked);
  if (typeof only === 'object') return only;
  const wantsBody = asked.flags.has('print');
  if (wantsBody && only === undefined) return wrongUsage(replayForm, '--print needs --request N.');
  const thread = await readThread(meant.name);
  if ('code' in thread) return thread;

  const encoder = responsesEncoder();
  const verdictOn = createComparison(createDigester());
  const requests: ReplayedRequest[] = [];
  let number = 0;
  for await (const request of rebuildRequests(thread.lines, (version) =>
    version === encoder.version ? encoder : undefined,
  )) {
    number++;
    const verdict = verdictOn(request);
    if (only !== undefined && number !== only) continue;
    if (wantsBody) return printRequest(request, encoder);
    requests.push(replayedRequest(request, verdict, { number, encoder }));
  }
  if (only !== undefined && requests.length === 0) return noSuchRequest(thread.id, only, number);
  const { skipped } = thread;
  const isJson = asked.flags.has('json');
  if (isJson) print(reportJson(thread.id, requests, { skipped }), 'json');
  else print(reportTable(requests), 'text');
  if (skipped > 0 && !isJson) complain({ message: `${plural(skipped, 'line')} could not be read.`, next: '' }, 0);
  return requests.some(({ result }) => result === 'different' || result === 'tools-missing') ? 1 : 0;
}

function wantedRequest(asked: ParsedWords): number | undefined | Outcome<'usage'> {
  const given = asked.values.get('request')?.at(-1);
  if (given === undefined) return undefined;
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  return wrongUsage(replayForm, `--request takes a number from 1, not ${JSON.stringify(given)}.`);
}

function noSuchRequest(id: ThreadId, wanted: number, count: number): Outcome<'request-unknown'> {
  const message = `There is no request ${wanted}: the thread has ${count}.`;
  return { code: 'request-unknown', message, next: `\`capstan replay ${id}\` lists them all.` };
}
