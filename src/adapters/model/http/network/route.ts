import { defined } from '../../../../base/objects.ts';
import { hostAtPort } from '../../../../core/policy/network/host-lists.ts';
import type { EnvironmentVariables } from '../../../../protocol/shell.ts';
import { errorCode } from '../../../disk/file-system.ts';
import { NotRegularFileError, readUpTo, withRegularFile } from '../../../disk/regular-files.ts';
import { IdleConnections, dialHost, portOf, securedOver, type SecurePeer } from './connections.ts';
import { type Proxy, proxyFor, type RequestTarget, type UnusableNetwork } from './destination.ts';
import { awaitHead, type HeadWait, encodeRequestHead } from './http-head.ts';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';

/** Has proxies (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) and certificates (CODEX_CA_CERTIFICATE, SSL_CERT_FILE). */
export type NetworkOptions = { readonly environment: EnvironmentVariables };

export interface ConnectionRoute {
  readonly kind: 'direct' | 'forwarded' | 'tunnelled';
  /** Forwards the requests or holds the tunnel. */
  readonly proxy: Proxy | undefined;
  /** Request path; the whole address for a forwarding proxy. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: IdleConnections;
  /** Opens a new connection. Only a tunnel is awaited. */
  open(opening: HeadWait): Socket | Promise<Socket | TunnelTrouble>;
}

type Way = { readonly connections: IdleConnections; readonly secure: SecurePeer; readonly secureProxy: SecurePeer };

/** Shares kept connections by server. An unusable environment is checked at each request: it may be fixed. */
export function createRouteFinder(
  { environment }: NetworkOptions,
  /** `tunnel`: a forwarding proxy would not pass on anything but HTTP. */
  plain: 'forward' | 'tunnel' = 'forward',
): (target: RequestTarget) => ConnectionRoute | UnusableNetwork {
  const ways = new Map<string, Way>();
  let trusted: SecureContext | undefined;
  const wayTo = (key: string, isSecure: boolean): Way | UnusableNetwork => {
    const known = ways.get(key);
    if (known !== undefined) return known;
    const authorities = isSecure && trusted === undefined ? loadAuthorities(environment) : undefined;
    if (authorities?.kind === 'unusable') return authorities;
    trusted ??= authorities?.secureContext;
    const secureContext = trusted;
    const way = { connections: new IdleConnections(), secure: { secureContext }, secureProxy: { secureContext } };
    ways.set(key, way);
    return way;
  };
  return (target) => {
    const proxy = proxyFor(target, environment);
    if (proxy?.kind === 'unusable') return proxy;
    const { protocol, host, origin, path } = target;
    const isForwarded = protocol === 'http:' && plain === 'forward';
    const kind = proxy === undefined ? 'direct' : isForwarded ? 'forwarded' : 'tunnelled';
    const key = `${kind} ${proxy?.origin ?? ''} ${kind === 'forwarded' ? '' : origin}`;
    const way = wayTo(key, protocol === 'https:' || proxy?.protocol === 'https:');
    if ('kind' in way) return way;
    const { connections, secure, secureProxy } = way;
    const named = { host: origin.replace(/^\w+:\/\//, '') };
    if (proxy === undefined)
      return { kind, proxy, path, headers: named, connections, open: () => dialHost(target, secure) };
    if (kind === 'forwarded') {
      const headers = { ...named, ...defined({ 'proxy-authorization': proxy.authorization }) };
      return { kind, proxy, path: `${origin}${path}`, headers, connections, open: () => dialHost(proxy, secureProxy) };
    }
    const open = async (opening: HeadWait): Promise<Socket | TunnelTrouble> => {
      const tunnel = await openTunnel(proxy, hostAtPort(host, portOf(target)), { ...opening, secure: secureProxy });
      return 'kind' in tunnel || protocol === 'http:' ? tunnel : securedOver(tunnel, host, secure);
    };
    return { kind, proxy, path, headers: named, connections, open };
  };
}

/** Extra trusted certificates, from CODEX_CA_CERTIFICATE, else SSL_CERT_FILE. Undefined without both. */
export function loadAuthorities(
  environment: EnvironmentVariables,
): { readonly kind: 'trusted'; readonly secureContext: SecureContext } | UnusableNetwork | undefined {
  const variable = ['CODEX_CA_CERTIFICATE', 'SSL_CERT_FILE'].find((name) => (environment[name] ?? '').trim() !== '');
  if (variable === undefined) return undefined;
  const path = (environment[variable] ?? '').trim();
  const unusable = (why: string): UnusableNetwork => ({
    kind: 'unusable',
    message: `The file in ${variable}, ${path}, ${why}.`,
    next: `Set ${variable} to a file with certificates in PEM format, or unset it.`,
  });
  const text = loadText(path);
  if (typeof text !== 'string') return unusable(text.unreadable);
  const certificates = text.match(certificateForm) ?? [];
  if (certificates.length === 0) return unusable('contains no certificate in PEM format');
  const broken = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (broken !== -1) return unusable(`cannot be used: certificate ${broken + 1} of ${certificates.length} is damaged`);
  const tls = process.getBuiltinModule('node:tls');
  const ca = [...tls.getCACertificates('default'), ...certificates];
  // Made once: an agent given the certificates would parse them for every connection.
  return { kind: 'trusted', secureContext: tls.createSecureContext({ ca }) };
}

const certificateForm = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (TRUSTED |X509 )?CERTIFICATE-----/g;
/** More than all authorities of a system. */
const mostBytes = 16 * 1024 * 1024;

function loadText(path: string): string | { readonly unreadable: string } {
  try {
    return withRegularFile(path, { links: 'followed' }, (file, { size }) => {
      if (size > mostBytes) return { unreadable: `is larger than ${mostBytes / 1024 / 1024} MB` };
      return readUpTo(file, { most: mostBytes, expected: size }).toString('latin1');
    });
  } catch (error) {
    if (error instanceof NotRegularFileError) return { unreadable: 'is not a file' };
    const code = errorCode(error) ?? 'ERROR';
    return { unreadable: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}

/** TLS would silently ignore a damaged certificate. */
function isCertificate(text: string): boolean {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

export type TunnelTrouble =
  | { readonly kind: 'lost'; readonly code: string; readonly stale: false; readonly before: 'tunnel' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'idle' };

/** A tunnel through a proxy, which sees the target but nothing inside TLS. `authority`: host and port of the target. */
async function openTunnel(
  proxy: Proxy,
  authority: string,
  { secure, ...wish }: HeadWait & { readonly secure: SecurePeer },
): Promise<Socket | TunnelTrouble> {
  const socket = dialHost(proxy, secure);
  const known = defined({ 'proxy-authorization': proxy.authorization });
  const head = encodeRequestHead('CONNECT', authority, { host: authority, connection: 'keep-alive', ...known });
  if (typeof head !== 'string') throw new TypeError(head.message);
  const sent = new Promise<void>((resolve) => socket.write(head, 'latin1', () => resolve()));
  const answer = await awaitHead(socket, wish, { isTunnel: true, sent });
  if (answer.kind === 'idle') return answer;
  if (answer.kind === 'other-protocol' && answer.status >= 200 && answer.status <= 299) {
    socket.setTimeout(0);
    return socket;
  }
  socket.destroy();
  if (answer.kind === 'other-protocol') return { kind: 'refused', status: answer.status };
  return { kind: 'lost', code: answer.kind === 'lost' ? answer.code : 'aborted', stale: false, before: 'tunnel' };
}
