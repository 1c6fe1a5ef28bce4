import { expect, test } from 'vitest';
import type { TurnFacts } from './facts.ts';
import type { TurnIdentity } from './identity.ts';
import type { Settings, WindowSettings } from './settings.ts';
import { resolveContextWindow } from './window.ts';

const bare = { thread: {} } as TurnFacts;

function shares(window: WindowSettings): readonly [autoCompact: number, reserve: number] {
  const model = { contextWindow: 1000, effectivePercent: 100, truncation: { mode: 'tokens', limit: 1 } };
  const resolved = resolveContextWindow(bare, { window } as Settings, { identity: { model } as TurnIdentity });
  return [resolved.autoCompact, resolved.compactionReserve];
}

test('where one share is chosen, the other makes way for it and no more', () => {
  expect(shares({})).toEqual([900, 100]);
  expect(shares({ autoCompactPercent: 95 })).toEqual([950, 50]);
  expect(shares({ autoCompactPercent: 50 })).toEqual([500, 100]);
  expect(shares({ reservePercent: 30 })).toEqual([700, 300]);
  expect(shares({ reservePercent: 5 })).toEqual([900, 50]);
  expect(shares({ autoCompactPercent: 60, reservePercent: 20 })).toEqual([600, 200]);
});
