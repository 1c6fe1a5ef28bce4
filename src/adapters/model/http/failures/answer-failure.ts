import { otherSchemeOf } from '../../../../core/policy/network/host-name.ts';
import type { ModelFailure } from '../../../../ports/model.ts';
import { messageOfThrown } from '../../../../protocol/display-text.ts';
import type { ConnectionPeer } from '../../../../protocol/http.ts';
import { explainLostConnection, isCertificateProblem, peerClosedCodes } from '../../../../protocol/http.ts';
import { Fault, endWithFullStop } from '../../../../protocol/outcome.ts';
import { bareHost, type Proxy } from '../network/destination.ts';
import { failureCauses } from './failure-causes.ts';
import type { OpenedExchange, Unanswered } from '../network/exchange.ts';
import { mostHeadBytes } from '../network/http-head.ts';
import type { BodyRead } from '../network/response-body.ts';
import { shortenProviderText, modelFailure } from './model-failure.ts';

/** Failure of a request that no server answered. `origin`: its target, in a displayable form. */
export function noAnswerFailure(
  opened: Unanswered,
  { origin, idleMs }: { readonly origin: string; readonly idleMs: number },
): ModelFailure {
  switch (opened.kind) {
    case 'aborted':
      return abortedFailure();
    case 'idle':
      if (opened.proxy === undefined) return idleFailure(idleMs);
      return (opened.isForwarding === true ? slowBehindProxy : silentProxy)(opened.proxy, idleMs);
    case 'lost':
      return lostFailure(opened, origin);
    case 'refused':
      return opened.status === 407 ? unknownToProxy(opened.proxy) : refusedByProxy(opened, origin);
    case 'unusable':
      return modelFailure({ cause: 'refused', message: opened.message, next: opened.next });
  }
}

function lostFailure(lost: Extract<OpenedExchange, { kind: 'lost' }>, origin: string): ModelFailure {
  const { proxy, through, before, code } = lost;
  if (proxy !== undefined) {
    // A tunnel carries TLS even where the proxy itself does not speak it.
    const otherScheme = proxy.protocol === 'https:' ? 'http://' : 'https://';
    const peer = { shown: describeProxy(proxy), setting: proxy.variable, what: 'proxy', otherScheme } as const;
    return connectionFailure(peer, code);
  }
  if (through !== undefined && usualCode(code) === 'EPROTO') return insecureTunnel(through, origin);
  const url = new URL(origin);
  const hasAnswered = peerClosedCodes.has(code) && before !== 'answer';
  const otherScheme = hasAnswered ? undefined : otherSchemeOf({ protocol: url.protocol, host: bareHost(url) });
  return connectionFailure({ shown: origin, setting: 'the base URL of the provider', otherScheme }, code);
}

export const describeProxy = ({ origin, variable }: Proxy): string => `${origin} (the proxy in ${variable})`;

function silentProxy(proxy: Proxy, idleMs: number): ModelFailure {
  const message = `${describeProxy(proxy)} did not answer for ${idleMs / 1000} seconds.`;
  return modelFailure({ cause: 'idle', message, next: `Check the network and ${proxy.variable}, then try again.` });
}

function slowBehindProxy(proxy: Proxy, idleMs: number): ModelFailure {
  const message = `No answer came through ${describeProxy(proxy)} for ${idleMs / 1000} seconds: the provider or the proxy is slow.`;
  const next = `${failureCauses.idle.next} If other requests fail as well, check ${proxy.variable}.`;
  return modelFailure({ cause: 'idle', message, next });
}

function unknownToProxy({ variable, origin, authorization }: Proxy): ModelFailure {
  const known = authorization !== undefined;
  const cause = known ? 'does not accept the user name and password' : 'requires a user name and password';
  const message = `The proxy in ${variable} (${origin}) ${cause} (status 407).`;
  const next = known
    ? `Correct the user name and password in ${variable}.`
    : `Add them to ${variable}: http://NAME:PASSWORD@HOST:PORT.`;
  return modelFailure({ cause: 'refused', message, next });
}

