import { estimateTokens, truncateMiddle } from '../fragments/truncate.ts';
import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Candidate } from './candidate.ts';
import type { CompactionPlan } from './plan.ts';
import type { CompactionSource } from './source.ts';

/** Stand-ins. */

interface Wish {
  readonly focus?: string;
  readonly prompt?: string;
}
export interface Faulty {
  readonly kind: 'faulty';
  readonly faults: readonly string[];
}

export const structuredSchema: JsonObject = { type: 'object' };
export const structuredPrompt = ({ focus, prompt, answerTokens }: Wish & { readonly answerTokens: number }): string =>
  ['structured', focus, prompt, answerTokens, 'rule '.repeat(700)].filter((word) => word !== undefined).join(' ');
export const repairPrompt = (faults: readonly string[]): string => `repair ${faults.join(' ')}`;
export const plainPrompt = ({ focus, prompt }: Wish): string =>
  ['plain', focus, prompt].filter((word) => word !== undefined).join(' ');
export const stagePrompt = ({ part, of }: Wish & { readonly part: number; readonly of: number }): string =>
  `part ${part} of ${of}`;
export const stageNotes = ({
  notes,
  part,
  of,
}: {
  readonly notes: string;
  readonly part: number;
  readonly of: number;
}) => `notes ${part} of ${of}: ${notes}`;

function made(strategy: Candidate['strategy'], text: string): Candidate {
  const item = (id: string): Item => ({ type: 'compaction', id, encrypted_content: text });
  return {
    strategy,
    entries: [{ kind: 'made', item, origin: { family: 'model' } }],
    message: '',
    tokens: estimateTokens(text),
    words: { kept: 0, cut: 0, dropped: 0 },
    mended: [],
  };
}

export const structuredCandidate = (_p: CompactionPlan, _s: CompactionSource, text: string): Candidate | Faulty =>
  text.startsWith('{') ? made('structured', text) : { kind: 'faulty', faults: ['no JSON'] };
export const plainCandidate = (_p: CompactionPlan, _s: CompactionSource, text: string): Candidate | Faulty =>
  text === '' ? { kind: 'faulty', faults: ['empty'] } : made('plain', text);
export const remoteCandidate = (
  _p: CompactionPlan,
  _s: CompactionSource,
  items: readonly Item[],
  _form: 'unary' | 'stream',
): Candidate | Faulty =>
  items.length === 1 ? made('remote', JSON.stringify(items)) : { kind: 'faulty', faults: ['not one item'] };
export const mechanicalCandidate = (plan: CompactionPlan, source: CompactionSource, _why: Outcome): Candidate =>
  made('mechanical', truncateMiddle(JSON.stringify(source.input), { mode: 'tokens', limit: plan.room.words }));
