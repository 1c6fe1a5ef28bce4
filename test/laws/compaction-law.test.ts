import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { requestWeight, sentWeight, splitIntoItemUnits } from '../../src/core/compaction/requests/history-parts.ts';
import { beginCompaction, type CompactionStep, continueCompaction } from '../../src/core/compaction/state-machine.ts';
import { planCompaction } from '../../src/core/compaction/plan/plan-compaction.ts';
import type {
  CompactionPlan,
  CompactionWindow,
  CompactionSource,
  CompactionOutcome,
  CompactionRequest,
} from '../../src/core/compaction/plan/compaction-plan.ts';
import { stubItem } from '../../src/core/compaction/requests/item-stub.ts';
import { noWork } from '../../src/core/compaction/plan/work-records.ts';
import { entryFromLine } from '../../src/core/history/entry.ts';
import { historyOf } from '../../src/core/history/history.ts';
import { pairedItem, toSentItems } from '../../src/core/history/sent-items.ts';
import { itemTokens } from '../../src/core/history/token-counts.ts';
import type { ModelFailureCode } from '../../src/ports/model.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { Item } from '../../src/protocol/item.ts';

/** Requests for notes, and what may be asked beside: by the provider alone, twice in each way, and what was too long. */
const mostRequests = 48;
const mostStages = 40;
/** Tokens that a part always has space for. */
const leastCapacity = 300;

/** Mostly small, sometimes larger than any window here. */
const size = fc.oneof(fc.nat(200), fc.nat(2000), fc.nat(15_000));
const callId = fc.nat(12).map((n) => `call_${n}`);
const text = size.map((length) => 'word '.repeat(length).trim());
const role = fc.constantFrom('user', 'assistant', 'developer');

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ role, text }).map((given) => says(given.role, given.text)),
  fc.record({ id: callId, size }).map(({ id, size }) => ({
    type: 'function_call',
    name: 'run',
    arguments: JSON.stringify({ cmd: 'x'.repeat(size) }),
    call_id: id,
  })),
  fc.record({ id: callId, text }).map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
  callId.map((id) => ({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Update File: a', call_id: id })),
  fc
    .record({ id: callId, text })
    .map(({ id, text }) => ({ type: 'custom_tool_call_output', call_id: id, output: text })),
  size.map((length) => ({ type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(length * 4) })),
  fc.constant({ type: 'compaction', encrypted_content: 'y'.repeat(3000) }),
);

function says(role: string, text: string): Item {
  return { type: 'message', role, content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }] };
}

/** Names of calls made one of a kind: what was drawn twice is another call. */
function withOwnCalls(items: readonly Item[]): readonly Item[] {
  const [calls, answers] = [new Map<string, number>(), new Map<string, number>()];
  return items.map((item) => {
    const paired = pairedItem(item);
    if (paired === undefined) return item;
    const key = `${item.type.replace('_output', '')} ${paired.id}`;
    const counts = paired.half === 'call' ? calls : answers;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { ...item, call_id: `${key} ${counts.get(key)}` };
  });
}

const source: fc.Arbitrary<CompactionSource> = fc.array(item, { maxLength: 60, size: 'max' }).map((items) => {
  const history = historyOf(withOwnCalls(items).map((each) => entryFromLine(each, undefined)));
  return { history, input: toSentItems(history), work: noWork };
});

const plan = fc.record({
  trigger: fc.constantFrom('manual' as const, 'auto' as const),
  strategy: fc.constantFrom('structured' as const, 'plain' as const, 'remote' as const),
  remoteForm: fc.constantFrom('unary' as const, 'stream' as const),
  focus: fc.string(),
  request: fc.oneof(fc.nat(3000), fc.integer({ min: 3000, max: 8000 }), fc.integer({ min: 3000, max: 30_000 })),
  fixed: fc.nat(1500),
  answer: fc.nat(4000),
  words: fc.nat(4000),
  mostPercent: fc.nat(100),
});

