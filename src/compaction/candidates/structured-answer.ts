import type { Json } from '../../protocol/json.ts';
import { type Faulty, faulty } from './candidate.ts';
import { readLooseJson } from './loose-json.ts';
import { withResumeLine } from './resume-line.ts';

export interface StructuredAnswer {
  readonly kind: 'read';
  readonly intent: string;
  readonly summary: string;
  /** What the model wrote under keys that were not asked for; may be empty. */
  readonly extra: string;
  /** What was wrong and could be put right without a doubt about what was meant. */
  readonly mended: readonly string[];
}

const keys = ['intent_user_message', 'summary'] as const;

/** What a model answered to the structured prompt, or all that is wrong with it. */
export function readStructured(text: string): StructuredAnswer | Faulty {
  if (text.replace(/^\uFEFF/, '').trim() === '') return faulty('The answer is empty.');
  const json = readLooseJson(text, keys);
  if (json.kind === 'none') return faulty('The answer is not one valid JSON object.');
  if (json.kind === 'cut-off') {
    return faulty('The answer was cut off before the JSON object ended: write less, so that all of it fits.');
  }
  const { value } = json;
  const { intent_user_message: intent, summary } = value;
  const faults = keys.flatMap((key) => faultOfValue(key, value[key]));
  if (typeof intent !== 'string' || typeof summary !== 'string' || faults.length > 0) return faulty(...faults);
  const resumed = withResumeLine(summary);
  faults.push(...faultsOfTags(intent), ...(resumed.kind === 'found' ? [] : [resumeFaults[resumed.kind]]));
  if (resumed.kind !== 'found' || faults.length > 0) return faulty(...faults);
  const extra = Object.entries(value)
    .filter(([key]) => !(keys as readonly string[]).includes(key))
    .flatMap(([key, value]) => extraText(key, value));
  const mended = [
    ...json.mended,
    ...(extra.length === 0 ? [] : ['Text under keys that Capstan did not ask for became context for the task.']),
    ...mendings[resumed.change],
  ];
  return { kind: 'read', intent, summary: resumed.summary, extra: extra.join('\n'), mended };
}

/** A key with its value as lines of text; nothing where there is no value. */
function extraText(key: string, value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (!Array.isArray(value)) return [`${key}: ${lineOf(value)}`];
  return value.length === 0 ? [] : [`${key}:`, ...value.map((one) => `- ${lineOf(one)}`)];
}

function lineOf(value: Json): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

function faultOfValue(key: string, value: unknown): string[] {
  if (value === undefined) return [`The key \`${key}\` is missing.`];
  if (typeof value !== 'string') return [`\`${key}\` must be a string.`];
  return value.trim() === '' ? [`\`${key}\` is empty.`] : [];
}

function faultsOfTags(intent: string): readonly string[] {
  const found = findTags(intent);
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

/** Of `intent_user_message`, in their order. */
export const intentTags = [
  '<VERBATIM_REQUEST_START>',
  '<VERBATIM_REQUEST_END>',
  '<RECENT_USER_CONTEXT_START>',
  '<RECENT_USER_CONTEXT_END>',
] as const;

type IntentTag = (typeof intentTags)[number];

/** Where the tags stand, in their order; or those that are missing; or that they are out of order. */
export type IntentPlaces =
  | { readonly kind: 'found'; readonly at: readonly [number, number, number, number] }
  | { readonly kind: 'missing'; readonly tags: readonly IntentTag[] }
  | { readonly kind: 'disordered' };

/**
 * A tag counts alone on its line, so that tags inside the user's words split nothing: of the starts the first counts, of
 * the ends the last before the next block. Only where a model wrote none of its tags alone are they taken as they stand.
 */
export function findTags(intent: string): IntentPlaces {
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

/** Of an intent whose tags are all there, in order: the request, as the model says, and what stands outside of both blocks. */
export function splitIntent(intent: string): { readonly request: string; readonly context: string } {
  const places = findTags(intent);
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
