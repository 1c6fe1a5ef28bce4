import type { Socket } from 'node:net';
import {
  allowedByAnswer,
  decideAddresses,
  decideHost,
  type HostTarget,
  readHostRules,
} from '../../policy/network/decide-host.ts';
import { isAddress, normaliseHost } from '../../policy/network/host-name.ts';
import type { AskedHost, DecideHost } from '../../ports/decide-host.ts';
import type { DeniedRequest, DenialReason, HostProtocol } from '../../protocol/denied-request.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { dialFirst, type Ways, within } from './dial.ts';

/** What a program asks the proxy for. */
export interface GateRequest extends HostTarget {
  readonly protocol: HostProtocol;
  /** Of plain HTTP: what it wants to do. */
  readonly method?: string;
}

export type Passage =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'blocked'; readonly denied: DeniedRequest }
  | { readonly kind: 'unreachable'; readonly why: string };

/** Decides which connections one command gets, opens them, and remembers which it refused. */
export interface Gate {
  /** Never rejects. */
  pass(request: GateRequest): Promise<Passage>;
  /** In the order in which they were first asked for. */
  denied(): readonly DeniedRequest[];
  /** Ends every connection that it opened. */
  close(): void;
}

export interface GateOptions {
  readonly lists: NetworkLists;
  readonly ways: Ways;
  readonly decide?: DecideHost;
  /** How long a command waits for an answer. Default: five minutes. */
  readonly decideMs?: number;
  /** How long a lookup may take. Default: two seconds. */
  readonly lookupMs?: number;
}

/** Refusals that are kept. */
const mostDenied = 200;
/** Hosts that one command may ask about. */
const mostQuestions = 20;
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createGate({ lists, ways, decide, decideMs = 300_000, lookupMs = 2000 }: GateOptions): Gate {
  const rules = readHostRules(lists);
  const life = new AbortController();
  const refused = new Map<string, DeniedRequest>();
  const answers = new Map<string, Promise<'allow' | 'deny'>>();

  /** Requests for the same host at the same time are one question. An answer holds for the command. */
  function ask({ host, port, protocol }: GateRequest): Promise<'allow' | 'deny'> {
    if (decide === undefined) return Promise.resolve('deny');
    const key = `${protocol} ${host} ${port}`;
    const known = answers.get(key);
    if (known === undefined && answers.size >= mostQuestions) return Promise.resolve('deny');
    const name = host;
    const asked = known ?? within(decideMs, askNow(decide, { name, port, protocol })).catch(() => 'deny' as const);
    answers.set(key, asked);
    return asked;
  }

  async function judge(request: GateRequest): Promise<{ readonly addresses: readonly string[] } | DenialReason> {
    const unlisted = beyondLists(lists, request);
    if (unlisted !== undefined) return unlisted;
    const { host, port } = request;
    let verdict = decideHost(rules, request);
    if (verdict.kind === 'blocked' && verdict.reason === 'not_allowed' && (await ask(request)) === 'allow') {
      verdict = allowedByAnswer(rules);
    }
    if (verdict.kind === 'blocked') return verdict.reason;
    const found = isAddress(host) ? [host] : await within(lookupMs, ways.resolve(host)).catch(() => []);
    // The addresses that are checked are the ones that are dialled.
    const addresses = found.map((address) => normaliseHost(address) ?? address);
    return decideAddresses(rules, verdict.addresses, { addresses, port }) ?? { addresses };
  }

  return {
    async pass(request) {
      const { host, port, protocol } = request;
      try {
        const judged = await judge(request);
        if (typeof judged !== 'string') {
          return { kind: 'open', socket: await dialFirst(ways, { ...judged, port }, life.signal) };
        }
        const denied = { host, port, protocol, reason: judged };
        if (refused.size < mostDenied) refused.set(JSON.stringify(denied), denied);
        return { kind: 'blocked', denied };
      } catch (error) {
        return { kind: 'unreachable', why: error instanceof Error ? error.message : 'unknown' };
      }
    },
    denied: () => [...refused.values()],
    close: () => life.abort(),
  };
}

/** A decision that throws is one that rejects. */
async function askNow(decide: DecideHost, host: AskedHost): Promise<'allow' | 'deny'> {
  return decide(host);
}

/** What no list can allow. Nothing is decrypted, so where only reading is allowed, tunnels are refused. */
function beyondLists(
  { methods }: NetworkLists,
  { protocol, method = '', port }: GateRequest,
): DenialReason | undefined {
  if (protocol === 'socks5_udp') return methods === 'reading' ? 'method_not_allowed' : 'policy_denied';
  if (methods === 'any') return undefined;
  if (protocol === 'http') return reading.has(method) ? undefined : 'method_not_allowed';
  return protocol === 'https' || port === 443 ? 'mitm_required' : 'method_not_allowed';
}
