import { defined } from '../../protocol/defined.ts';
import type { Credentials } from '../http/credentials.ts';
import { bearerHeader } from '../http/request-headers.ts';

/** Says who sends a request. A login with ChatGPT names its account as well. */
export function identify(credentials: Credentials): Readonly<Record<string, string>> {
  const account = credentials.kind === 'bearer' && credentials.mode === 'chatgpt' ? credentials.accountId : undefined;
  return { ...bearerHeader(credentials), ...defined({ 'chatgpt-account-id': account }) };
}
