import { closesCodeFence, type Fence, readFence } from '../../../base/markdown/code-fence.ts';
import { type Json, parseJsonObject } from '../../../protocol/json.ts';
import { resumeLinePattern, markOldResumeLines } from '../../fragments/checkpoint-work.ts';
import { byteLength } from '../../fragments/text/truncate.ts';
import { messagesOfUser } from '../../history/user-words.ts';
import type { CompactionPlan, CompactionSource } from '../plan/compaction-plan.ts';
import { makeCandidate } from './build-candidate.ts';
import { type Candidate, type FaultyAnswer, faultyAnswer } from './candidate.ts';
import { readLooseJson } from './loose-json.ts';
import { findQuotedMessages } from './match-quote.ts';

/** A shorter text, such as "done" or "null", says less than code knows. */
const leastBytes = 8;
type WrittenCandidate = Candidate | FaultyAnswer;

export function plainCandidate(plan: CompactionPlan, source: CompactionSource, text: string): WrittenCandidate {
  const summary = text.replace(/^\uFEFF/, '').trim();
  if (summary === '') return faultyAnswer('The answer is empty.');
  if (byteLength(summary) < leastBytes || !/[\p{L}\p{N}]/u.test(summary))
    return faultyAnswer('The answer says nothing to continue from.');
  const faults = summaryFaults(summary);
  if (faults.length > 0) return faultyAnswer(...faults);
  const resumed = moveResumeLineToEnd(summary);
  const written = { by: 'model', context: '', summary: resumed.kind === 'found' ? resumed.summary : summary } as const;
  return makeCandidate(plan, source, { strategy: 'plain', chosen: [], written });
}

/** The model says which message defines the active task; all words of the user come from history. */
export function structuredCandidate(plan: CompactionPlan, source: CompactionSource, text: string): WrittenCandidate {
  const answer = parseStructuredAnswer(text);
  if (answer.kind === 'faulty') return answer;
  const { request, context } = splitIntent(answer.intent);
  const all = messagesOfUser(source.history, source);
  const chosen = findQuotedMessages(all, request);
  const faults = summaryFaults(answer.summary);
  if (faults.length > 0) return faultyAnswer(...faults);
  const notes = [context, answer.extra].filter((part) => part !== '').join('\n\n');
  const written = { by: 'model', context: notes, summary: answer.summary } as const;
  const candidate = makeCandidate(plan, source, { strategy: 'structured', chosen, quote: request, written });
  const unmatched = chosen.length === 0 && all.length > 0 ? [notFound] : [];
  return { ...candidate, mended: [...answer.mended, ...unmatched, ...candidate.mended] };
}

const notFound =
  'The request that the model quoted is not a message of the user, so the checkpoint names no active task.';

export type ResumeLine =
  | { readonly kind: 'found'; readonly summary: string; readonly change: 'none' | 'signs' | 'moved' }
  | { readonly kind: 'no-step' }
  | { readonly kind: 'none' };

/** Puts the newest line about where to continue at the end. The step may be on the line after the keyword. */
export function moveResumeLineToEnd(given: string): ResumeLine {
  const text = given.trimEnd();
  const lines = text.split('\n');
  const found = cursorsIn(lines);
  const newest = found.findLast(({ step }) => step !== '');
  if (newest === undefined) return { kind: found.length === 0 ? 'none' : 'no-step' };
  const { at, end, step } = newest;
  const before = lines.slice(0, at).join('\n');
  const after = lines.slice(end).join('\n').trim();
  const rest = [before, after].filter((part) => part.trim() !== '');
  const body = markOldResumeLines(rest.join('\n'), 'earlier in this summary');
  const summary = `${body}${body === '' ? '' : '\n'}RESUME_AT: ${step}`;
  const isLast = after === '' && end === at + 1;
  const change = summary === text ? 'none' : isLast && lines[at] !== `RESUME_AT: ${step}` ? 'signs' : 'moved';
  return { kind: 'found', summary, change };
}

type Cursor = { readonly at: number; readonly end: number; readonly step: string };

