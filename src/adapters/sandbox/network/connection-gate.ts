import {
  decideAddresses,
  decideHost,
  deniesHost,
  hostAtPort,
  parseHostPattern,
  readHostLists,
} from '../../../core/policy/network/host-lists.ts';
import type { HostTarget, ResolvedTarget } from '../../../core/policy/network/host-lists.ts';
import { isIpAddress, normaliseHost } from '../../../core/policy/network/host-name.ts';
import type { AnswerNetworkHost, NetworkHostAnswer } from '../../../ports/ask-user.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import type {
  DenialReason,
  DeniedByRule,
  DeniedRequest,
  HostProtocol,
  NetworkLists,
} from '../../../protocol/permissions.ts';
import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface GateRequest extends HostTarget {
  readonly protocol: HostProtocol;
  /** Only for plain HTTP. */
  readonly method?: string;
}

export type GateResult =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'blocked'; readonly denied: DeniedRequest }
  | { readonly kind: 'unreachable'; readonly why: string };

export type HostGate = ReturnType<typeof createHostGate>;

export interface GateOptions {
  readonly lists: NetworkLists;
  /** Default: those of the system. */
  readonly ways?: Dialer;
  /** Decides about hosts that the lists leave to an answer. Absent: they are refused. */
  readonly decide?: AnswerNetworkHost;
  /** Limit of a name lookup. Default: two seconds. */
  readonly lookupMs?: number;
}

const mostDenied = 200;
const mostQuestions = 20;
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export function createHostGate({ lists, ways = systemDialer, decide, lookupMs = 2000 }: GateOptions) {
  const hosts = readHostLists(lists);
  const life = new AbortController();
  const refused = new Map<string, DeniedRequest>();
  const answers = new Map<string, Promise<NetworkHostAnswer>>();
  let waiting = 0;

  /** Connections to the same host share a question. An answer is valid for the whole command. */
  function ask({ host: name, port, protocol }: GateRequest): Promise<NetworkHostAnswer | 'too-many'> {
    const key = hostAtPort(name, port);
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (decide === undefined) return Promise.resolve('unasked');
    if (answers.size >= mostQuestions) return Promise.resolve('too-many');
    // A decision that throws synchronously counts as rejected.
    const asking = Promise.resolve().then(() => decide({ name, port, protocol }, life.signal));
    waiting++;
    const asked = valueOrAbort(asking, life.signal, 'declined' as const)
      .catch(() => 'declined' as const)
      .finally(() => waiting--);
    answers.set(key, asked);
    // Not a real question, so it does not count towards the command's limit.
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
    const found = isIpAddress(host) ? [host] : await withTimeout(lookupMs, ways.resolve(host)).catch(() => []);
    // Dial exactly the addresses that were checked.
    const addresses = found.map((address) => normaliseHost(address) ?? address);
    return decideAddresses(hosts, verdict.addresses, { addresses, port }) ?? { addresses };
  }

  return {
    /** Never rejects. */
    async pass(request: GateRequest): Promise<GateResult> {
      const { host, port, protocol } = request;
      try {
        const judged = await judge(request);
        if (typeof judged !== 'string')
          return { kind: 'open', socket: await dialFirst(ways, { ...judged, port }, life.signal) };
        if (life.signal.aborted) return { kind: 'unreachable', why: 'the command is over' };
        const rule = judged === 'denied' ? denyingRule(lists, request) : undefined;
        const denied = { host, port, protocol, reason: judged, rule };
        if (refused.size < mostDenied) refused.set(JSON.stringify(denied), denied);
        return { kind: 'blocked', denied };
      } catch (error) {
        return { kind: 'unreachable', why: error instanceof Error ? error.message : 'unknown' };
      }
    },
    isAsking: () => waiting > 0,
    /** In the order of the first requests. */
    denied: (): readonly DeniedRequest[] => [...refused.values()],
    close: () => life.abort(),
  };
}

function denyingRule({ ruled = [] }: NetworkLists, target: HostTarget): DeniedByRule | undefined {
  return ruled.find(({ host }) => {
    const pattern = parseHostPattern(host, 'deny');
    return typeof pattern !== 'string' && deniesHost(pattern, target);
  });
}

/** Refusals that no list can lift. The proxy decrypts nothing, so it refuses tunnels if only reading is allowed. */
function beyondLists({ methods }: NetworkLists, { protocol, method = '', port }: GateRequest) {
  if (protocol === 'socks5_udp') return methods === 'reading' ? 'method_not_allowed' : 'policy_denied';
  if (methods === 'any') return undefined;
  if (protocol === 'http') return reading.has(method) ? undefined : 'method_not_allowed';
  return protocol === 'https' || port === 443 ? 'mitm_required' : 'method_not_allowed';
}

export interface Dialer {
  /** All addresses of a name. Rejects if it has none. */
  resolve(name: string): Promise<readonly string[]>;
  /** Connects to exactly this address; the signal ends the connection. Rejects if it does not answer. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket>;
}

const connectMs = 15_000;

export const systemDialer: Dialer = {
  async resolve(name) {
    const found = await lookup(name, { all: true, order: 'ipv4first' });
    return found.map(({ address }) => address);
  },
  connect: (address, port, signal) =>
    new Promise((resolve, reject) => {
      // Requires an address, so that no name is looked up again.
      if (!isIpAddress(address)) return reject(new Error('no address'));
      const socket = connect({ host: address, port, allowHalfOpen: true, signal: AbortSignal.any([signal]) });
      const timer = setTimeout(() => socket.destroy(new Error('timed out')), connectMs);
      socket.once('error', (error) => (clearTimeout(timer), reject(error)));
      socket.once('connect', () => (clearTimeout(timer), resolve(socket)));
    }),
};

async function dialFirst(ways: Dialer, { addresses, port }: ResolvedTarget, signal: AbortSignal): Promise<Socket> {
  let failure: unknown = new Error('no address');
  for (const address of addresses.slice(0, 4)) {
    try {
      return await ways.connect(address, port, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // The process must not stay alive for a command that has ended.
  const timer = setTimeout(() => late.reject(new Error('timed out')), milliseconds).unref();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export const connectionIdleMs = 10 * 60_000;
const lingerMs = 2000;

/** Copies bytes both ways until both sides have ended or one fails. Each side may end on its own. */
export function joinSockets(one: Duplex, other: Socket): void {
  const sides = [one, other];
  const end = (): void => sides.forEach((side) => side.destroy());
  for (const side of sides) side.on('error', end).on('close', end);
  other.setTimeout(connectionIdleMs, end);
  one.pipe(other);
  other.pipe(one);
}

/** Sends a last message. Drops the remaining input, as unread input could cut off the answer for the other side. */
export function sendAndClose(socket: Duplex, bytes: string | Buffer): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(bytes);
  socket.resume();
}
