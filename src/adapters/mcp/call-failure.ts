import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import type { McpElicitation } from '../../ports/mcp-servers.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import { arrayAt, isJsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { quoteShellCommand } from '../../protocol/shell.ts';
import { UnreachableServer } from './bounded-fetch.ts';
import { LoginProblem, registrationRefusedProblem } from './oauth-login.ts';

const mostCharacters = 2000;

/** True if the library or the transport reported the connection as closed. */
export function isLostConnection(error: unknown, isGone: boolean): boolean {
  const code = memberOf(error, 'code');
  if (code === 'REQUEST_TIMEOUT' || typeof code === 'number') return false;
  const isClosed = ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'].includes(String(code));
  return isGone || isClosed || memberOf(error, 'status') === 404;
}

/** Explains to the model why a call failed. */
export function explainCallFailure(error: unknown, config: McpServerConfig, shown: (text: string) => string): string {
  const code = memberOf(error, 'code');
  if (code === 'REQUEST_TIMEOUT')
    return `the server did not answer within ${config.toolTimeoutMs / 1000} s. What the call did is unknown.`;
  if (isUnauthorized(error)) return `${loginRequiredMessage(config)}.`;
  const login = findLoginProblem(error);
  if (login !== undefined) return `${shown(login.message)}. Tell the user: ${login.next}`;
  const unreached = findUnreachableServer(error);
  if (unreached !== undefined) return `${shown(unreached.message)}. ${unreached.next}`;
  const wrong = describeSchemaFault(messageOfThrown(error));
  if (wrong !== undefined) return `the server answered in a wrong form (${shown(wrong)}).`;
  const words = JSON.stringify(shown(messageOfThrown(error)).slice(0, mostCharacters));
  return `the server answered with an error${typeof code === 'number' ? ` ${code}` : ''}: ${words}`;
}

/** The first fault of a malformed answer. The library's message ends with a JSON list of all faults. */
export function describeSchemaFault(words: string): string | undefined {
  const found = /^(?:Invalid result for [^\n]{1,100}: )?(\[\s*\{[\s\S]*\])\s*$/.exec(words)?.[1];
  const [fault] = arrayAt(parseJsonObject(`{"faults":${found ?? '[]'}}`), 'faults') ?? [];
  if (!isJsonObject(fault)) return undefined;
  const at = (arrayAt(fault, 'path') ?? []).join('.');
  const message = (stringAt(fault, 'message') ?? 'not valid').replace(/[.\s]+$/, '');
  return `${at === '' ? '' : `${at}: `}${message}`.slice(0, 300);
}

/** Error code of a call that is refused until the user has visited a page. */
const pageWanted = -32_042;
const mostPages = 3;

export function requestedElicitations(error: unknown, server: string): readonly McpElicitation[] {
  const data = memberOf(error, 'data');
  if (memberOf(error, 'code') !== pageWanted || !isJsonObject(data)) return [];
  return (arrayAt(data, 'elicitations') ?? []).slice(0, mostPages).flatMap((asked) => {
    const [given, message] = isJsonObject(asked) ? [stringAt(asked, 'url'), stringAt(asked, 'message')] : [];
    const url = given === undefined ? undefined : toShownWebAddress(given);
    return url === undefined ? [] : [{ server, url, message: message ?? '' }];
  });
}

/** With a configured token there is no login in the browser. */
export function configuredToken(transport: McpServerConfig['transport']): string | undefined {
  if (transport.kind === 'program') return undefined;
  const { bearerTokenVariable, headers, headerVariables } = transport;
  if (bearerTokenVariable !== undefined) return `the variable ${bearerTokenVariable}`;
  const header = Object.keys({ ...headers, ...headerVariables }).find((name) => /^authorization$/i.test(name));
  if (header === undefined) return undefined;
  const variable = headerVariables[header];
  return variable === undefined ? `the header ${header}` : `the variable ${variable}`;
}

export function loginRequiredMessage(config: McpServerConfig): string {
  const token = configuredToken(config.transport);
  return token === undefined
    ? `the server wants a login. Tell the user to run: capstan mcp login ${quoteShellCommand([config.name])}`
    : `the server rejected the token in ${token}. Tell the user to correct it`;
}

export function findLoginProblem(error: unknown): LoginProblem | undefined {
  return findCause(error, (each) => {
    if (each instanceof LoginProblem) return each;
    // Only the library's registration error has this.
    return 'submittedMetadata' in each ? registrationRefusedProblem(each) : undefined;
  });
}

export const findUnreachableServer = (error: unknown): UnreachableServer | undefined =>
  findCause(error, (each) => (each instanceof UnreachableServer ? each : undefined));

function findCause<Found>(error: unknown, find: (each: Error) => Found | undefined): Found | undefined {
  let each = error;
  for (let depth = 0; depth < 5 && each instanceof Error; depth++) {
    const found = find(each);
    if (found !== undefined) return found;
    each = each.cause;
  }
  return undefined;
}

/** The server wants a login, or one with more rights. */
export function isUnauthorized(error: unknown): boolean {
  if (findLoginProblem(error) !== undefined) return false;
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const isNamed = [each.name, each.constructor.name].includes('UnauthorizedError');
    if (memberOf(each, 'status') === 401 || isNamed) return true;
  }
  return false;
}

const memberOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;

/** A web address as a browser shows it. Undefined for other schemes, and with a user name, which hides the host. */
export function toShownWebAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}
