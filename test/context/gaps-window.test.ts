import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TurnFacts } from '../../src/core/envelope/facts.ts';
import type { TurnIdentity } from '../../src/core/envelope/identity.ts';
import type { Settings } from '../../src/core/envelope/settings.ts';
import { resolveContextWindow, type ContextWindow } from '../../src/core/envelope/window.ts';

function windowOf(contextWindow: number, effectivePercent: number, window: Settings['window'] = {}): ContextWindow {
  const model = { contextWindow, effectivePercent, truncation: { mode: 'tokens', limit: 10_000 } };
  return resolveContextWindow({ thread: {} } as TurnFacts, { window } as Settings, {
    identity: { model } as TurnIdentity,
  });
}

/** Without what was chosen to get them. */
function budgetsOf({ shares: _shares, ...budgets }: ContextWindow): Omit<ContextWindow, 'shares'> {
  return budgets;
}

it('every budget comes from the effective window: models that differ only in how they get it have the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 20 }), (size, times) => {
      const half = budgetsOf(windowOf(size * times * 2, 50));
      expect(budgetsOf(windowOf(size * times, 100))).toEqual(half);
      expect(budgetsOf(windowOf(999_999_999, 100, { effectiveTokens: size * times }))).toEqual(half);
    }),
  );
});

it('no budget is larger than the window, and compaction begins while there is space for it', () => {
  const settings = fc.record(
    { contextWindow: fc.nat(400_000), autoCompactTokens: fc.nat(400_000), toolOutputTokens: fc.nat(400_000) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 400_000 }),
      fc.integer({ min: 50, max: 100 }),
      settings,
      (size, share, chosen) => {
        const { effective, autoCompact, compactionReserve, skills, memory, baseline, toolOutput } = windowOf(
          size,
          share,
          chosen,
        );
        const most = Math.max(1, effective);
        for (const budget of [autoCompact, compactionReserve, skills, memory, baseline, toolOutput.limit]) {
          expect(budget).toBeGreaterThanOrEqual(0);
          expect(budget).toBeLessThanOrEqual(most);
        }
        expect(effective).toBeLessThanOrEqual(size);
        expect(autoCompact + compactionReserve).toBeLessThanOrEqual(effective);
      },
    ),
  );
});
