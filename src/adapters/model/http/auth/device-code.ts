import type { NewTokens } from '../../../../ports/login.ts';
import type { Clock } from '../../../../ports/system.ts';
import { numberAt, parseJsonObject, stringAt } from '../../../../protocol/json.ts';
import type { SmallRequests } from '../small-requests.ts';
import type { UnfinishedSignIn } from './browser-sign-in.ts';
import { issuedTokens } from './renew-login.ts';

export interface DeviceCodeParts {
  readonly issuer: string;
  readonly clientId: string;
  readonly requests: Pick<SmallRequests, 'postJson' | 'postForm'>;
  readonly clock: Clock;
}

export interface DeviceCode {
  readonly kind: 'code';
  readonly page: string;
  readonly userCode: string;
  readonly deviceId: string;
  readonly intervalMs: number;
}

export type DeviceFailure = { readonly kind: 'not-offered' } | { readonly kind: 'failed'; readonly why: string };
const patienceMs = 15 * 60_000;
const shortestMs = 1000;
const longestMs = 60_000;

export async function requestDeviceCode(
  { issuer, clientId, requests }: DeviceCodeParts,
  signal: AbortSignal,
): Promise<DeviceCode | DeviceFailure> {
  const url = `${issuer}/api/accounts/deviceauth/usercode`;
  const answer = await requests.postJson(url, { client_id: clientId }, signal);
  if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
  if (answer.status === 404) return { kind: 'not-offered' };
  if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
  const body = parseJsonObject(answer.text);
  const deviceId = stringAt(body, 'device_auth_id');
  const userCode = stringAt(body, 'user_code') ?? stringAt(body, 'usercode');
  if (deviceId === undefined || userCode === undefined) return { kind: 'failed', why: 'the answer has no code' };
  // The user reads and types it: allow no other characters.
  if (!/^[\w-]{1,64}$/.test(userCode)) return { kind: 'failed', why: 'the answer has a code that cannot be typed' };
  const seconds = numberAt(body, 'interval') ?? Number(stringAt(body, 'interval') ?? 5);
  const wanted = Number.isFinite(seconds) ? seconds * 1000 : shortestMs;
  const intervalMs = Math.min(longestMs, Math.max(shortestMs, wanted));
  return { kind: 'code', page: `${issuer}/codex/device`, userCode, deviceId, intervalMs };
}

export async function awaitDeviceCode(
  { deviceId, userCode, intervalMs }: DeviceCode,
  parts: DeviceCodeParts,
  signal: AbortSignal,
): Promise<ExchangedCode | UnfinishedSignIn> {
  const { issuer, clientId, requests, clock } = parts;
  const asked = { device_auth_id: deviceId, user_code: userCode };
  for (const end = clock.now() + patienceMs; clock.now() < end; await clock.sleep(intervalMs, signal)) {
    if (signal.aborted) return { kind: 'ended', why: 'stopped' };
    const answer = await requests.postJson(`${issuer}/api/accounts/deviceauth/token`, asked, signal);
    if (signal.aborted) return { kind: 'ended', why: 'stopped' };
    // Tolerate lost connections during the minutes of polling.
    if (answer.kind === 'lost' || answer.status === 403 || answer.status === 404 || answer.status >= 500) continue;
    if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
    const body = parseJsonObject(answer.text);
    const [code, verifier] = [stringAt(body, 'authorization_code'), stringAt(body, 'code_verifier')];
    if (code === undefined || verifier === undefined) return { kind: 'failed', why: 'the answer has no code' };
    const redirectUri = `${issuer}/deviceauth/callback`;
    return exchangeCode(requests, { issuer, clientId, code, redirectUri, verifier }, signal);
  }
  return { kind: 'ended', why: signal.aborted ? 'stopped' : 'late' };
}

type CodeToExchange = Readonly<Record<'issuer' | 'clientId' | 'code' | 'redirectUri' | 'verifier', string>>;
export type ExchangedCode =
  | { readonly kind: 'tokens'; readonly tokens: Required<NewTokens> }
  /** `why` is the end of a sentence. Server text is not passed on: it may quote what was sent. */
  | { readonly kind: 'failed'; readonly why: string };

/** Exchanges a sign-in code for tokens. A code works once. */
export async function exchangeCode(
  { postForm }: Pick<SmallRequests, 'postForm'>,
  { issuer, clientId, code, redirectUri, verifier }: CodeToExchange,
  signal: AbortSignal,
): Promise<ExchangedCode> {
  const fields = { client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier };
  const form = { grant_type: 'authorization_code', ...fields };
  const answer = await postForm(`${issuer}/oauth/token`, form, signal);
  if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
  if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
  const { accessToken, refreshToken, idToken } = issuedTokens(parseJsonObject(answer.text) ?? {}) ?? {};
  if (accessToken === undefined || refreshToken === undefined || idToken === undefined)
    return { kind: 'failed', why: 'the answer did not contain all tokens' };
  return { kind: 'tokens', tokens: { accessToken, refreshToken, idToken } };
}
