import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentRemaining } from '../../../core/history/window-usage.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { readUsage, usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { usageFromWire } from './decode.ts';

/** Everything that servers have been seen to report, and worse. */
const count = fc.oneof(
  { weight: 4, arbitrary: fc.nat(400_000) },
  { weight: 2, arbitrary: fc.constant(0) },
  fc.constantFrom<unknown>(
    -1,
    -5000,
    Number.NaN,
    Infinity,
    1e300,
    2 ** 53,
    1e9 + 1,
    '500',
    '',
    null,
    true,
    {},
    [7],
    0.4,
    12.6,
  ),
);
const wire = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_tokens_details: fc.oneof(
      fc.record({ cached_tokens: count, cache_write_tokens: count }, { requiredKeys: [] }),
      fc.constantFrom(null, 5, 'x'),
    ),
    output_tokens_details: fc.oneof(
      fc.record({ reasoning_tokens: count }, { requiredKeys: [] }),
      fc.constantFrom(null, [], 'x'),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

/** An auditor's own reading of a raw count: a whole number of tokens, or nothing. */
function audited(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || value > 1e9) return 0;
  return Math.round(value);
}

function member(source: unknown, key: string): unknown {
  return source !== null && typeof source === 'object' && !Array.isArray(source)
    ? (source as Record<string, unknown>)[key]
    : undefined;
}

describe('usage, whatever the server says', () => {
  it('is what an auditor makes of the raw counts, or nothing', () => {
    fc.assert(
      fc.property(wire, (raw) => {
        const counted = audited(raw['output_tokens']);
        const said = audited(raw['input_tokens']);
        const none = raw['input_tokens'] ?? 0;
        const isLeftOut = typeof none === 'number' && Math.round(none) === 0;
        const input = isLeftOut ? Math.max(0, audited(raw['total_tokens']) - counted) : said;
        const hasOutput = raw['output_tokens'] !== undefined && raw['output_tokens'] !== null;
        const output = hasOutput ? counted : Math.max(0, audited(raw['total_tokens']) - input);
        const cached = audited(member(raw['input_tokens_details'], 'cached_tokens'));
        const written = audited(member(raw['input_tokens_details'], 'cache_write_tokens'));
        const reasoning = audited(member(raw['output_tokens_details'], 'reasoning_tokens'));
        const makesSense = !hasOutput || (Number(raw['output_tokens']) >= 0 && Number(raw['output_tokens']) <= 1e9);
        const known = input > 0 && makesSense && (!hasOutput || typeof raw['output_tokens'] === 'number');
        expect(usageFromWire(raw)).toEqual(
          known
            ? {
                input,
                cachedInput: cached > input ? input : cached,
                cacheWriteInput: written > input ? input : written,
                output,
                reasoningOutput: reasoning > output ? output : reasoning,
                total: input + output,
              }
            : undefined,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['4', -5, {}, 1e300])('takes no input from a total beside an input of %j', (input_tokens) => {
    expect(usageFromWire({ input_tokens, output_tokens: 0, total_tokens: 3 })).toBeUndefined();
    expect(usageFromWire({ input_tokens, output_tokens: 2, total_tokens: 5 })).toBeUndefined();
  });

  it('never says that a window is free which holds something', () => {
    fc.assert(
      fc.property(wire, fc.integer({ min: 1000, max: 300_000 }), (raw, effective) => {
        const usage = usageFromWire(raw);
        if (usage === undefined) return;
        const left = percentRemaining({ effective, baseline: 0, tokens: usage.total });
        const [input, output] = [audited(raw['input_tokens']), audited(raw['output_tokens'])];
        expect(left).toBeLessThanOrEqual(Math.round(100 - (100 * Math.min(effective, input + output)) / effective));
      }),
      { numRuns: 500 },
    );
  });

  it('is read back from a file as it was', () => {
    fc.assert(
      fc.property(wire, (raw) => {
        const usage = usageFromWire(raw) ?? noUsage;
        expect(readUsage(usageFields(usage))).toEqual(usage);
      }),
    );
  });
});

it('what another program left in a file is mended in the same way', () => {
  const odd = {
    input_tokens: 900,
    cached_input_tokens: 1000,
    output_tokens: 10,
    reasoning_output_tokens: -1,
    total_tokens: 0,
  };
  expect(readUsage(odd)).toEqual({
    input: 900,
    cachedInput: 900,
    cacheWriteInput: 0,
    output: 10,
    reasoningOutput: 0,
    total: 910,
  });
  expect(readUsage({ total_tokens: 5000 })).toMatchObject({ input: 0, total: 5000 });
});
