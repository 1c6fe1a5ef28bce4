import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { resolveConfig } from './config.ts';
import type { ConfigLayer } from './layer-order.ts';

function problems(user: JsonObject, project: JsonObject = {}) {
  const layers: readonly ConfigLayer[] = [
    { name: 'user', source: '/home/config.toml', values: { window: user } },
    { name: 'project', source: '/repo/.codex/config.toml', values: { window: project } },
  ];
  return resolveConfig(layers).problems.map(({ severity, source, message }) => [severity, source, message]);
}

test('tokens win over a share, and the overridden key is reported', () => {
  expect(problems({ effective_tokens: 5000 }, { effective_percent: 50 })).toEqual([
    [
      'warning',
      '/repo/.codex/config.toml',
      '/repo/.codex/config.toml: window.effective_percent and window.effective_tokens of /home/config.toml are both set: Capstan uses the number of tokens and ignores the share.',
    ],
  ]);
  expect(problems({ effective_percent: 50, effective_tokens: 5000 })).toMatchObject([
    ['warning', '/home/config.toml', expect.any(String)],
  ]);
});

test('a thread must be compacted while there is space for it', () => {
  expect(problems({ auto_compact_percent: 95 }, { reserve_percent: 6 })).toEqual([
    [
      'error',
      '/repo/.codex/config.toml',
      '/repo/.codex/config.toml: window.reserve_percent (6) and window.auto_compact_percent of /home/config.toml (95) add up to more than 100.',
    ],
  ]);
  expect(problems({ auto_compact_percent: 95, reserve_percent: 5 })).toEqual([]);
  expect(problems({ auto_compact_percent: 95 })).toEqual([]);
  // The higher layer took the contradiction away.
  expect(problems({ auto_compact_percent: 95, reserve_percent: 50 }, { reserve_percent: 5 })).toEqual([]);
});
