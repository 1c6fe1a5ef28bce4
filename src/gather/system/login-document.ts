import type { Login, NewTokens } from '../../ports/login.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';

// What `auth.json` holds, and what a keyring holds in its place. Codex reads and writes the same.

/** A document for a login has at least one of these. */
export const loginKeys: readonly string[] = ['auth_mode', 'OPENAI_API_KEY', 'tokens', 'personal_access_token'];

/** The login that the document describes. Where it does not say which of the two counts, a key goes before tokens. */
export function readLogin(stored: JsonObject, renew: string): Login {
  const mode = stringAt(stored, 'auth_mode')?.toLowerCase() ?? '';
  const key = textAt(stored, 'OPENAI_API_KEY');
  const tokens = objectAt(stored, 'tokens') ?? {};
  const accessToken = textAt(tokens, 'access_token');
  if (key !== undefined && !(mode.startsWith('chatgpt') && accessToken !== undefined)) {
    return { kind: 'api-key', key, renew };
  }
  if (accessToken === undefined || mode === 'apikey') {
    const token = textAt(stored, 'personal_access_token');
    return token === undefined ? { kind: 'none' } : { kind: 'access-token', token, renew };
  }
  const account = accountIn(textAt(tokens, 'id_token') ?? '');
  const accountId = textAt(tokens, 'account_id') ?? account.accountId;
  const refreshToken = textAt(tokens, 'refresh_token');
  const refreshed = Date.parse(stringAt(stored, 'last_refresh') ?? '');
  const renewedAt = Number.isNaN(refreshed) ? undefined : refreshed;
  const expiresAt = expiryOf(accessToken);
  return {
    kind: 'chatgpt',
    accessToken,
    ...account,
    ...defined({ accountId, refreshToken, expiresAt, renewedAt }),
    renew,
  };
}

/** A login with a key, as a document. */
export function keyDocument(key: string): JsonObject {
  return { auth_mode: 'apikey', OPENAI_API_KEY: key };
}

/** A login with a token that its user made. */
export function accessTokenDocument(token: string): JsonObject {
  return { OPENAI_API_KEY: null, personal_access_token: token };
}

/** A login with an account. */
export function accountDocument(tokens: Required<NewTokens>, at: number): JsonObject {
  const { accountId } = accountIn(tokens.idToken);
  const stored = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens: defined({ account_id: accountId }) };
  return withTokens(stored, tokens, at);
}

/** The document with new tokens. */
export function withTokens(
  stored: JsonObject,
  { accessToken, refreshToken, idToken }: NewTokens,
  at: number,
): JsonObject {
  return {
    ...stored,
    tokens: {
      ...objectAt(stored, 'tokens'),
      ...defined({ id_token: idToken, access_token: accessToken, refresh_token: refreshToken }),
    },
    last_refresh: new Date(at).toISOString(),
  };
}

/** Whose account an identity token is about, as far as it says. */
export function accountIn(idToken: string): {
  readonly accountId?: string;
  readonly email?: string;
  readonly plan?: string;
  readonly isFedramp?: true;
} {
  const claims = claimsOf(idToken) ?? {};
  const auth = objectAt(claims, 'https://api.openai.com/auth') ?? {};
  const profile = objectAt(claims, 'https://api.openai.com/profile') ?? {};
  return defined({
    accountId: textAt(auth, 'chatgpt_account_id'),
    email: textAt(claims, 'email') ?? textAt(profile, 'email'),
    plan: textAt(auth, 'chatgpt_plan_type'),
    isFedramp: auth['chatgpt_account_is_fedramp'] === true ? (true as const) : undefined,
  });
}

function textAt(holder: JsonObject, key: string): string | undefined {
  const text = stringAt(holder, key)?.trim();
  return text === '' ? undefined : text;
}

/** The time in a token, if it has one. */
function expiryOf(token: string): number | undefined {
  const claims = claimsOf(token);
  const seconds = claims && numberAt(claims, 'exp');
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The middle part of a JSON web token, if it is one. Who signed it does not matter: it came from its issuer. */
function claimsOf(token: string): JsonObject | undefined {
  return parseJsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}
