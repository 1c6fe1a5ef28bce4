import { expect, test } from 'vitest';
import { awaitDeviceCode, type DeviceCodeParts, requestDeviceCode } from './device-code.ts';
import type { SmallAnswer } from '../small-requests.ts';

const { signal } = new AbortController();
const json = (status: number, body: object): SmallAnswer => ({ kind: 'answer', status, text: JSON.stringify(body) });
const code = { kind: 'code', page: 'p', userCode: 'u', deviceId: 'd', intervalMs: 5000 } as const;

/** An issuer that answers polls in this order, the last answer for ever, on a clock on which waiting takes no time. */
function parts(...answers: readonly SmallAnswer[]): DeviceCodeParts & { readonly slept: number[]; polls: number } {
  const slept: number[] = [];
  let now = 0;
  const self = {
    issuer: 'http://issuer',
    clientId: 'app',
    slept,
    polls: 0,
    clock: {
      now: () => now,
      sleep: (ms: number) => {
        slept.push(ms);
        now += ms;
        return Promise.resolve();
      },
    },
    requests: {
      postJson: () => Promise.resolve(answers[Math.min(self.polls++, answers.length - 1)]!),
      postForm: () => Promise.resolve(json(200, { access_token: 'a', refresh_token: 'r', id_token: 'i' })),
    },
  };
  return self;
}

const typed = json(200, { authorization_code: 'c', code_verifier: 'v' });
const tokens = { kind: 'tokens', tokens: { accessToken: 'a', refreshToken: 'r', idToken: 'i' } };

test('the issuer is asked again while the user has not typed the code, or cannot be reached', async () => {
  const waiting = parts(json(403, {}), json(404, {}), { kind: 'lost', why: 'x' }, json(503, {}), typed);
  expect(await awaitDeviceCode(code, waiting, signal)).toEqual(tokens);
  expect([waiting.polls, waiting.slept]).toEqual([5, [5000, 5000, 5000, 5000]]);
});

test('after a quarter of an hour the code has expired', async () => {
  const waiting = parts(json(403, {}));
  expect(await awaitDeviceCode(code, waiting, signal)).toEqual({ kind: 'ended', why: 'late' });
  expect(waiting.polls).toBe((15 * 60) / 5);
});

test('it can be stopped', async () => {
  const stop = new AbortController();
  const waiting = parts(json(403, {}));
  const stopped = awaitDeviceCode(
    code,
    { ...waiting, clock: { ...waiting.clock, sleep: async () => stop.abort() } },
    stop.signal,
  );
  expect(await stopped).toEqual({ kind: 'ended', why: 'stopped' });
  expect(waiting.polls).toBe(1);
});

test.each([
  [undefined, 5000],
  ['7', 7000],
  [7, 7000],
  ['0', 1000],
  [-3, 1000],
  ['soon', 1000],
  [1e9, 60_000],
])('an interval of %j is %i ms', async (interval, intervalMs) => {
  const given = parts(json(200, { device_auth_id: 'd', user_code: 'AB-CD', interval }));
  expect(await requestDeviceCode(given, signal)).toEqual({
    kind: 'code',
    page: 'http://issuer/codex/device',
    userCode: 'AB-CD',
    deviceId: 'd',
    intervalMs,
  });
});
