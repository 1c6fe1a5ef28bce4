import { describe, expect, it } from 'vitest';
import type { Item } from '../../protocol/item.ts';
import type { Candidate, CandidateEntry } from './candidates/candidate.ts';
import { candidateProblem } from './state-machine.ts';
import type { CompactionPlan } from './plan/compaction-plan.ts';

const plan = { budget: { before: 100, most: 80 } } as CompactionPlan;
const message = 'Go on with the parser.';
const words: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] };
const kept: CandidateEntry = { kind: 'kept', entry: { item: words, origin: { family: 'user' } } };
function made(item: Item): CandidateEntry {
  return { kind: 'made', item: (id) => ({ ...item, id }), origin: { family: 'context', kinds: ['checkpoint'] } };
}
const summary = made({ type: 'message', role: 'user', content: [{ type: 'input_text', text: `Folded.\n${message}` }] });
const compaction = made({ type: 'compaction', encrypted_content: 'x' });
const named: CandidateEntry = {
  kind: 'kept',
  entry: { item: { type: 'compaction', id: 'cmp_1' }, origin: { family: 'model' } },
};
const good: Candidate = {
  strategy: 'plain',
  entries: [kept, summary],
  message,
  tokens: 80,
  words: { kept: 1, cut: 0, dropped: 0 },
  mended: [],
};

describe('candidateProblem', () => {
  it.each<[string, Partial<Candidate>, string | undefined]>([
    ['a good one', {}, undefined],
    ['one of a provider', { strategy: 'remote', entries: [kept, compaction], message: '' }, undefined],
    ['a provider gave it a name', { strategy: 'remote', entries: [kept, named], message: '' }, undefined],
    [
      'a provider left it out',
      { strategy: 'remote', entries: [compaction, kept], message: '' },
      'compaction-candidate-malformed',
    ],
    ['sealed by no provider', { entries: [kept, compaction] }, 'compaction-candidate-malformed'],
    ['more than may be left', { tokens: 81 }, 'compaction-no-gain'],
    ['empty', { entries: [] }, 'compaction-candidate-malformed'],
    ['the summary is not the last', { entries: [summary, kept] }, 'compaction-candidate-malformed'],
    ['another text is the last', { message: 'Something else.' }, 'compaction-candidate-malformed'],
    ['it says nothing', { message: '' }, 'compaction-candidate-malformed'],
  ])('%s', (_, over, code) => {
    expect(candidateProblem(plan, { ...good, ...over })?.code).toBe(code);
  });

  it('must save as much as is asked for, whatever may be left', () => {
    const little = { budget: { before: 100, most: 2000, gain: 79 } } as CompactionPlan;
    expect(candidateProblem(little, good)?.code).toBe('compaction-no-gain');
    expect(candidateProblem(little, { ...good, tokens: 79 })).toBeUndefined();
  });

  it('after a refusal it must be smaller by our estimate, unless it makes the history readable', () => {
    const budget = { before: 100, context: 20, most: 2000, gain: 2000 };
    const after = (more: Partial<CompactionPlan>) =>
      candidateProblem({ budget, ...more } as CompactionPlan, good)?.code;
    for (const reason of ['context_overflow', 'unexplained_refusal'] as const) {
      expect(after({ reason })).toBe('compaction-would-grow');
      expect(after({ reason, mayGrow: true })).toBeUndefined();
    }
    // The provider's count says that there is more than we see.
    expect(after({ reason: 'context_limit' })).toBeUndefined();
  });
});
