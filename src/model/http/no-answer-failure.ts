import type { ModelFailure } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import { abortedFailure, idleFailure } from './answer-failure.ts';
import type { Opened } from './network/exchange.ts';
import { type FailureDraft, modelFailure } from './failure.ts';
import type { Proxy } from './network/proxy.ts';

/** What to say of a request to which no server gave an answer. `origin`: where it should have gone, as it may be shown. */
export function noAnswerFailure(
  opened: Exclude<Opened, { kind: 'answer' }>,
  { origin, idleMs }: { readonly origin: string; readonly idleMs: number },
): ModelFailure {
  switch (opened.kind) {
    case 'aborted':
      return abortedFailure();
    case 'idle':
      if (opened.proxy === undefined) return idleFailure(idleMs);
      return (opened.isForwarding === true ? slowBehindProxy : silentProxy)(opened.proxy, idleMs);
    case 'lost': {
      const { proxy, code } = opened;
      if (proxy !== undefined)
        return connectionFailure({ shown: named(proxy), setting: proxy.variable, what: 'proxy' }, code);
      return connectionFailure({ shown: origin, setting: 'the base URL of the provider' }, code);
    }
    case 'refused':
      return opened.status === 407 ? unknownToProxy(opened.proxy) : refusedByProxy(opened, origin);
    case 'unusable':
      return modelFailure({ cause: 'refused', message: opened.message, next: opened.next });
  }
}

function named({ origin, variable }: Proxy): string {
  return `${origin} (the proxy in ${variable})`;
}

function silentProxy(proxy: Proxy, idleMs: number): ModelFailure {
  const message = `${named(proxy)} did not answer for ${idleMs / 1000} seconds.`;
  const next = `Check the network and ${proxy.variable}, then try again.`;
  return modelFailure({ cause: 'idle', message, next });
}

function slowBehindProxy(proxy: Proxy, idleMs: number): ModelFailure {
  const message = `No answer came through ${named(proxy)} for ${idleMs / 1000} seconds: the provider or the proxy is slow.`;
  const { next } = idleFailure(idleMs);
  return modelFailure({
    cause: 'idle',
    message,
    next: `${next} If other requests fail as well, check ${proxy.variable}.`,
  });
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

function refusedByProxy({ proxy, status }: Extract<Opened, { kind: 'refused' }>, origin: string): ModelFailure {
  return modelFailure({
    // It could not, or it would not.
    cause: status >= 500 ? 'connection' : 'refused',
    message: `The proxy in ${proxy.variable} (${proxy.origin}) ${status >= 500 ? 'could not connect' : 'does not allow a connection'} to ${origin} (status ${status}).`,
    next: 'Check the base URL of the provider and what the proxy allows. If the host needs no proxy, add it to NO_PROXY.',
  });
}

/** With whom a connection was to be made. */
export interface Peer {
  /** Its address as it may be shown, and what it is. */
  readonly shown: string;
  /** Where the user finds and corrects the address. */
  readonly setting: string;
  /** Absent: a server. */
  readonly what?: 'proxy';
}

/** No answer came at all. `given` is what Node calls the problem. */
export function connectionFailure(peer: Peer, given: string): ModelFailure {
  // A peer without TLS has a name of OpenSSL's or of the system's, by whether we read or wrote first. One is enough.
  const code = given.startsWith('ERR_SSL_') && !certificateProblem.test(given) ? 'EPROTO' : given;
  const { message, ...rest } = kindOf(peer, code);
  return modelFailure({ message: `${message} (${code}).`, ...rest });
}

/** Node's and OpenSSL's names for a peer that cannot prove who it is. Trying again changes nothing. */
const certificateProblem =
  /^(CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)|ERR_SSL_\w*(CERT|_CA_|ALERT))/;

function kindOf({ shown, setting, what }: Peer, code: string): FailureDraft {
  if (certificateProblem.test(code)) return certificateKind({ shown, setting }, code);
  if (code === 'EPROTO') {
    const next = `Check ${setting}: a server without TLS needs http:// instead of https://.`;
    return { message: `The server at ${shown} does not speak TLS correctly`, next, cause: 'refused' };
  }
  if (code.startsWith('HPE_')) {
    const next = `Check the port in ${setting}, and whether it must begin with https://.`;
    return { message: `The server at ${shown} does not speak HTTP`, next, cause: 'connection' };
  }
  const [message, next] = unreached({ shown, setting, ...defined({ what }) }, code);
  return { message, next, cause: 'connection' };
}

function unreached(
  { shown, setting, what = 'server' }: Omit<Peer, 'what'> & { readonly what?: 'proxy' | 'server' },
  code: string,
): readonly [message: string, next: string] {
  const besides = what === 'proxy' ? ' If the provider needs no proxy, add its host to NO_PROXY.' : '';
  switch (code) {
    case 'ECONNREFUSED':
      return [
        `Nothing listens at ${shown}: the connection was refused`,
        `Start the ${what}, or correct ${setting}.${besides}`,
      ];
    case 'ENOTFOUND':
      return [`The host in ${shown} could not be found`, `Check the spelling of ${setting}, and the network.`];
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return [
        `The host in ${shown} could not be looked up: the name server did not answer`,
        'Check the network and its name server (DNS), then try again.',
      ];
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return [`No network leads to ${shown}`, `Check the network, a VPN, and ${setting}.`];
    case 'ETIMEDOUT':
      return [
        `${shown} did not take the connection in time`,
        `Check the network, a firewall on the way, and ${setting}.`,
      ];
    case 'ECONNRESET':
    case 'EPIPE':
      return [
        `${shown} closed the connection without an answer`,
        `Check that the ${what} works, and what stands between Capstan and it.${besides}`,
      ];
    default:
      return [`No answer from ${shown}`, `Check the network and ${setting}.`];
  }
}

const ownAuthority = 'For a private certificate authority, set CODEX_CA_CERTIFICATE to the file with its certificate.';

function certificateKind({ shown, setting }: Peer, code: string): FailureDraft {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const when = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    const next = 'Check the clock of this machine. If it is right, the server needs a new certificate.';
    return { message: `The certificate of ${shown} ${when}`, next, cause: 'refused' };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const next = `Check the host in ${setting}: the certificate is for another name.`;
    return { message: `The certificate of ${shown} does not belong to this host`, next, cause: 'refused' };
  }
  if (/SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code)) {
    return {
      message: `The certificate of ${shown} is not from an authority that is trusted`,
      next: `Check ${setting}. ${ownAuthority}`,
      cause: 'refused',
    };
  }
  return {
    message: `The connection to ${shown} is not secure`,
    next: `Check ${setting}. ${ownAuthority}`,
    cause: 'refused',
  };
}
