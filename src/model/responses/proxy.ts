import type { ProxyEnv } from 'node:http';
import type { Environment } from './provider.ts';
import type { Target } from './target.ts';

/** The proxy that requests to a target go through. */
export interface Proxy {
  /** The variable that names it. */
  readonly variable: 'HTTP_PROXY' | 'HTTPS_PROXY';
  /** What Node's agents want to know. They leave out what `NO_PROXY` lists, and proxies that do not speak HTTP. */
  readonly env: ProxyEnv;
}

/** Undefined when none is set. What runs on this machine is always asked directly. */
export function proxyOf({ protocol, host }: Target, environment: Environment): Proxy | undefined {
  const variable = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = valueOf(environment, variable);
  if (address === undefined || isLoopback(host)) return undefined;
  // Without a scheme, as other programs take it too.
  const url = address.includes('://') ? address : `http://${address}`;
  const exceptions = valueOf(environment, 'NO_PROXY');
  return { variable, env: { [variable]: url, ...(exceptions === undefined ? {} : { NO_PROXY: exceptions }) } };
}

/** The name in small letters goes first; nothing in it counts as not set. */
function valueOf(environment: Environment, name: string): string | undefined {
  return [environment[name.toLowerCase()], environment[name]].find((value) => value !== undefined && value !== '');
}

function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|::1)$/i.test(host);
}
