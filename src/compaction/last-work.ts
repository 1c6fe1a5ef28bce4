import { cutText } from '../fragments/cut-words.ts';
import type { EndsOfWork, LastWork } from '../fragments/checkpoint-summary.ts';
import { oneLine } from '../fragments/markup.ts';
import { neutraliseMarkers } from '../fragments/neutralise-markers.ts';
import { truncateMiddle } from '../fragments/truncate.ts';
import type { Entry } from '../history/entry.ts';
import { entries } from '../history/history.ts';
import { isMessage, type Item, messageText } from '../protocol/item.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { resumeAtAnswer, resumeAtStep, resumeAtWords } from './prompts/resume-at.ts';
import type { CompactionSource } from './source.ts';
import type { WorkRecords } from './work-records.ts';

const mostResults = 5;
/** In bytes: of a line, and of one where there is no room. */
const mostOfLine = 300;
const leastOfLine = 80;
/** In tokens: less of an output than this says nothing, and so much stands around it. */
const leastOfResult = 20;
const aroundResult = 20;

/** What code finds of the work, not yet cut. */
export interface FoundWork {
  readonly answer: string | undefined;
  readonly results: readonly { readonly call: string; readonly output: string }[];
  readonly work: WorkRecords;
}

/** The ends of the work: what the model said last, and what the newest calls gave. */
export function findLastWork({ history, work }: CompactionSource): FoundWork {
  const all = entries(history);
  const answer = lastAnswer(all);
  return {
    answer: answer === undefined ? undefined : neutraliseMarkers(answer),
    results: newestResults(all).map(({ call, output }) => ({ call, output: neutraliseMarkers(output) })),
    work,
  };
}

/** The same within so many tokens. */
export function lastWork(found: FoundWork, why: Outcome, tokens: number): LastWork {
  const line = lineWithin(tokens);
  return {
    why: line(why.message),
    ...endsOfWork(found, tokens),
    resumeAt: resumeAt(found.work, found.answer, line),
  };
}

/** What the model said last and what the newest calls gave, within so many tokens. */
export function endsOfWork({ answer, results }: FoundWork, tokens: number): EndsOfWork {
  const line = lineWithin(tokens);
  const each = Math.floor((tokens * 0.6) / Math.max(1, results.length)) - aroundResult;
  return {
    ...(answer === undefined || tokens === 0 ? {} : { answer: cutText(answer, Math.floor(tokens * 0.4)) }),
    results:
      each < leastOfResult
        ? []
        : results.map(({ call, output }) => ({ call: line(call), output: cutText(output, each) })),
  };
}

function lineWithin(tokens: number): (text: string) => string {
  return (text) => shortLine(text, tokens === 0 ? leastOfLine : mostOfLine);
}

function resumeAt({ plan = [] }: WorkRecords, answer: string | undefined, line: (text: string) => string): string {
  const step = plan.find(({ status }) => status === 'in-progress') ?? plan.find(({ status }) => status === 'pending');
  if (step !== undefined) return resumeAtStep(line(step.text));
  return answer === undefined ? resumeAtWords : resumeAtAnswer;
}

function lastAnswer(all: readonly Entry[]): string | undefined {
  const found = all.findLast(
    ({ item, origin }) =>
      origin.family === 'model' && isMessage(item) && item.role === 'assistant' && messageText(item).trim() !== '',
  );
  return found === undefined || !isMessage(found.item) ? undefined : messageText(found.item).trim();
}

function newestResults(all: readonly Entry[]): FoundWork['results'] {
  const names = new Map<unknown, string>();
  const outputs: Item[] = [];
  for (const { item, origin } of all.toReversed()) {
    if (item.type.endsWith('_call')) names.set(item['call_id'], callName(item));
    else if (outputs.length < mostResults && origin.family === 'tool' && outputText(item).trim() !== '')
      outputs.push(item);
  }
  return outputs
    .toReversed()
    .map((item) => ({ call: names.get(item['call_id']) ?? 'a call', output: outputText(item) }));
}

function callName(item: Item): string {
  return typeof item['name'] === 'string' ? item['name'] : item.type;
}

function outputText({ output }: Item): string {
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return '';
  return output
    .flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

function shortLine(text: string, limit: number): string {
  return neutraliseMarkers(oneLine(truncateMiddle(text, { mode: 'bytes', limit })));
}
