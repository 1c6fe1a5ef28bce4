export interface ConnectionPeer {
  /** Displayable address and kind. */
  readonly shown: string;
  /** The setting in which the user corrects the address. */
  readonly setting: string;
  /** Absent: a server. */
  readonly what?: 'proxy';
  /** The scheme to suggest, where the address may begin with the wrong one. */
  readonly otherScheme?: HttpScheme | undefined;
  /** The variable that names trusted certificates for such connections. */
  readonly authorities: string;
}

export type HttpScheme = 'http://' | 'https://';

export interface LostConnection {
  /** A sentence without its end, so the code can follow. */
  readonly message: string;
  readonly next: string;
  /** Retrying is useless. */
  readonly isRefused: boolean;
}

/** Why no answer came, and what to check. `code` is Node's error code. */
export function explainLostConnection(peer: ConnectionPeer, code: string): LostConnection {
  const { shown, setting, otherScheme } = peer;
  if (isCertificateProblem(code)) return { ...untrusted(peer, code), isRefused: true };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const next =
      otherScheme === 'http://'
        ? `Check ${setting}: a server without TLS needs http:// instead of https://.`
        : `Check the host and port in ${setting}, and what stands between Capstan and the server.`;
    return { message: `The server at ${shown} does not speak TLS correctly`, next, isRefused: true };
  }
  if (code.startsWith('HPE_')) {
    const besides = otherScheme === 'https://' ? ', and whether it must begin with https://' : '';
    const message = `The server at ${shown} does not speak HTTP`;
    return { message, next: `Check the port in ${setting}${besides}.`, isRefused: true };
  }
  return { ...unreached(peer, code), isRefused: false };
}

/** Node's and OpenSSL's codes for a peer that cannot prove its identity. */
export const isCertificateProblem = (code: string): boolean => certificateProblem.test(code);
const certificateProblem =
  /^(CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)|ERR_SSL_\w*(CERT|_CA_|ALERT))/;

const words = (names: string): ReadonlySet<string> => new Set(names.split(' '));
export const connectFailureCodes = words(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL ETIMEDOUT',
);
export const peerClosedCodes = words('ECONNRESET EPIPE UND_ERR_SOCKET');
const noRouteCodes = words('EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN');

function unreached({ shown, setting, what, otherScheme }: ConnectionPeer, code: string) {
  const peer = what ?? 'server';
  const besides = what === 'proxy' ? ' If the provider needs no proxy, add its host to NO_PROXY.' : '';
  const said = (message: string, next: string) => ({ message, next });
  if (code === 'ECONNREFUSED') {
    const next = `Start the ${peer}, or correct ${setting}.${besides}`;
    return said(`Nothing listens at ${shown}: the connection was refused`, next);
  }
  if (code === 'ENOTFOUND')
    return said(`The host in ${shown} could not be found`, `Check the spelling of ${setting}, and the network.`);
  if (code === 'EAI_AGAIN' || code === 'EAI_FAIL') {
    const next = 'Check the network and its name server (DNS), then try again.';
    return said(`The host in ${shown} could not be looked up: the name server did not answer`, next);
  }
  if (noRouteCodes.has(code)) return said(`No network leads to ${shown}`, `Check the network, a VPN, and ${setting}.`);
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    const next = `Check the network, a firewall on the way, and ${setting}.`;
    return said(`${shown} did not take the connection in time`, next);
  }
  if (!peerClosedCodes.has(code)) return said(`No answer from ${shown}`, `Check the network and ${setting}.`);
  const next =
    what === undefined && otherScheme === 'https://'
      ? `Check that the server works, what stands between Capstan and it, and whether ${setting} must begin with https://.`
      : `Check that the ${peer} works, and what stands between Capstan and it.${besides}`;
  return said(`${shown} closed the connection without an answer`, next);
}

function untrusted({ shown, setting, authorities }: ConnectionPeer, code: string) {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const when = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    const next = 'Check the clock of this machine. If it is right, the server needs a new certificate.';
    return { message: `The certificate of ${shown} ${when}`, next };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const next = `Check the host in ${setting}: the certificate is for another name.`;
    return { message: `The certificate of ${shown} does not belong to this host`, next };
  }
  const own = `For a private certificate authority, set ${authorities} to the file with its certificate.`;
  const message = /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code)
    ? `The certificate of ${shown} is not from an authority that is trusted`
    : `The connection to ${shown} is not secure`;
  return { message, next: `Check ${setting}. ${own}` };
}

export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/?#]/i.test(text) && URL.canParse(text);
export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
/** True if it fits on one line and consists of single bytes. */
export const isHeaderValue = (value: string): boolean => /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value);

const framing = words(
  'connection content-length expect host keep-alive transfer-encoding upgrade sec-websocket-key sec-websocket-version sec-websocket-protocol sec-websocket-extensions',
);

/** Only the transport decides about framing; a header that contradicts it would break the connection. */
export const isFramingHeader = (name: string): boolean => framing.has(name.toLowerCase());