/** Lines between code fences are quoted and say nothing about this conversation. */
function cursorsIn(lines: readonly string[]): readonly Cursor[] {
  const found: Cursor[] = [];
  let code: Fence | undefined;
  for (const [at, line] of lines.entries()) {
    if (code !== undefined && closesCodeFence(code, line)) code = undefined;
    else code ??= readFence(line);
    const match = code === undefined ? resumeLinePattern.exec(line.trimEnd()) : null;
    if (match === null) continue;
    const own = stepIn(match.groups?.['step'] ?? '');
    const below = nextFull(lines, at + 1);
    const isBelow = own === '' && below < lines.length && !resumeLinePattern.test(lines[below]!.trimEnd());
    found.push({ at, end: isBelow ? below + 1 : at + 1, step: isBelow ? stepIn(lines[below]!) : own });
  }
  return found;
}

function nextFull(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.trim() === '') at++;
  return at;
}

const emphases = ['**', '__', '`', '*'] as const;

/** The step without list marks before it and without unpaired emphasis. */
function stepIn(text: string): string {
  let step = text.trim().replace(/^(?:[>#•+-]+|\*|\d{1,3}[.)])[ \t]+/, '');
  for (const sign of emphases) {
    if (step.endsWith(sign) && step.split(sign).length % 2 === 0) step = step.slice(0, -sign.length).trimEnd();
  }
  return /[\p{L}\p{N}]/u.test(step) ? step : '';
}

/** Faults of a summary, worded for the model that wrote it: cheap checks that work in any language. */
export function summaryFaults(summary: string): readonly string[] {
  if (isRepetitive(summary)) return ['The summary repeats itself over and over.'];
  if (isMarkup(summary)) return ['The summary is a page of markup instead of text.'];
  return isCallText(summary) ? ['The summary is a call of a tool. Call no tool: write text.'] : [];
}

const mostLooked = 40_000;
const pieceLength = 12;
const leastText = 600;
/** Ordinary prose has nearly as many different pieces as places; logs and tables still have a third. */
const leastDistinct = 0.15;

function isRepetitive(summary: string): boolean {
  const text = summary.slice(0, mostLooked).replaceAll(/\s+/g, ' ');
  if (text.length < leastText) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + pieceLength <= text.length; at++) pieces.add(text.slice(at, at + pieceLength));
  return pieces.size / (text.length - pieceLength + 1) < leastDistinct;
}

const mostMarkup = 0.35;
const leastTags = 8;

function isMarkup(summary: string): boolean {
  const text = summary.slice(0, mostLooked);
  if (/^\s*<(?:!doctype|html|\?xml)\b/i.test(text)) return true;
  const tags = text.match(/<\/?[a-z][^<>\n]{0,200}>/gi) ?? [];
  return tags.length >= leastTags && tags.reduce((sum, tag) => sum + tag.length, 0) / text.length > mostMarkup;
}

function isCallText(summary: string): boolean {
  const text = summary.trim();
  if (/^<\/?(?:tool_call|function_calls?|invoke|tool_use)\b/i.test(text)) return true;
  if (text.startsWith('*** Begin Patch') && text.endsWith('*** End Patch')) return true;
  const value = text.startsWith('{') ? parseJsonObject(text) : undefined;
  const names = value === undefined ? [] : Object.keys(value);
  const isNamed = ['name', 'tool', 'function', 'recipient_name'].some((key) => names.includes(key));
  return isNamed && ['arguments', 'parameters', 'input', 'args'].some((key) => names.includes(key));
}

const keys = ['intent_user_message', 'summary'] as const;

/** `mended`: faults that could be repaired unambiguously. */
export function parseStructuredAnswer(text: string) {
  if (text.replace(/^\uFEFF/, '').trim() === '') return faultyAnswer('The answer is empty.');
  const json = readLooseJson(text, keys);
  if (json.kind === 'none') return faultyAnswer('The answer is not one valid JSON object.');
  if (json.kind === 'cut-off')
    return faultyAnswer('The answer was cut off before the JSON object ended: write less, so that all of it fits.');
  const { value } = json;
  const { intent_user_message: intent, summary } = value;
  const faults = keys.flatMap((key) => faultOfValue(key, value[key]));
  if (typeof intent !== 'string' || typeof summary !== 'string' || faults.length > 0) return faultyAnswer(...faults);
  const resumed = moveResumeLineToEnd(summary);
  faults.push(...faultsOfTags(intent), ...(resumed.kind === 'found' ? [] : [resumeFaults[resumed.kind]]));
  if (resumed.kind !== 'found' || faults.length > 0) return faultyAnswer(...faults);
  const extra = Object.entries(value)
    .filter(([key]) => !(keys as readonly string[]).includes(key))
    .flatMap(([key, value]) => extraText(key, value));
  const mended = [
    ...json.mended,
    ...(extra.length === 0 ? [] : ['Text under keys that Capstan did not ask for became context for the task.']),
    ...mendings[resumed.change],
  ];
  return { kind: 'read' as const, intent, summary: resumed.summary, extra: extra.join('\n'), mended };
}

function extraText(key: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (!Array.isArray(value)) return [`${key}: ${lineOf(value)}`];
  return value.length === 0 ? [] : [`${key}:`, ...value.map((one) => `- ${lineOf(one)}`)];
}

const lineOf = (value: Json): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));

