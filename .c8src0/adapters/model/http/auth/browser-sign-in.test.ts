import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type CallbackOptions, openSignInCallback, type SignInCallback } from './browser-sign-in.ts';

const state = 'the-state';

async function opened(more: Partial<CallbackOptions> = {}): Promise<SignInCallback> {
  const { signal } = new AbortController();
  const callback = await openSignInCallback({ ports: [0], state, patienceMs: 60_000, signal, ...more });
  if (callback === undefined) throw new Error('no port');
  onTestFinished(() => callback.close());
  return callback;
}

async function visit(callback: SignInCallback, query: string, init?: RequestInit): Promise<number> {
  return (await fetch(`${callback.redirectUri}${query}`, init)).status;
}

/** True if the sign-in has ended. */
async function isOver({ back }: SignInCallback): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([back, new Promise((done) => void setImmediate(() => done(waiting)))])) !== waiting;
}

test('the right answer ends the sign-in, and every later one is refused', async () => {
  const callback = await opened();
  expect(new URL(callback.redirectUri)).toMatchObject({ hostname: '127.0.0.1', pathname: '/auth/callback' });
  expect(await visit(callback, `?code=the-code&state=${state}`)).toBe(200);
  expect(await callback.back).toEqual({ kind: 'code', code: 'the-code' });
  expect(await visit(callback, `?code=another&state=${state}`)).toBe(409);
  expect(await callback.back).toEqual({ kind: 'code', code: 'the-code' });
});

test('a refusal of the page ends it with one short word', async () => {
  for (const [given, why] of [
    ['access_denied', 'access_denied'],
    ['<script>', 'error'],
    ['x'.repeat(1000), 'error'],
  ] as const) {
    const callback = await opened();
    expect(await visit(callback, `?error=${encodeURIComponent(given)}&state=${state}`)).toBe(200);
    expect(await callback.back).toEqual({ kind: 'denied', why });
  }
});

test('what other pages send does not end it', async () => {
  const callback = await opened();
  const refused: readonly (readonly [string, number, RequestInit?])[] = [
    ['', 400],
    ['?code=c', 400],
    ['?code=c&state=wrong', 400],
    [`?code=c&state=wrong&state=${state}`, 400],
    [`?state=${state}`, 400],
    [`?code=&state=${state}`, 400],
    [`?code=a%20b&state=${state}`, 400],
    [`?code=${'c'.repeat(5000)}&state=${state}`, 400],
    ['?error=denied&state=wrong', 400],
    [`/other?code=c&state=${state}`, 404],
    [`?code=c&state=${state}`, 405, { method: 'POST', body: 'x'.repeat(100_000) }],
    [`?code=c&state=${state}`, 405, { method: 'HEAD' }],
  ];
  for (const [query, status, init] of refused)
    expect([query, await visit(callback, query, init)]).toEqual([query, status]);
  expect(await isOver(callback)).toBe(false);
});

/** Sends bytes as they are and gives what came back until the other side closes. */
function raw(callback: SignInCallback, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(callback.redirectUri).port), '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.on('data', (bytes) => (said += bytes.toString('latin1')));
    socket.on('error', () => resolve(said)).on('close', () => resolve(said));
  });
}

test('another name for this machine, and a head without end, are refused', async () => {
  const callback = await opened();
  const named = await raw(callback, `GET /auth/callback?code=c&state=${state} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
  expect(named).toMatch(/^HTTP\/1\.1 400 /);
  const huge = await raw(callback, `GET /auth/callback?code=${'c'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(huge).toMatch(/^HTTP\/1\.1 431 /);
  expect(await isOver(callback)).toBe(false);
});

test('a sender that takes its time does not hold up the user, nor the end', async () => {
  const callback = await opened();
  const slow = connect(Number(new URL(callback.redirectUri).port), '127.0.0.1');
  slow.on('error', () => {});
  await new Promise<void>((done) => void slow.once('connect', done));
  slow.write('GET /auth/callback?code=sl');
  expect(await visit(callback, `?code=mine&state=${state}`)).toBe(200);
  expect(await callback.back).toEqual({ kind: 'code', code: 'mine' });
  const closed = new Promise<void>((done) => void slow.once('close', done));
  await callback.close();
  await closed;
});

test('whatever is asked, only the exact state ends it', async () => {
  const callback = await opened();
  const word = fc.string({ maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('code', 'state', 'error', 'x'), word)), async (pairs) => {
      fc.pre(!pairs.some(([key, value]) => key === 'state' && value === state));
      expect(await visit(callback, `?${new URLSearchParams(pairs as [string, string][])}`)).toBe(400);
    }),
    { numRuns: 30 },
  );
  expect(await isOver(callback)).toBe(false);
});

test('the next port is taken where one is in use; without any there is no sign-in', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  onTestFinished(() => void other.close());
  const taken = (other.address() as AddressInfo).port;
  const callback = await opened({ ports: [taken, 0] });
  expect(Number(new URL(callback.redirectUri).port)).not.toBe(taken);
  const { signal } = new AbortController();
  expect(await openSignInCallback({ ports: [taken], state, patienceMs: 1000, signal })).toBeUndefined();
});

test('it ends when its time is over, and when it is stopped', async () => {
  expect(await (await opened({ patienceMs: 1 })).back).toEqual({ kind: 'ended', why: 'late' });
  const stop = new AbortController();
  const callback = await opened({ signal: stop.signal });
  stop.abort();
  expect(await callback.back).toEqual({ kind: 'ended', why: 'stopped' });
  await callback.close();
  await expect(visit(callback, '')).rejects.toThrow('fetch failed');
  expect(await (await opened({ signal: AbortSignal.abort() })).back).toEqual({ kind: 'ended', why: 'stopped' });
});
