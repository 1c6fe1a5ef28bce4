import type { Agent, ClientRequest } from 'node:http';
import { loadAuthorities } from './authorities.ts';
import type { Variables } from '../../../protocol/variables.ts';
import { connectionTo, type Proxy, proxyFor, type Unusable } from './proxy.ts';
import type { Target } from './target.ts';
import { tunnelThrough, type TunnelOptions } from './tunnel.ts';

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
export function routes({ environment }: NetworkOptions): (target: Target) => Route | Unusable {
  const agents = new Map<string, Agent>();
  return (target) => {
    const proxy = proxyFor(target, environment);
    if (proxy?.kind === 'unusable') return proxy;
    const kind = proxy === undefined ? 'direct' : target.protocol === 'http:' ? 'forwarded' : 'tunnelled';
    const peer = kind === 'forwarded' ? proxy! : target;
    const key = `${target.protocol} ${proxy?.origin ?? ''}`;
    const agent = agents.get(key) ?? agentFor(peer.protocol, kind === 'tunnelled' ? proxy : undefined, environment);
    if ('kind' in agent) return agent;
    agents.set(key, agent);
    const { request } = builtIn(peer.protocol);
    const { host, port, path } = target;
    return {
      kind,
      proxy,
      request: (options) =>
        request({
          ...options,
          agent,
          host,
          port,
          path,
          ...(kind === 'forwarded' && forwarding(target, proxy!, options)),
        }),
    };
  };
}

function agentFor(protocol: Target['protocol'], tunnel: Proxy | undefined, environment: Variables): Agent | Unusable {
  const authorities = protocol === 'https:' ? loadAuthorities(environment) : undefined;
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