function refusedByProxy({ proxy, status }: Extract<OpenedExchange, { kind: 'refused' }>, origin: string): ModelFailure {
  // 5xx: the proxy could not connect; otherwise it refused.
  const isLost = status >= 500;
  const what = isLost ? 'could not connect' : 'does not allow a connection';
  const message = `The proxy in ${proxy.variable} (${proxy.origin}) ${what} to ${origin} (status ${status}).`;
  return modelFailure({ cause: isLost ? 'connection' : 'refused', message, next: checkProxy });
}

const checkProxy =
  'Check the base URL of the provider and what the proxy allows. If the host needs no proxy, add it to NO_PROXY.';

function insecureTunnel(proxy: Proxy, origin: string): ModelFailure {
  const message = `No TLS connection to ${origin} could be made through ${describeProxy(proxy)}: the proxy or the server does not speak TLS correctly (EPROTO).`;
  return modelFailure({ cause: 'refused', message, next: checkProxy });
}

/** For a peer without TLS the code comes from OpenSSL or the system, depending on who read first. Use one. */
const usualCode = (given: string): string =>
  given.startsWith('ERR_SSL_') && !isCertificateProblem(given) ? 'EPROTO' : given;

export function connectionFailure(peer: Omit<ConnectionPeer, 'authorities'>, given: string): ModelFailure {
  const code = usualCode(given);
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `The head of the answer from ${peer.shown} is longer than ${mostHeadBytes / 1024} KB (${code}).`;
    const next = `Check ${peer.setting}, and what stands between Capstan and the server.`;
    return modelFailure({ cause: 'refused', message, next });
  }
  const { message, next, isRefused } = explainLostConnection({ ...peer, authorities: 'CODEX_CA_CERTIFICATE' }, code);
  return modelFailure({ message: `${message} (${code}).`, next, cause: isRefused ? 'refused' : 'connection' });
}

export function bodyEndFailure(
  end: Exclude<BodyRead, { kind: 'chunk' }>,
  { idleMs, sawOther = false }: { readonly idleMs: number; readonly sawOther?: boolean },
): ModelFailure {
  if (end.kind === 'aborted') return abortedFailure();
  if (end.kind === 'idle') return idleFailure(idleMs, { sawOther });
  return cutFailure(end.kind === 'cut' ? end.code : 'end of stream');
}

export const cutFailure = (code: string): ModelFailure =>
  modelFailure({ cause: 'cut', message: `The connection ended before the answer was complete (${code}).` });

export function emptyFailure(contentType: string | undefined, api: string): ModelFailure {
  const type = contentType === undefined ? 'without a content type' : `of type ${contentType}`;
  const message = `The provider sent an answer ${type} without any event that Capstan can read.`;
  const next = `Check that the base URL of the provider is that of the ${api}. If it is, try again.`;
  return modelFailure({ cause: 'unreadable', message, next });
}

/** `sawOther`: the server did send something, such as comments or unknown events. */
export function idleFailure(idleMs: number, { sawOther = false }: { readonly sawOther?: boolean } = {}): ModelFailure {
  const what = sawOther ? 'no event that belongs to an answer' : 'nothing';
  return modelFailure({ cause: 'idle', message: `The provider sent ${what} for ${idleMs / 1000} seconds.` });
}

export const abortedFailure = (): ModelFailure => modelFailure({ cause: 'aborted' });

/** A retry would give the same. */
export function answerTooLarge(limit: string, where: 'answer' | 'event' = 'answer'): ModelFailure {
  const message = `The provider sent more than ${limit} in one ${where}, so Capstan stopped reading it.`;
  return modelFailure({ cause: 'too-large', message });
}

export function formatMegabytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${mebibytes} MB` : `${bytes} bytes`;
}

const unreadable = {
  event: 'The provider sent an event that Capstan cannot read.',
  item: 'The provider sent an item that Capstan cannot read.',
  end: 'The provider ended its answer with an event that Capstan cannot read.',
} as const;

export const unreadableAnswer = (what: keyof typeof unreadable): ModelFailure =>
  modelFailure({ cause: 'unreadable', message: unreadable[what] });

/** An exception in the code of a wire format. A retry would run the same code. Our own Faults are rethrown. */
export function wireFormatFailure(error: unknown): ModelFailure {
  if (error instanceof Fault) throw error;
  const message = `The code for this wire format failed: ${endWithFullStop(shortenProviderText(messageOfThrown(error)))}`;
  return modelFailure({ cause: 'wire-format', message });
}
