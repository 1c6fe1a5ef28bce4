import { defined } from '../../../../base/objects.ts';
import type { ChatgptLogin, LoginStore, NewTokens } from '../../../../ports/login.ts';
import { type JsonObject, objectAt, parseJsonObject, stringAt } from '../../../../protocol/json.ts';
import type { PostJson } from '../small-requests.ts';

export const loginIssuerUrl = 'https://auth.openai.com';
/** Public client id of the program that users sign in with. */
export const loginClientId = 'app_EMoamEEZ73f0CkXaXp7hrann';

export type Renewal =
  | { readonly kind: 'renewed'; readonly login: ChatgptLogin }
  /** `ended`: the user must sign in again. `failed`: a later attempt may work. `why` is the end of a sentence. */
  | { readonly kind: 'ended' | 'failed'; readonly why: string };

export interface RenewalParts {
  readonly store: LoginStore;
  readonly post: PostJson;
  readonly now: () => number;
  readonly url: string;
}

export const renewalUrl = `${loginIssuerUrl}/oauth/token`;

/** A refresh token works once. So one process at a time uses it, and first looks for tokens that another one stored. */
export async function renewLogin(old: ChatgptLogin, parts: RenewalParts, signal: AbortSignal): Promise<Renewal> {
  const { refreshToken } = old;
  if (refreshToken === undefined)
    return (await storedSince(old, parts.store)) ?? { kind: 'ended', why: 'it cannot be renewed' };
  try {
    return await parts.store.alone(async () => {
      const since = await storedSince(old, parts.store);
      if (since !== undefined) return since;
      const renewal = await exchange(old, refreshToken, parts, signal);
      // A program that does not take our lock may have renewed first.
      return renewal.kind === 'ended' ? ((await storedSince(old, parts.store)) ?? renewal) : renewal;
    }, signal);
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

async function storedSince({ accessToken }: ChatgptLogin, store: LoginStore): Promise<Renewal | undefined> {
  const login = await store.load();
  // Another process may be writing it.
  if (login.kind === 'unusable') return { kind: 'failed', why: 'what is stored cannot be read now' };
  if (login.kind !== 'chatgpt') return { kind: 'ended', why: 'the account has been signed out' };
  return login.accessToken === accessToken ? undefined : { kind: 'renewed', login };
}

async function exchange(
  old: ChatgptLogin,
  refreshToken: string,
  parts: RenewalParts,
  signal: AbortSignal,
): Promise<Renewal> {
  const reserved = await parts.store.reserve();
  let isKept = false;
  try {
    const question = { client_id: loginClientId, grant_type: 'refresh_token', refresh_token: refreshToken };
    const answer = await parts.post(parts.url, question, signal);
    if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
    const body = parseJsonObject(answer.text);
    if (answer.status < 200 || answer.status > 299) return refusal(answer.status, body);
    const tokens = body && issuedTokens(body);
    if (tokens === undefined) return { kind: 'failed', why: 'the answer contained no tokens' };
    // Do not undo a sign-in or sign-out that happened meanwhile, and do not mix tokens of two logins.
    const since = await storedSince(old, parts.store);
    if (since !== undefined) return since;
    await reserved.keep(tokens, parts.now());
    isKept = true;
  } finally {
    if (!isKept) reserved.discard();
  }
  return (await storedSince(old, parts.store)) ?? { kind: 'failed', why: 'the answer contained no new access token' };
}

/** Server text is not passed on: it may quote what was sent. */
function refusal(status: number, body: JsonObject | undefined): Renewal {
  const code = body && errorCode(body);
  const why = code === undefined ? undefined : ends[code];
  if (why !== undefined) return { kind: 'ended', why };
  if (status === 401) return { kind: 'ended', why: ends['invalid_grant']! };
  return { kind: 'failed', why: `the answer was HTTP ${status}` };
}

const ends: Readonly<Record<string, string>> = {
  refresh_token_expired: 'it was not used for too long',
  refresh_token_reused: 'another program renewed it and did not save the result here',
  refresh_token_invalidated: 'it was signed out',
  invalid_grant: 'it is no longer accepted',
};

/** The code is a member of the error object, or `error` itself. */
function errorCode(body: JsonObject): string | undefined {
  const error = objectAt(body, 'error');
  return error === undefined ? (stringAt(body, 'error') ?? stringAt(body, 'code')) : stringAt(error, 'code');
}

export function issuedTokens(body: JsonObject): NewTokens | undefined {
  const [accessToken, refreshToken, idToken] = ['access_token', 'refresh_token', 'id_token'].map((key) => {
    const text = stringAt(body, key)?.trim();
    return text === '' ? undefined : text;
  });
  if (accessToken === undefined && refreshToken === undefined) return undefined;
  return defined({ accessToken, refreshToken, idToken });
}
