import { cutText } from '../../fragments/text/cut-and-fence-text.ts';
import type { LastWorkExcerpts, LastAnswer, WorkResult } from '../../fragments/checkpoint-work.ts';
import { withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { escapeFragmentMarkers } from '../../world/escape-fragment-markers.ts';
import { truncateMiddle } from '../../fragments/text/truncate.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { historyEntries } from '../../history/history.ts';
import { type CallItem, isCall, isMessage, type Item, messageText } from '../../../protocol/item.ts';
import { objectsAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { CompactionSource } from '../plan/compaction-plan.ts';
import type { WorkRecords } from '../plan/work-records.ts';

const mostResults = 5;
const mostOfLine = 300;
const leastOfLine = 80;
/** In tokens: the smallest useful part of an output, and the frame around it. */
const leastOfResult = 20;
const aroundResult = 20;
export type FoundWork = { readonly answer: LastAnswer | undefined; readonly results: readonly WorkResult[] };

export function findLastWork({ history }: CompactionSource): FoundWork {
  const all = historyEntries(history);
  const numbers = turnNumbers(all);
  const answer = lastAnswer(all, numbers);
  return {
    answer: answer && { ...answer, text: escapeFragmentMarkers(answer.text) },
    results: newestResults(all, numbers).map((result) => ({ ...result, output: escapeFragmentMarkers(result.output) })),
  };
}

/** The turn number of each entry: that of the user's newest message before it. */
function turnNumbers(all: readonly HistoryEntry[]): readonly (number | undefined)[] {
  let newest: number | undefined;
  return all.map(({ number, words = [] }) => (newest = number ?? words.at(-1)?.number ?? newest));
}

export function cutLastWork({ answer, results }: FoundWork, tokens: number): LastWorkExcerpts {
  const each = Math.floor((tokens * 0.6) / Math.max(1, results.length)) - aroundResult;
  const shown = tokens === 0 ? undefined : answer;
  return {
    answer: shown && { ...shown, text: cutText(shown.text, Math.floor(tokens * 0.4)) },
    results: (each < leastOfResult ? [] : results).map(({ number, call, output }) => {
      return { number, call: shortLine(call, tokens), output: cutText(output, each) };
    }),
  };
}

/** The next step as far as code knows it. If something came after the plan, the newest message says how to go on. */
export function resumeText({ plan }: WorkRecords, tokens: number): string {
  if (plan === undefined || plan.isOlder) return resumeAtWords;
  const step =
    plan.steps.find(({ status }) => status === 'in-progress') ?? plan.steps.find(({ status }) => status === 'pending');
  return step === undefined ? resumeAtWords : resumeTextForStep(shortLine(step.text, tokens));
}

function lastAnswer(all: readonly HistoryEntry[], numbers: readonly (number | undefined)[]): LastAnswer | undefined {
  const at = all.findLastIndex(
    ({ item, origin }) =>
      origin.family === 'model' && isMessage(item) && item.role === 'assistant' && messageText(item).trim() !== '',
  );
  const item = all[at]?.item;
  if (item === undefined || !isMessage(item)) return undefined;
  const isOlder = all.slice(at).some(({ origin }) => origin.family === 'user');
  return { text: messageText(item).trim(), isOlder, number: numbers[at] };
}

/** Tools whose outputs say nothing about the work: the records hold what they did. */
const silentTools: ReadonlySet<string> = new Set(['update_plan', 'apply_patch', 'edit_file']);

function newestResults(all: readonly HistoryEntry[], numbers: readonly (number | undefined)[]): readonly WorkResult[] {
  const results: WorkResult[] = [];
  const outputs = new Map<unknown, Item>();
  for (const [back, { item, origin }] of all.toReversed().entries()) {
    if (results.length === mostResults) break;
    if (origin.family === 'tool') outputs.set(item['call_id'], item);
    if (!isCall(item)) continue;
    const output = outputs.get(item.call_id);
    const text = output === undefined ? '' : outputText(output).trim();
    // A failed patch is worth knowing; an applied one is in the list of files.
    const isSilent = silentTools.has(item.name) && !isFailure(item.name, text);
    if (text !== '' && !isSilent && saysSomething(text)) {
      results.unshift({ number: numbers[all.length - 1 - back], call: callLine(item), output: text });
    }
  }
  return results;
}

const isFailure = (tool: string, output: string): boolean =>
  (tool === 'apply_patch' || tool === 'edit_file') && !/^(?:Success|Done|Exit code: 0)/i.test(output);

/** False for an empty frame, as a command without output has. */
function saysSomething(output: string): boolean {
  const body = /(?:^|\n)Output:\n?(?<body>[^]*)$/.exec(output)?.groups?.['body'];
  const failed = /(?:exited with code|Exit code:) (?!0\b)\d|Process killed/.test(output);
  return body === undefined || body.trim() !== '' || failed;
}

function callLine(item: CallItem): string {
  const text = item.type === 'function_call' ? item.arguments : item.input;
  const parsed = item.type === 'function_call' ? parseJsonObject(text) : undefined;
  const command = parsed?.['cmd'] ?? parsed?.['command'];
  if (typeof command === 'string') return command;
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ');
  return `${item.name} ${text}`;
}

function outputText(item: Item): string {
  const texts = objectsAt(item, 'output').flatMap((part) => stringAt(part, 'text') ?? []);
  return stringAt(item, 'output') ?? texts.join('\n');
}

export function shortLine(text: string, tokens: number): string {
  const limit = tokens === 0 ? leastOfLine : mostOfLine;
  return escapeFragmentMarkers(withoutLineBreaks(truncateMiddle(text, { mode: 'bytes', limit })));
}

export const resumeTextForStep = (step: string): string => `the next step of the plan: ${step}`;
const resumeAtWords =
  "the user's newest message, read after all messages before it; look at the files before you change them";
