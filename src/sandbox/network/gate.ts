import type { Socket } from 'node:net';
import { decideAddresses, decideHost, type HostTarget, readHostLists } from '../../policy/network/decide-host.ts';
import { isAddress, normaliseHost } from '../../policy/network/host-name.ts';
import { deniesHost, hostAtPort, parseHostPattern } from '../../policy/network/host-pattern.ts';
import type { AnswerHost, HostAnswer } from '../../ports/answer-host.ts';
import type { HostProtocol } from '../../protocol/asked-host.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { DeniedRequest, DenialReason } from '../../protocol/denied-request.ts';
import { defined } from '../../protocol/defined.ts';
import type { DeniedByRule, NetworkLists } from '../../protocol/network-lists.ts';
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
  /** Whether a connection waits for an answer. */
  isAsking(): boolean;
  /** In the order in which they were first asked for. */
  denied(): readonly DeniedRequest[];
  /** Ends every connection that it opened, and every question. */
  close(): void;
}

export interface GateOptions {
  readonly lists: NetworkLists;
  readonly ways: Ways;
  /** Answers where the lists leave a host open to an answer. Absent: it is refused. */
  readonly decide?: AnswerHost;
  /** How long a lookup may take. Default: two seconds. */
  readonly lookupMs?: number;
}

/** Refusals that are kept. */
const mostDenied = 200;
/** Hosts that one command may ask about. */
const mostQuestions = 20;
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createGate({ lists, ways, decide, lookupMs = 2000 }: GateOptions): Gate {
  const hosts = readHostLists(lists);
  const life = new AbortController();
  const refused = new Map<string, DeniedRequest>();
  const answers = new Map<string, Promise<HostAnswer>>();
  let waiting = 0;

  /** Connections to the same host join its question. An answer holds for the command. */
  function ask({ host: name, port, protocol }: GateRequest): Promise<HostAnswer | 'too-many'> {
    const key = hostAtPort(name, port);
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (decide === undefined) return Promise.resolve('unasked');
    if (answers.size >= mostQuestions) return Promise.resolve('too-many');
    // A decision that throws is one that rejects.
    const asking = Promise.resolve().then(() => decide({ name, port, protocol }, life.signal));
    waiting++;
    const asked = beforeAbort(asking, life.signal, 'declined' as const)
      .catch(() => 'declined' as const)
      .finally(() => waiting--);
    answers.set(key, asked);
    // It was no question: it takes no place among those of the command.
    void asked.then((answer) => answer === 'unasked' && answers.delete(key));
    return asked;
  }

  async function judge(request: GateRequest): Promise<{ readonly addresses: readonly string[] } | DenialReason> {
    const unlisted = beyondLists(lists, request);
    if (unlisted !== undefined) return unlisted;
    const { host, port } = request;
    const verdict = decideHost(hosts, request);
    if (verdict.kind === 'blocked') return verdict.reason;
    if (verdict.kind === 'asked') {
      const answer = await ask(request);
      if (answer === 'declined') return 'declined';
      if (answer === 'too-many') return 'not_asked';
      if (answer === 'unasked') return verdict.by === 'rule' ? 'held_back' : 'not_allowed';
    }
    const found = isAddress(host) ? [host] : await within(lookupMs, ways.resolve(host)).catch(() => []);
    // The addresses that are checked are the ones that are dialled.
    const addresses = found.map((address) => normaliseHost(address) ?? address);
    return decideAddresses(hosts, verdict.addresses, { addresses, port }) ?? { addresses };
  }

  return {
    async pass(request) {
      const { host, port, protocol } = request;
      try {
        const judged = await judge(request);
        if (typeof judged !== 'string') {
          return { kind: 'open', socket: await dialFirst(ways, { ...judged, port }, life.signal) };
        }
        if (life.signal.aborted) return { kind: 'unreachable', why: 'the command is over' };
        const rule = judged === 'denied' ? denyingRule(lists, request) : undefined;
        const denied = { host, port, protocol, reason: judged, ...defined({ rule }) };
        if (refused.size < mostDenied) refused.set(JSON.stringify(denied), denied);
        return { kind: 'blocked', denied };
      } catch (error) {
        return { kind: 'unreachable', why: error instanceof Error ? error.message : 'unknown' };
      }
    },
    isAsking: () => waiting > 0,
    denied: () => [...refused.values()],
    close: () => life.abort(),
  };
}

/** The rule that denies the host by its name, if one does. */
function denyingRule({ ruled = [] }: NetworkLists, target: HostTarget): DeniedByRule | undefined {
  return ruled.find(({ host }) => {
    const pattern = parseHostPattern(host, 'deny');
    return typeof pattern !== 'string' && deniesHost(pattern, target);
  });
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
