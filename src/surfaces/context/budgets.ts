import type { Window } from '../../envelope/window.ts';
import { byteLength, estimateTokens } from '../../fragments/text/truncate.ts';
import { entries } from '../../history/history.ts';
import { partBytes } from '../../history/size.ts';
import type { Item } from '../../protocol/item.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../protocol/json.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { FamilyShare } from './group-parts.ts';
import type { Family } from './part-names.ts';
import type { ThreadStory } from './thread-story.ts';

/** One budget of the window, and what of it is used. */
export interface ContextBudget {
  readonly name: string;
  readonly unit: 'tokens' | 'bytes';
  readonly limit: number;
  readonly used: number;
  /** What is meant by use. */
  readonly meaning: string;
}

export interface Budgets {
  readonly budgets: readonly ContextBudget[];
  /** What the file does not say. */
  readonly unknown: readonly string[];
}

/** The window of the next turn, else the one under which the newest turn ran; of a turn of another program only its size may be known. */
export function budgetsOf(
  { state, window: size }: ThreadStory,
  groups: readonly FamilyShare[],
  total: number,
  envelope: JsonObject | undefined = state.envelope,
): Budgets {
  const stored = envelope === undefined ? undefined : objectAt(envelope, 'window');
  if (stored === undefined) return foreignBudgets(size, total);
  const window = stored as unknown as Window;
  const tokens = (name: string, limit: number, used: number, meaning: string): ContextBudget => {
    return { name, unit: 'tokens', limit, used, meaning };
  };
  const { mode, limit } = window.toolOutput;
  return {
    budgets: [
      tokens('effective', window.effective, total, 'everything'),
      tokens('auto-compact', window.autoCompact, total, 'everything'),
      tokens(
        'reserve',
        window.compactionReserve,
        Math.max(0, total - (window.effective - window.compactionReserve)),
        'what reaches into it',
      ),
      tokens('skills', window.skills, tokensNamed(groups, 'skills'), 'the catalogue of skills'),
      tokens('memory', window.memory, 0, 'nothing reads memory yet'),
      tokens(
        'baseline',
        window.baseline,
        tokensOf(groups, ['instructions', 'tools', 'context']),
        'instructions, tools, context',
      ),
      { name: 'tool output', unit: mode, limit, used: largestOutput(state, mode), meaning: 'the largest one' },
    ],
    unknown: [],
  };
}

function foreignBudgets(effective: number | undefined, total: number): Budgets {
  const unknown = ['The budgets of the newest turn are not in the file: another program ran it.'];
  if (effective === undefined) return { budgets: [], unknown };
  return {
    budgets: [{ name: 'effective', unit: 'tokens', limit: effective, used: total, meaning: 'everything' }],
    unknown,
  };
}

function tokensOf(groups: readonly FamilyShare[], wanted: readonly Family[]): number {
  return groups.reduce((sum, { family, tokens }) => sum + (wanted.includes(family) ? tokens : 0), 0);
}

function tokensNamed(groups: readonly FamilyShare[], section: string): number {
  const shares = groups.flatMap((group) => group.shares);
  return shares.reduce((sum, share) => sum + (share.section === section ? share.tokens : 0), 0);
}

function largestOutput({ history }: ThreadState, unit: 'bytes' | 'tokens'): number {
  const outputs = entries(history).flatMap(({ item, origin }) => (origin.family === 'tool' ? [item] : []));
  return Math.max(0, ...outputs.map((item) => outputSize(item, unit)));
}

function outputSize(item: Item, unit: 'bytes' | 'tokens'): number {
  const output = item['output'];
  if (typeof output === 'string') return unit === 'bytes' ? byteLength(output) : estimateTokens(output);
  const parts = Array.isArray(output) ? (output as readonly unknown[]) : [];
  const bytes = parts.reduce<number>((sum, part) => sum + (isJsonObject(part) ? partBytes(part as JsonObject) : 0), 0);
  return unit === 'bytes' ? bytes : Math.ceil(bytes / 4);
}
