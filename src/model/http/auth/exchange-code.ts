import type { NewTokens } from '../../../ports/login.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import { issuedTokens } from './renew-login.ts';
import type { SmallRequests } from './small-requests.ts';

export interface CodeToExchange {
  readonly issuer: string;
  readonly clientId: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

export type ExchangedCode =
  | { readonly kind: 'tokens'; readonly tokens: Required<NewTokens> }
  /** `why` is the end of a sentence. Words of the server are not passed on: they may quote what was sent. */
  | { readonly kind: 'failed'; readonly why: string };

/** Exchanges a code that a sign-in brought for tokens. A code works once. */
export async function exchangeCode(
  { postForm }: Pick<SmallRequests, 'postForm'>,
  { issuer, clientId, code, redirectUri, verifier }: CodeToExchange,
  signal: AbortSignal,
): Promise<ExchangedCode> {
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const answer = await postForm(`${issuer}/oauth/token`, fields, signal);
  if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
  if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
  const { accessToken, refreshToken, idToken } = issuedTokens(parseJsonObject(answer.text) ?? {}) ?? {};
  if (accessToken === undefined || refreshToken === undefined || idToken === undefined) {
    return { kind: 'failed', why: 'the answer did not contain all tokens' };
  }
  return { kind: 'tokens', tokens: { accessToken, refreshToken, idToken } };
}
