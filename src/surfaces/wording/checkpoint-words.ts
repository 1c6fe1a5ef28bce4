import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { fullText, sentence } from '../../protocol/outcome.ts';
import type { CheckpointEvent } from '../../protocol/thread-event.ts';
import { causeWords } from './compaction-cause.ts';
import { failureWords } from './failure-words.ts';
import { count, percent, plural } from '../terminal/table.ts';

/** A checkpoint in one line. */
export function checkpointLine(report: CheckpointReport): string {
  const { number, tokensBefore, tokensAfter } = report;
  return `Checkpoint ${number}: about ${count(tokensBefore)} → ${count(tokensAfter)} tokens ${madeBy(report)}, ${keptWords(report, ' kept')}`;
}

/** All that the user may want to know of it. */
export function checkpointText(report: CheckpointReport): string {
  const { number, folded, mended, why } = report;
  return [
    `Checkpoint ${number} ${madeBy(report)}.`,
    `  why        ${causeWords(report)}`,
    `  tokens     ${weightWords(report)}, by Capstan's estimate`,
    `  kept       ${keptWords(report, '')}`,
    `  compacted  ${plural(folded, 'item')}`,
    `  cost       ${costWords(report)}`,
    ...mended.map((each) => `  mended     ${each}`),
    ...(why === undefined ? [] : [`  warning    ${fullText(why)}`]),
  ].join('\n');
}

/** What went wrong, and whether it will be tried again. */
export function failedCheckpointLine({
  threadId,
  outcome,
  paused,
}: Extract<CheckpointEvent, { kind: 'checkpoint-failed' }>): string {
  const told = `No checkpoint was made: ${fullText(outcome)}`;
  return paused ? `${sentence(told)} ${pausedWords(threadId)}` : told;
}

export function pausedWords(id: ThreadId): string {
  return `It has failed twice in a row: this thread does not try again by itself. Ask for it with \`capstan threads compact ${id}\`, choose a model with a larger window, or start a new thread.`;
}

function madeBy({ strategy, model, why }: CheckpointReport): string {
  if (strategy !== 'mechanical') return `by ${model} (${strategy})`;
  return why === undefined ? 'by code alone' : `by code alone (${model} could not: ${failureWords(why)})`;
}

function weightWords({ tokensBefore, tokensAfter }: CheckpointReport): string {
  const both = `about ${count(tokensBefore)} before, ${count(tokensAfter)} after`;
  // Reports of older versions compare a provider's count with an estimate.
  if (tokensAfter >= tokensBefore) return `the next request: ${both}`;
  return `${both}: the next request is ${percent(tokensBefore - tokensAfter, tokensBefore)} smaller`;
}

/** `verb` is empty where a label says it. */
function keptWords({ words: { kept, cut, dropped } }: CheckpointReport, verb: '' | ' kept'): string {
  const all = kept + cut + dropped;
  const rest = [...(cut === 0 ? [] : [`${count(cut)} in part`]), ...(dropped === 0 ? [] : [`${count(dropped)} not`])];
  return [`${count(kept)} of ${plural(all, 'message')} of yours${verb}`, ...rest].join(', ');
}

export function costWords({
  requests,
  uncounted = 0,
  usage,
  cachedShare,
}: Pick<CheckpointReport, 'requests' | 'uncounted' | 'usage' | 'cachedShare'>): string {
  if (requests === 0) return 'no model was asked';
  if (usage.input === 0) return `${plural(requests, 'request')}, which the provider did not count`;
  const rest = uncounted === 0 ? '' : `, ${uncounted === 1 ? 'one' : count(uncounted)} without a count`;
  const cached = cachedShare === undefined ? '' : ` (${Math.round(100 * cachedShare)} % from the cache)`;
  return `${plural(requests, 'request')}: ${count(usage.input)} tokens sent${cached}, ${count(usage.output)} answered${rest}`;
}
