import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../../ports/model.ts';
import type { Item } from '../../protocol/item.ts';
import { noUsage } from '../../protocol/usage.ts';
import { apportionTokens, requestShares, requestTokens } from './window-usage.ts';
import { instructionsTokens, itemTokens, toolTokens } from './token-counts.ts';

const message = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const request = fc.record({
  instructions: fc.string(),
  tools: fc.array(fc.string().map((name): ToolSpec => ({ type: 'function', name }))),
  input: fc.array(fc.string({ maxLength: 300 }).map(message)),
});
const usage = fc
  .record({ input: fc.nat(2_000_000), cachedInput: fc.nat(2_000_000), output: fc.nat(1000) })
  .map((counts) => ({ ...noUsage, ...counts, total: counts.input + counts.output }));

describe('ledgerOf', () => {
  const small = {
    instructions: 'Be brief, ok',
    tools: [{ type: 'function', name: 'look_at' }, { type: 'web_search' }],
    input: [message('twelve bytes')],
  };

  const estimates = [
    instructionsTokens(small.instructions),
    ...small.tools.map(toolTokens),
    ...small.input.map(itemTokens),
  ] as const;

  it('without usage is made of estimates and says so', () => {
    const [instructions, lookAt, webSearch, entry] = estimates;
    expect(requestShares(small, undefined)).toEqual({
      total: requestTokens(small),
      measure: 'estimated',
      shares: [
        { part: { kind: 'instructions' }, tokens: instructions, measure: 'estimated', cached: undefined },
        { part: { kind: 'tool', name: 'look_at' }, tokens: lookAt, measure: 'estimated', cached: undefined },
        { part: { kind: 'tool', name: 'web_search' }, tokens: webSearch, measure: 'estimated', cached: undefined },
        { part: { kind: 'entry', index: 0 }, tokens: entry, measure: 'estimated', cached: undefined },
      ],
    });
    expect(requestShares(small, { ...noUsage, total: 500 })).toEqual(requestShares(small, undefined));
  });

  it('with usage shares out what the provider counted', () => {
    const [instructions, lookAt, webSearch, entry] = apportionTokens(estimates, 100);
    expect(requestShares(small, { ...noUsage, input: 100, cachedInput: 40, output: 9, total: 109 })).toEqual({
      total: 100,
      measure: 'exact',
      shares: [
        { part: { kind: 'instructions' }, tokens: instructions, measure: 'scaled', cached: instructions },
        { part: { kind: 'tool', name: 'look_at' }, tokens: lookAt, measure: 'scaled', cached: lookAt },
        {
          part: { kind: 'tool', name: 'web_search' },
          tokens: webSearch,
          measure: 'scaled',
          cached: 40 - instructions! - lookAt!,
        },
        { part: { kind: 'entry', index: 0 }, tokens: entry, measure: 'scaled', cached: 0 },
      ],
    });
  });

  it('has shares in whole numbers that sum to the total, one for each part', () => {
    fc.assert(
      fc.property(request, fc.option(usage, { nil: undefined }), (any, counted) => {
        const { total, shares } = requestShares(any, counted);
        expect(shares.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
        expect(shares.every(({ tokens }) => Number.isInteger(tokens) && tokens >= 0)).toBe(true);
        expect(shares).toHaveLength(1 + any.tools.length + any.input.length);
        expect(total).toBe(counted === undefined || counted.input === 0 ? requestTokens(any) : counted.input);
      }),
    );
  });

  it('never mixes measures, and no share is off its ratio by a token or more', () => {
    fc.assert(
      fc.property(request, usage, (any, counted) => {
        fc.pre(counted.input > 0);
        const [rough, fine] = [requestShares(any, undefined), requestShares(any, counted)];
        expect(new Set(fine.shares.map(({ measure }) => measure))).toEqual(new Set(['scaled']));
        fc.pre(rough.total > 0);
        for (const [index, { tokens }] of fine.shares.entries()) {
          const wanted = (rough.shares[index]!.tokens * counted.input) / rough.total;
          expect(Math.abs(tokens - wanted)).toBeLessThan(1);
        }
      }),
    );
  });

  it('has cached shares at its beginning only, which sum to what was cached', () => {
    fc.assert(
      fc.property(request, usage, (any, counted) => {
        const { shares } = requestShares(any, counted);
        const cached = shares.map((share) => share.cached ?? 0);
        const end = cached.findIndex((each, at) => each < shares[at]!.tokens);
        expect(cached.slice(end === -1 ? cached.length : end + 1).every((each) => each === 0)).toBe(true);
        const most = counted.input === 0 ? 0 : Math.min(counted.cachedInput, counted.input);
        expect(cached.reduce((sum, each) => sum + each, 0)).toBe(most);
      }),
    );
  });
});
