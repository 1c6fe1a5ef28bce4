import type { McpServerConfig } from '../config/mcp-servers.ts';
import type { McpAnswer, McpElicitation } from '../ports/mcp-servers.ts';
import { errorWords } from '../protocol/error-words.ts';
import { arrayAt, isJsonObject, stringAt } from '../protocol/json.ts';
import { UnreachableServer } from './bounded-fetch.ts';
import { elicitedPage } from './elicited-page.ts';

const mostCharacters = 2000;

/** Whether the connection is gone, by the library's own word for it or because it said so meanwhile. */
export function isLostConnection(error: unknown, isGone: boolean): boolean {
  const code = codeOf(error);
  if (code === 'REQUEST_TIMEOUT' || typeof code === 'number') return false;
  return (
    isGone ||
    code === 'CONNECTION_CLOSED' ||
    code === 'NOT_CONNECTED' ||
    code === 'SEND_FAILED' ||
    statusOf(error) === 404
  );
}

/** What the model reads of a call that did not work. */
export function failureOf(
  error: unknown,
  { name, toolTimeoutMs }: McpServerConfig,
  shown: (text: string) => string,
): McpAnswer {
  const code = codeOf(error);
  if (code === 'REQUEST_TIMEOUT') {
    return {
      kind: 'failed',
      why: `the server did not answer within ${toolTimeoutMs / 1000} s. What the call did is unknown.`,
    };
  }
  if (isUnauthorized(error)) {
    return { kind: 'failed', why: `${loginWanted(name)}.` };
  }
  const unreached = findUnreachableServer(error);
  if (unreached !== undefined) return { kind: 'failed', why: `${shown(unreached.message)}.` };
  const words = JSON.stringify(shown(errorWords(error)).slice(0, mostCharacters));
  return {
    kind: 'failed',
    why: `the server answered with an error${typeof code === 'number' ? ` ${code}` : ''}: ${words}`,
  };
}

/** The code of a call that is refused until the user has visited a page. */
const pageWanted = -32_042;
const mostPages = 3;

/** Pages that the user must visit before a call is answered. */
export function wantedPages(error: unknown, server: string): readonly McpElicitation[] {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  if (codeOf(error) !== pageWanted || !isJsonObject(data)) return [];
  return (arrayAt(data, 'elicitations') ?? []).slice(0, mostPages).flatMap((asked) => {
    const [given, message] = isJsonObject(asked) ? [stringAt(asked, 'url'), stringAt(asked, 'message')] : [];
    const url = given === undefined ? undefined : elicitedPage(given);
    return url === undefined ? [] : [{ server, url, message: message ?? '' }];
  });
}

export function loginWanted(name: string): string {
  return `the server wants a login. Tell the user to run: capstan mcp login ${name}`;
}

/** The error of a server that did not answer, wherever the library has put it. */
export function findUnreachableServer(error: unknown): UnreachableServer | undefined {
  let each = error;
  for (let depth = 0; depth < 5 && each instanceof Error; depth++) {
    if (each instanceof UnreachableServer) return each;
    each = each.cause;
  }
  return undefined;
}

/** The server wants a login, or one that may do more. */
export function isUnauthorized(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (statusOf(each) === 401 || each.name === 'UnauthorizedError' || each.constructor.name === 'UnauthorizedError')
      return true;
  }
  return false;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
}