function faultOfValue(key: string, value: unknown): string[] {
  if (value === undefined) return [`The key \`${key}\` is missing.`];
  if (typeof value !== 'string') return [`\`${key}\` must be a string.`];
  return value.trim() === '' ? [`\`${key}\` is empty.`] : [];
}

function faultsOfTags(intent: string): readonly string[] {
  const found = findIntentTags(intent);
  switch (found.kind) {
    case 'found':
      return [];
    case 'missing':
      return found.tags.map((tag) => `\`intent_user_message\` lacks the tag ${tag} on a line of its own.`);
    case 'disordered':
      return [
        `The tags of \`intent_user_message\` are in the wrong order; the right order is ${intentTags.join(' ')}.`,
      ];
  }
}

const resumeFaults = {
  'no-step': 'The `RESUME_AT:` line of `summary` names no next step.',
  none: '`summary` does not end with a `RESUME_AT:` line.',
} as const;

const mendings = {
  none: [],
  signs: ['Capstan removed other characters from the `RESUME_AT:` line.'],
  moved: ['Capstan moved the `RESUME_AT:` line to the end.'],
} as const;

export const intentTags = [
  '<VERBATIM_REQUEST_START>',
  '<VERBATIM_REQUEST_END>',
  '<RECENT_USER_CONTEXT_START>',
  '<RECENT_USER_CONTEXT_END>',
] as const;

type IntentTag = (typeof intentTags)[number];

export type IntentPlaces =
  | { readonly kind: 'found'; readonly at: readonly [number, number, number, number] }
  | { readonly kind: 'missing'; readonly tags: readonly IntentTag[] }
  | { readonly kind: 'disordered' };

/**
 * A tag counts only alone on its line, so that tags inside the user's words split nothing. Takes the first start tag,
 * and the last end tag before the next block. Accepts tags inside lines only if the model wrote none alone.
 */
export function findIntentTags(intent: string): IntentPlaces {
  const alone = (tag: IntentTag): readonly number[] =>
    [...intent.matchAll(new RegExp(`(?<=^|\\n)[^\\S\\n]*${tag}[^\\S\\n]*(?=\\n|$)`, 'g'))].map(
      ({ index, 0: line }) => index + line.indexOf('<'),
    );
  const anywhere = (tag: IntentTag): readonly number[] =>
    [...intent.matchAll(new RegExp(tag, 'g'))].map(({ index }) => index);
  const lines = intentTags.map(alone);
  const places = lines.every((found) => found.length === 0) ? intentTags.map(anywhere) : lines;
  const tags = intentTags.filter((_, index) => places[index]!.length === 0);
  if (tags.length > 0) return { kind: 'missing', tags };
  const [starts, ends, recents, closings] = places as [number[], number[], number[], number[]];
  const start = starts[0]!;
  const closing = closings.at(-1)!;
  const firstEnd = ends.find((end) => end > start) ?? Infinity;
  const recent = recents.find((at) => at > firstEnd);
  const end = recent === undefined ? undefined : ends.findLast((at) => at > start && at < recent);
  if (recent === undefined || end === undefined || closing < recent) return { kind: 'disordered' };
  return { kind: 'found', at: [start, end, recent, closing] };
}

/** Requires all tags in order. `context`: the text outside both blocks. */
export function splitIntent(intent: string): { readonly request: string; readonly context: string } {
  const places = findIntentTags(intent);
  if (places.kind !== 'found') return { request: '', context: intent.trim() };
  const [start, end, recent, closing] = places.at;
  const after = (place: number, tag: IntentTag): number => place + tag.length;
  const outside = [
    intent.slice(0, start),
    intent.slice(after(end, intentTags[1]), recent),
    intent.slice(after(closing, intentTags[3])),
  ];
  const context = outside.map((part) => part.trim()).filter((part) => part !== '');
  return { request: intent.slice(after(start, intentTags[0]), end), context: context.join('\n\n') };
}
