import { formatCount, formatPercent, plural } from '../../../engine/wording.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { type Outcome, outcomeText, endWithFullStop } from '../../../protocol/outcome.ts';
import type { CheckpointEvent, CheckpointReport, PrefixBreak } from '../../../protocol/thread-event.ts';

export function checkpointLine(report: CheckpointReport): string {
  const { number, tokensBefore, tokensAfter } = report;
  return `Checkpoint ${number}: about ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens ${madeBy(report)}, ${keptWords(report, ' kept')}`;
}

export function checkpointText(report: CheckpointReport): string {
  const { number, folded, mended, why } = report;
  return [
    `Checkpoint ${number} ${madeBy(report)}.`,
    `  why        ${checkpointCauseWords(report)}`,
    `  tokens     ${weightWords(report)} (estimated)`,
    `  kept       ${keptWords(report, '')}`,
    `  compacted  ${plural(folded, 'item')}`,
    `  cost       ${checkpointCostWords(report)}`,
    ...mended.map((each) => `  repaired   ${each}`),
    ...(why === undefined ? [] : [`  warning    ${outcomeText(why)}`]),
  ].join('\n');
}

export function failedCheckpointLine(event: Extract<CheckpointEvent, { kind: 'checkpoint-failed' }>): string {
  const failure = `No checkpoint was made: ${outcomeText(event.outcome)}`;
  return event.paused ? `${endWithFullStop(failure)} ${pausedCompactionWords(event.threadId)}` : failure;
}

export const compactionInterrupted: Outcome = {
  code: 'interrupted',
  message: 'The compaction was interrupted.',
  next: 'The history is unchanged.',
};

export const pausedCompactionWords = (id: ThreadId): string =>
  `It failed twice in a row, so Capstan stopped compacting this thread automatically. Run \`capstan threads compact ${id}\`, choose a model with a larger window, or start a new thread.`;

function madeBy({ strategy, model, why }: CheckpointReport): string {
  if (strategy !== 'mechanical') return `by ${model} (${strategy})`;
  if (why === undefined) return 'without a model';
  // No request fits, so the model was not asked.
  const isAsked = why.code !== 'compaction-request-too-large';
  const failure = knownWords(failures, why.code) ?? why.message.replace(/\.$/, '');
  return `without a model (${isAsked ? `${model} failed: ` : ''}${failure})`;
}

function weightWords({ tokensBefore, tokensAfter }: CheckpointReport): string {
  const both = `the next request has about ${formatCount(tokensAfter)} instead of ${formatCount(tokensBefore)}`;
  // Reports of older versions compare a provider's count with an estimate.
  if (tokensAfter >= tokensBefore) return both;
  return `${both}, ${formatPercent(tokensBefore - tokensAfter, tokensBefore)} less`;
}

/** `verb` is empty where a label says it. */
function keptWords({ words: { kept, cut, dropped } }: CheckpointReport, verb: '' | ' kept'): string {
  const all = kept + cut + dropped;
  const rest = [cut > 0 && `${formatCount(cut)} in part`, dropped > 0 && `${formatCount(dropped)} not`];
  return [`${formatCount(kept)} of ${plural(all, 'user message')}${verb}`, ...rest].filter(Boolean).join(', ');
}

type CheckpointCost = Pick<CheckpointReport, 'requests' | 'uncounted' | 'usage' | 'cachedShare'>;

export function checkpointCostWords({ requests, uncounted = 0, usage, cachedShare }: CheckpointCost): string {
  if (requests === 0) return 'no model was asked';
  if (usage.input === 0) return `${plural(requests, 'request')}, which the provider did not count`;
  const rest = uncounted === 0 ? '' : `, ${uncounted === 1 ? 'one' : formatCount(uncounted)} without a count`;
  const cached = cachedShare === undefined ? '' : ` (${Math.round(100 * cachedShare)} % from the cache)`;
  return `${plural(requests, 'request')}: the provider counted ${formatCount(usage.input)} tokens sent${cached}, ${formatCount(usage.output)} answered${rest}`;
}

/** The reason and phase of a checkpoint, for people. Files and events use other words. */
export function checkpointCauseWords({ reason, phase }: { readonly reason: string; readonly phase: string }): string {
  const [why, where] = [knownWords(causes, reason), knownWords(phases, phase)];
  return `${why ?? reason.replaceAll('_', ' ')}, ${where ?? phase.replaceAll('_', ' ')}`;
}

/** A file may hold a word that this version does not know. */
const knownWords = (known: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(known, word) ? known[word] : undefined;

const causes: Readonly<Record<string, string>> = {
  user_requested: 'you asked for it',
  context_limit: 'the thread reached its limit',
  model_downshift: 'the new model has a smaller window',
  comp_hash_changed: 'the new model cannot read what the previous one wrote',
  context_overflow: 'the provider refused a request as too long',
  unexplained_refusal: 'the provider refused a request and gave no reason',
  provider_changed: 'the thread moved to another provider',
};

const phases: Readonly<Record<string, string>> = {
  standalone_turn: 'between two turns',
  pre_turn: 'before a turn',
  mid_turn: 'during a turn',
  post_turn: 'after a turn',
};

const failures: Readonly<Record<string, string>> = {
  'answer-too-large': 'its answer was too large',
  'answer-too-slow': 'its answer took too long',
  'compaction-answer-unusable': 'its answers could not be used',
  'compaction-candidate-malformed': 'its checkpoint could not be used',
  'compaction-no-gain': 'its checkpoint was too large',
  'compaction-would-grow': 'its checkpoint was too large',
  'compaction-request-too-large': 'the history does not fit a request',
  'connection-failed': 'the provider could not be reached',
  'context-window-exceeded': 'the provider refused the request as too long',
  incomplete: 'its answer was cut short',
  'invalid-request': 'the provider refused the request',
  overloaded: 'the provider was overloaded',
  policy: 'the provider refused the request under its policy',
  'rate-limited': 'the provider takes no more requests for now',
  'server-error': 'the provider reported an error',
  'stream-cut': 'the connection was lost',
  'stream-idle': 'the provider stopped answering',
  unauthorized: 'the provider refused the login',
  'usage-limit': 'the quota is used up',
};

export function cacheBreakWords(each: PrefixBreak): string {
  switch (each.kind) {
    case 'checkpoint':
      return 'a checkpoint';
    case 'rollback':
      return 'a rollback';
    case 'reopened':
      return 'the history before a checkpoint, which is sent again';
    case 'instructions':
      return 'other instructions';
    case 'setting':
      // The cache key is no setting of the user: forks and conversations that went back are threads of their own.
      if (each.name === 'cacheKey') return 'a thread with a cache of its own';
      return `the setting ${each.name}`;
    case 'tools': {
      const names = [...each.added, ...each.removed, ...each.changed];
      return names.length === 0 ? 'the order of the tools' : `the tools ${names.join(', ')}`;
    }
    case 'entry':
      return `an item that was ${each.what} (number ${each.index})`;
  }
}

export const brokenPrefix = (each: PrefixBreak): string =>
  `broken by ${cacheBreakWords(each)}; about ${formatCount(each.tokens)} tokens are read again`;
