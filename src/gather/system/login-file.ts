import { join } from 'node:path';
import type { Login } from '../../ports/login.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

export const loginPath = (home: string): string => join(home, 'auth.json');

/** The login in the `auth.json` of a home, which Codex writes. Nothing of its content is quoted in a message. */
export function loadLogin(home: string): Login {
  const path = loginPath(home);
  const renew = `Sign in again: CODEX_HOME=${home} codex login`;
  const file = readBounded(path, { maxBytes: readLimits.loginBytes });
  if (file.kind === 'missing') return { kind: 'none' };
  if (file.kind === 'unread') {
    return { kind: 'unusable', message: `The login in ${path} cannot be read: ${file.reason}.`, next: renew };
  }
  const stored = parseJsonObject(file.bytes.toString('utf8'));
  if (stored === undefined) {
    return { kind: 'unusable', message: `The login in ${path} is not a JSON object.`, next: renew };
  }
  return readLogin(stored, renew);
}

/** Where the file does not say which of the two counts, a key goes before tokens. */
function readLogin(stored: JsonObject, renew: string): Login {
  const mode = stringAt(stored, 'auth_mode')?.toLowerCase() ?? '';
  const key = textAt(stored, 'OPENAI_API_KEY');
  const tokens = objectAt(stored, 'tokens') ?? {};
  const accessToken = textAt(tokens, 'access_token');
  if (key !== undefined && !(mode.startsWith('chatgpt') && accessToken !== undefined)) {
    return { kind: 'api-key', key, renew };
  }
  if (accessToken === undefined || mode === 'apikey') return { kind: 'none' };
  const accountId = textAt(tokens, 'account_id');
  const refreshToken = textAt(tokens, 'refresh_token');
  const expiresAt = expiryOf(accessToken);
  const renewedAt = Date.parse(stringAt(stored, 'last_refresh') ?? '');
  return {
    kind: 'chatgpt',
    accessToken,
    ...defined({ accountId, refreshToken, expiresAt }),
    ...(Number.isNaN(renewedAt) ? {} : { renewedAt }),
    renew,
  };
}

function textAt(holder: JsonObject, key: string): string | undefined {
  const text = stringAt(holder, key)?.trim();
  return text === '' ? undefined : text;
}

/** The time in the middle part of a JSON web token, if it is one. */
function expiryOf(token: string): number | undefined {
  const claims = parseJsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const seconds = claims && numberAt(claims, 'exp');
  return seconds === undefined ? undefined : seconds * 1000;
}
