import { expect, test } from 'vitest';
import { resolveConfig } from '../../../core/config/config.ts';
import { type ProviderConfig, resolveProvider } from '../../../core/config/providers/provider-config.ts';
import { openAnswer } from './open-answer.ts';

/** The number of times that a request is sent to a host that no network leads to, where each try takes so long. */
async function triesOf(tryMs: number, more: Readonly<Record<string, number>> = {}): Promise<number> {
  const values = { model_providers: { p: { base_url: 'https://host.invalid/v1', ...more } } };
  const { config } = resolveConfig([{ name: 'user', source: 'test', values }]);
  let now = 1_000_000;
  let tries = 0;
  const opening = {
    provider: resolveProvider(config, 'p') as ProviderConfig,
    origin: 'https://host.invalid',
    api: 'responses',
    clock: { now: () => now, sleep: async (ms: number) => void (now += ms) },
    random: () => 0.5,
    async send() {
      tries += 1;
      now += tryMs;
      return { kind: 'lost', code: 'EHOSTUNREACH', stale: false } as const;
    },
  };
  const { signal } = new AbortController();
  const asking = { headers: {}, body: [], idleMs: 1000, signal, wants: 'events', keyAdvice: '' } as const;
  const opened = await openAnswer(opening, { ...asking, onRetry: () => {} });
  expect(opened).toMatchObject({ kind: 'failed', failure: { code: 'connection-failed', retry: 'never' } });
  return tries;
}

test('a connection that cannot be made is tried three times, but not after ten seconds', async () => {
  expect(await triesOf(100)).toBe(3);
  expect(await triesOf(6000)).toBe(2);
  expect(await triesOf(11_000)).toBe(1);
});

test('ten seconds end nothing where the configuration says how often to try', async () => {
  expect(await triesOf(11_000, { request_max_retries: 4 })).toBe(5);
});
