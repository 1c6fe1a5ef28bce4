import type { ModelFailure } from '../../ports/model-client.ts';
import { abortedFailure, connectionFailure, idleFailure } from './connection-failure.ts';
import type { Opened } from './network/exchange.ts';
import { modelFailure } from './failure.ts';
import type { Proxy } from './network/proxy.ts';

export interface Unanswered {
  /** Where the request should have gone, as it may be shown. */
  readonly origin: string;
  readonly idleMs: number;
}

/** What to say of a request to which no server gave an answer. */
export function noAnswerFailure(
  opened: Exclude<Opened, { kind: 'answer' }>,
  { origin, idleMs }: Unanswered,
): ModelFailure {
  switch (opened.kind) {
    case 'aborted':
      return abortedFailure();
    case 'idle':
      return opened.proxy === undefined ? idleFailure(idleMs) : silentProxy(opened.proxy, idleMs);
    case 'lost': {
      const { proxy } = opened;
      const server = { shown: origin, setting: 'the base URL of the provider' };
      return connectionFailure(
        proxy === undefined ? server : { shown: named(proxy), setting: proxy.variable },
        opened.code,
      );
    }
    case 'refused':
      return opened.status === 407 ? unknownToProxy(opened.proxy) : refusedByProxy(opened, origin);
    case 'unusable':
      return modelFailure({ ...opened, code: 'connection-failed', retry: 'never' });
  }
}

function named({ origin, variable }: Proxy): string {
  return `${origin} (the proxy in ${variable})`;
}

function silentProxy(proxy: Proxy, idleMs: number): ModelFailure {
  return modelFailure({
    code: 'stream-idle',
    message: `Nothing came from ${named(proxy)} for ${idleMs / 1000} seconds.`,
    next: `Check the network and ${proxy.variable}, then send again.`,
    retry: {},
  });
}

function unknownToProxy({ variable, origin, authorization }: Proxy): ModelFailure {
  const known = authorization !== undefined;
  const cause = known ? 'does not accept the user name and the password' : 'wants a user name and a password';
  return modelFailure({
    code: 'connection-failed',
    message: `The proxy in ${variable} (${origin}) ${cause} (status 407).`,
    next: known
      ? `Correct the user name and the password in ${variable}.`
      : `Put them into ${variable}, in front of the host: http://NAME:PASSWORD@HOST:PORT.`,
    retry: 'never',
  });
}

function refusedByProxy({ proxy, status }: Extract<Opened, { kind: 'refused' }>, origin: string): ModelFailure {
  return modelFailure({
    code: 'connection-failed',
    message: `The proxy in ${proxy.variable} (${proxy.origin}) opened no way to ${origin} (status ${status}).`,
    next: 'Check the base URL of the provider, and what the proxy lets pass; a host that needs no proxy belongs in NO_PROXY.',
    // It could not, or it would not.
    retry: status >= 500 ? {} : 'never',
  });
}
