import { defined } from '../protocol/defined.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** Where logins are kept. */
export const credentialStores = ['file', 'keyring', 'auto', 'ephemeral'] as const;
export type CredentialStoreName = (typeof credentialStores)[number];

export const loginMethods = ['chatgpt', 'api'] as const;
export type LoginMethod = (typeof loginMethods)[number];

/** How users may sign in. What is absent is not limited. */
export interface LoginLimits {
  readonly methods?: readonly LoginMethod[];
  /** Accounts of ChatGPT. */
  readonly workspaces?: readonly string[];
}

/** What the user chose and what the administrator allows: both hold. */
export function loginLimits(
  chosen: { readonly forcedLoginMethod?: LoginMethod; readonly forcedChatgptWorkspaceId?: readonly string[] },
  required: { readonly loginMethods?: readonly LoginMethod[]; readonly loginWorkspaces?: readonly string[] },
): LoginLimits {
  const { forcedLoginMethod: method, forcedChatgptWorkspaceId: ids = [] } = chosen;
  const workspaces = ids.map((id) => id.trim()).filter((id) => id !== '');
  return defined({
    methods: both(method === undefined ? undefined : [method], required.loginMethods),
    workspaces: both(workspaces.length === 0 ? undefined : workspaces, required.loginWorkspaces),
  });
}

function both<Value>(one: readonly Value[] | undefined, other: readonly Value[] | undefined) {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value));
}

const names = { chatgpt: 'ChatGPT', api: 'an API key' };

/** Why a login is not allowed; undefined when it is. One whose account is not known belongs to no allowed workspace. */
export function limitOn(
  { method, accountId }: { readonly method: LoginMethod; readonly accountId: string | undefined },
  { methods, workspaces }: LoginLimits,
): Outcome<'login-not-allowed'> | undefined {
  const refused = (message: string, next: string) => ({ code: 'login-not-allowed', message, next }) as const;
  if (methods !== undefined && !methods.includes(method)) {
    const [allowed] = methods;
    const message = `A login with ${names[method]} is not allowed here, by forced_login_method or by the administrator.`;
    if (allowed === undefined)
      return refused(message, 'Ask the administrator of this machine: no way to sign in is left.');
    const command = allowed === 'api' ? 'capstan login --with-api-key' : 'capstan login';
    return refused(message, `Sign in with ${names[allowed]}: \`${command}\`.`);
  }
  if (method !== 'chatgpt' || workspaces === undefined) return undefined;
  if (accountId !== undefined && workspaces.includes(accountId)) return undefined;
  return refused(
    'The login belongs to a workspace that is not allowed here, by forced_chatgpt_workspace_id or by the administrator.',
    'Sign in again with `capstan login` and choose an allowed workspace.',
  );
}
