import type { Json } from '../../protocol/json.ts';
import { type Faulty, faulty } from './candidate.ts';
import { findTags, intentTags } from './intent-tags.ts';
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
    ...(extra.length === 0 ? [] : ['What stood under keys that were not asked for became context for the task.']),
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
      return [`The tags of \`intent_user_message\` stand in the wrong order; right is ${intentTags.join(' ')}.`];
  }
}

const resumeFaults = {
  'no-step': 'The `RESUME_AT:` line of `summary` names no next step.',
  none: '`summary` does not end with a `RESUME_AT:` line.',
} as const;

const mendings = {
  none: [],
  signs: ['The `RESUME_AT:` line was freed of other signs.'],
  moved: ['The `RESUME_AT:` line was moved to the end.'],
} as const;
