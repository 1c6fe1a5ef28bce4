import type { AccessTokenLogin } from '../../../ports/login.ts';
import { defined } from '../../../protocol/defined.ts';
import { parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Variables } from '../../../protocol/variables.ts';
import type { Credentials, CredentialsWanted } from '../credentials.ts';
import { issuer } from './issuer.ts';
import type { SmallRequests } from './small-requests.ts';

export interface AccountSources {
  readonly requests: Pick<SmallRequests, 'get'>;
  readonly environment: Variables;
}

/** Whose account a token is for. `ended`: the issuer does not accept it. `why` is the end of a sentence. */
export type TokenAccount =
  | { readonly kind: 'account'; readonly accountId?: string; readonly isFedramp?: true; readonly email?: string }
  | { readonly kind: 'ended' | 'failed'; readonly why: string };

/** Asks the issuer. */
export async function accountOfToken(
  token: string,
  { requests, environment }: AccountSources,
  signal: AbortSignal,
): Promise<TokenAccount> {
  const base = environment['CODEX_AUTHAPI_BASE_URL']?.trim() ?? '';
  const url = `${(base === '' ? `${issuer}/api/accounts` : base).replace(/\/+$/, '')}/v1/user-auth-credential/whoami`;
  const answer = await requests.get(url, { authorization: `Bearer ${token}` }, signal);
  if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
  // Words of the server are not passed on: they may quote what was sent.
  if (answer.status === 401 || answer.status === 403) return { kind: 'ended', why: 'it is not accepted' };
  if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
  const body = parseJsonObject(answer.text);
  if (body === undefined) return { kind: 'failed', why: 'the answer is not a JSON object' };
  return {
    kind: 'account',
    ...defined({
      accountId: stringAt(body, 'chatgpt_account_id'),
      isFedramp: body['chatgpt_account_is_fedramp'] === true ? (true as const) : undefined,
      email: stringAt(body, 'email'),
    }),
  };
}

/** Credentials by a token that its user made. The issuer is asked once for its account. */
export function accessTokenCredentials(sources: AccountSources) {
  let known: { readonly token: string; readonly account: TokenAccount } | undefined;
  return async (
    { token, renew }: AccessTokenLogin,
    baseUrl: string | undefined,
    { signal, asIs }: CredentialsWanted,
  ): Promise<Credentials> => {
    const bearer = { kind: 'bearer', mode: 'chatgpt', token, ...defined({ baseUrl }), renew } as const;
    if (asIs === true) return bearer;
    const account = known?.token === token ? known.account : await accountOfToken(token, sources, signal);
    if (account.kind === 'account') {
      known = { token, account };
      const { accountId, isFedramp } = account;
      return { ...bearer, ...defined({ accountId, isFedramp }) };
    }
    const message = `The account of the access token could not be found: ${account.why}.`;
    if (account.kind === 'ended') return { kind: 'missing', message, next: renew };
    return { kind: 'missing', message, next: `Try again. If that does not help: ${renew}`, passing: true };
  };
}
