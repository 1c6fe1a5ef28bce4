import type { Agent, ClientRequest } from 'node:http';
import type { Variables } from '../../../protocol/variables.ts';
import { connectionTo, type Proxy, proxyFor, type Unusable } from './proxy.ts';
import type { Target } from './target.ts';
import { type TunnelOptions, tunnelThrough } from './tunnel.ts';
import type { SecureContext } from 'node:tls';
import { errorCode } from '../../../disk/file-system.ts';
import { NotRegular, readUpTo, withRegular } from '../../../disk/regular-file.ts';

/** The network around the program. */
export interface NetworkOptions {
  /** Names proxies (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) and certificates (CODEX_CA_CERTIFICATE, SSL_CERT_FILE). */
  readonly environment: Variables;
}

/** How a target is reached. */
export interface Route {
  readonly kind: 'direct' | 'forwarded' | 'tunnelled';
  /** Who forwards the requests, or holds the tunnel. */
  readonly proxy: Proxy | undefined;
  readonly request: (options: RouteOptions) => ClientRequest;
}

export interface RouteOptions extends TunnelOptions {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Finds the way to targets, over connections that are kept: targets of one server share them. Nothing is loaded before
 * there is a target. What the environment demands and cannot be done is looked at anew for every request: the user may
 * have put it right.
 */
export function routes(
  { environment }: NetworkOptions,
  /** `tunnel`: a proxy that only forwards would not pass on what is no HTTP. */
  plain: 'forward' | 'tunnel' = 'forward',
): (target: Target) => Route | Unusable {
  const agents = new Map<string, Agent>();
  return (target) => {
    const proxy = proxyFor(target, environment);
    if (proxy?.kind === 'unusable') return proxy;
    const isForwarded = target.protocol === 'http:' && plain === 'forward';
    const kind = proxy === undefined ? 'direct' : isForwarded ? 'forwarded' : 'tunnelled';
    const peer = kind === 'forwarded' ? proxy! : target;
    const key = `${target.protocol} ${proxy?.origin ?? ''}`;
    const agent = agents.get(key) ?? agentFor(peer.protocol, kind === 'tunnelled' ? proxy : undefined, environment);
    if ('kind' in agent) return agent;
    agents.set(key, agent);
    const { request } = builtIn(peer.protocol);
    const { host, port, path } = target;
    const forwarded = (options: RouteOptions) => (kind === 'forwarded' ? forwarding(target, proxy!, options) : {});
    return {
      kind,
      proxy,
      request: (options) => request({ ...options, agent, host, port, path, ...forwarded(options) }),
    };
  };
}

function agentFor(protocol: Target['protocol'], tunnel: Proxy | undefined, environment: Variables): Agent | Unusable {
  const isSecure = protocol === 'https:' || tunnel?.protocol === 'https:';
  const authorities = isSecure ? loadAuthorities(environment) : undefined;
  if (authorities?.kind === 'unusable') return authorities;
  const trust = authorities === undefined ? {} : { secureContext: authorities.secureContext };
  const agent = new (builtIn(protocol).Agent)({ keepAlive: true, noDelay: true, ...trust });
  if (tunnel !== undefined) tunnelThrough(tunnel, agent, authorities?.secureContext);
  return agent;
}

/** A proxy that is asked to forward gets the whole address. */
function forwarding({ origin, path }: Target, proxy: Proxy, { headers }: RouteOptions) {
  const known = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  return {
    ...connectionTo(proxy),
    path: `${origin}${path}`,
    headers: { ...headers, ...known, host: origin.replace(/^\w+:\/\//, '') },
  };
}

/** Without an ESM import, which would cost every start of the program 33 ms. */
function builtIn(protocol: Target['protocol']) {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

/** Certificates to trust besides Node's: in CODEX_CA_CERTIFICATE, else SSL_CERT_FILE. Undefined without both. */
export function loadAuthorities(
  environment: Variables,
): { readonly kind: 'trusted'; readonly secureContext: SecureContext } | Unusable | undefined {
  const variable = ['CODEX_CA_CERTIFICATE', 'SSL_CERT_FILE'].find((name) => (environment[name] ?? '').trim() !== '');
  if (variable === undefined) return undefined;
  const path = (environment[variable] ?? '').trim();
  const unusable = (why: string): Unusable => ({
    kind: 'unusable',
    message: `The file in ${variable}, ${path}, ${why}.`,
    next: `Set ${variable} to a file with certificates in PEM format, or unset it.`,
  });
  const text = loadText(path);
  if (typeof text !== 'string') return unusable(text.unreadable);
  const certificates = text.match(certificateForm) ?? [];
  if (certificates.length === 0) return unusable('contains no certificate in PEM format');
  const broken = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (broken !== -1) {
    return unusable(`cannot be used: certificate ${broken + 1} of ${certificates.length} is damaged`);
  }
  const tls = process.getBuiltinModule('node:tls');
  const ca = [...tls.getCACertificates('default'), ...certificates];
  // Made once: an agent that is given the certificates would parse them for every connection.
  return { kind: 'trusted', secureContext: tls.createSecureContext({ ca }) };
}

const certificateForm = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (TRUSTED |X509 )?CERTIFICATE-----/g;

/** All authorities that a system knows take less than one. */
const mostBytes = 16 * 1024 * 1024;

function loadText(path: string): string | { readonly unreadable: string } {
  try {
    return withRegular(path, { links: 'followed' }, (file, { size }) => {
      if (size > mostBytes) return { unreadable: `is larger than ${mostBytes / 1024 / 1024} MB` };
      return readUpTo(file, { most: mostBytes, expected: size }).toString('latin1');
    });
  } catch (error) {
    if (error instanceof NotRegular) return { unreadable: 'is not a file' };
    const code = errorCode(error) ?? 'ERROR';
    return { unreadable: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}

/** Left to TLS, a damaged certificate would be ignored in silence. */
function isCertificate(text: string): boolean {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