const codes: readonly ModelFailureCode[] = [
  'aborted',
  'context-window-exceeded',
  'usage-limit',
  'invalid-request',
  'policy',
  'unauthorized',
  'overloaded',
  'server-error',
  'connection-failed',
  'stream-cut',
  'incomplete',
  'answer-too-large',
  'answer-too-slow',
];
const outcome: fc.Arbitrary<CompactionOutcome> = fc.oneof(
  { weight: 6, arbitrary: text.map((said) => ({ kind: 'answer' as const, text: said, items: [] })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<CompactionOutcome>(
      { kind: 'answer', text: '', items: [] },
      { kind: 'answer', text: '{"intent_user_message":"","summary":"RESUME_AT: x"}', items: [] },
      { kind: 'answer', text: '', items: [{ type: 'compaction', encrypted_content: 'z'.repeat(2000) }] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...codes).map((code) => ({
      kind: 'failed' as const,
      failure: { code, message: 'no', next: '', retry: 'never' as const },
    })),
  },
);

interface Played {
  readonly plan: CompactionPlan;
  readonly asked: readonly { readonly request: CompactionRequest; readonly tooLong: boolean }[];
  readonly end: CompactionStep;
}

type Drawn = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function play(given: Drawn, source: CompactionSource, outcomes: readonly CompactionOutcome[]): Played {
  const { request, fixed, answer, words, mostPercent, ...rest } = given;
  const before = source.input.reduce((sum, each) => sum + itemTokens(each), 0);
  const most = Math.floor((before * mostPercent) / 100);
  const planned: CompactionPlan = {
    turnId: 'turn' as TurnId,
    reason: 'context_limit',
    phase: 'pre_turn',
    model: 'some',
    readAll: 'show all',
    placement: 'next-turn',
    ...rest,
    budget: { request, fixed, answer, words, pictures: 1000, records: 500, before, context: 0, most, gain: most },
  };
  const asked: { request: CompactionRequest; tooLong: boolean }[] = [];
  let step = beginCompaction(planned, source);
  while (step.kind === 'request' && asked.length <= mostRequests) {
    const outcome = outcomes[asked.length % outcomes.length]!;
    const tooLong = outcome.kind === 'failed' && outcome.failure.code === 'context-window-exceeded';
    asked.push({ request: step.request, tooLong });
    step = continueCompaction(step.state, outcome);
  }
  return { plan: planned, asked, end: step };
}

describe('a compaction, whatever the model does', () => {
  it('ends soon, asks nothing that does not fit, and looks at everything in order', () => {
    fc.assert(
      fc.property(plan, source, fc.array(outcome, { minLength: 1, maxLength: 12 }), (given, source, outcomes) => {
        const played = play(given, source, outcomes);
        expect(['candidate', 'mechanical', 'refused']).toContain(played.end.kind);
        expect(played.asked.length).toBeLessThanOrEqual(mostRequests);
        for (const { request } of played.asked) {
          expectInBounds(request, source);
          expect(requestWeight(played.plan, source, request)).toBeLessThanOrEqual(played.plan.budget.request);
          expectWholePairs(request, source);
        }
        expectInOrder(played, source);
        expectGain(played);
      }),
      { numRuns: 60 * inject('runFactor') },
    );
  });
});

describe('a thread that is full', () => {
  it('has space again, although no model answers', () => {
    fc.assert(
      fc.property(fc.constantFrom(8000, 30_000, 250_000), fc.nat(50), source, (effective, percent, source) => {
        const history = source.input.reduce((sum, each) => sum + itemTokens(each), 0);
        const fixed = Math.floor((effective * percent) / 100);
        fc.pre(fixed + history > effective && source.history.length > 0);
        const share = (of: number): number => Math.floor((effective * of) / 100);
        const window: CompactionWindow = {
          effective,
          autoCompact: share(90),
          autoCompactScope: 'total',
          compactionReserve: share(10),
          checkpoint: { words: share(20), pictures: share(10), answer: share(10), records: share(5) },
        };
        const asked = { trigger: 'auto', reason: 'context_limit', phase: 'pre_turn', strategy: 'structured' } as const;
        const context = share(5);
        const sizes = { window, requestWindow: window, fixed, history, due: context, context, standing: 0 };
        const plan = planCompaction({ ...asked, turnId: 'turn' as TurnId, model: 'some', readAll: 'show all' }, sizes);
        let step = beginCompaction(plan, source);
        while (step.kind === 'request') step = continueCompaction(step.state, { kind: 'answer', text: '', items: [] });
        expect(step).toMatchObject({ kind: 'mechanical' });
        const { tokens } = (step as Extract<CompactionStep, { kind: 'mechanical' }>).candidate;
        expect(fixed + context + tokens).toBeLessThan(window.autoCompact);
      }),
      { numRuns: 20 * inject('runFactor') },
    );
  });
});

function expectInBounds({ from, to, stubbed }: CompactionRequest, { input }: CompactionSource): void {
  expect(0 <= from && from <= to && to <= input.length).toBe(true);
  expect(stubbed).toEqual([...new Set(stubbed)].toSorted((a, b) => a - b));
  expect(stubbed.every((at) => from <= at && at < to)).toBe(true);
}

/** Every call that is sent comes with its answer and the other way round. */
function expectWholePairs({ from, to, stubbed }: CompactionRequest, { input }: CompactionSource): void {
  const sent = input
    .slice(from, to)
    .flatMap((each, offset) => (stubbed.includes(from + offset) ? (stubItem(each) ?? []) : each));
  const halves = (half: 'call' | 'answer') =>
    sent.flatMap((each) => (pairedItem(each)?.half === half ? [pairedItem(each)!.id] : [])).toSorted();
  expect(halves('call')).toEqual(halves('answer'));
}

/** Oldest first, and all of it, apart from what cannot be sent or is older than the requests reach. */
function expectInOrder({ asked, end }: Played, { input }: CompactionSource): void {
  const taken = asked.filter(({ request }) => request.strategy !== 'remote');
  const backwards = taken.filter(({ request: { from } }, index) => {
    const before = taken[index - 1];
    if (before === undefined || from === before.request.from) return false;
    // Messages that were too long are looked at again; the first of them may be left to code.
    return from < (before.tooLong ? before.request.from : before.request.to);
  });
  expect(backwards).toEqual([]);
  if (end.kind !== 'candidate' || taken.length === 0) return;
  // A request for the checkpoint itself is the last.
  expect(taken.at(-1)!.request.to).toBe(input.length);
  if (taken.length > mostStages) return;
  const looked = new Set(
    taken.filter(({ tooLong }) => !tooLong).flatMap(({ request: { from, to } }) => placesIn({ from, to })),
  );
  const passedOver = splitIntoItemUnits(input, 0).filter((unit) => {
    const places = placesIn(unit);
    const weight = places.reduce((sum, at) => sum + sentWeight(input[at]!, true), 0);
    return weight <= leastCapacity && !places.every((at) => looked.has(at));
  });
  expect(passedOver).toEqual([]);
}

function placesIn({ from, to }: { readonly from: number; readonly to: number }): readonly number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}

function expectGain({ plan, end }: Played): void {
  if (end.kind !== 'candidate' && end.kind !== 'mechanical') return;
  expect(end.candidate.tokens).toBeLessThanOrEqual(plan.budget.most);
  expect(end.candidate.tokens).toBeLessThan(plan.budget.before);
}
