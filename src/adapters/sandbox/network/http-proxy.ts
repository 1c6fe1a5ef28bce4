import { normaliseHost, splitHostAndPort } from '../../../core/policy/network/host-name.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { DenialReason, DeniedRequest } from '../../../protocol/permissions.ts';
import { connectionIdleMs, joinSockets, sendAndClose } from './connection-gate.ts';
import type { HostGate, GateResult } from './connection-gate.ts';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export function createHttpProxy(gate: HostGate): { take(socket: Socket): void } {
  const server = createServer({ maxHeaderSize: 32 * 1024 });
  server.on('request', (asked, answer) => void forward(gate, asked, answer));
  server.on('connect', (asked, socket, head) => void tunnel(gate, asked, socket, head));
  server.on('clientError', (_, socket) => {
    if (!socket.writable) return void socket.destroy();
    sendAndClose(socket, answerText(failedAnswer(400, 'This is neither an HTTP request nor SOCKS5.')));
  });
  return { take: (socket) => void server.emit('connection', socket) };
}

/** Headers that belong to one connection, not to the request. A request keeps its body framing. */
const hopHeaders = 'connection keep-alive proxy-authenticate proxy-authorization proxy-connection'.split(' ');
const hopHeadersOfRequest = new Set([...hopHeaders, 'te', 'trailer', 'upgrade', 'expect', 'host']);
const hopHeadersOfAnswer = new Set([...hopHeaders, 'trailer', 'upgrade', 'transfer-encoding']);

function passedHeaders({ rawHeaders, headers }: IncomingMessage, dropped: ReadonlySet<string>): string[] {
  const listed = (headers.connection ?? '').toLowerCase().split(',');
  const named = new Set(listed.map((name) => name.trim()));
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const isFraming = name === 'transfer-encoding' || name === 'content-length';
    if (!dropped.has(name) && (isFraming || !named.has(name))) passed.push(...rawHeaders.slice(at, at + 2));
  }
  return passed;
}

async function forward(gate: HostGate, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = URL.parse(asked.url ?? '');
  const host = url?.protocol === 'http:' ? normaliseHost(url.hostname) : undefined;
  const { method = 'GET' } = asked;
  asked.on('error', () => answer.destroy());
  answer.on('error', () => asked.destroy());
  if (url === null || host === undefined)
    return refuse(answer, failedAnswer(400, 'This is a proxy: it takes requests for http:// addresses, and CONNECT.'));
  const port = Number(url.port || 80);
  const passage = await gate.pass({ host, port, protocol: 'http', method });
  if (passage.kind !== 'open') return refuse(answer, refusalOf(passage));
  const { socket } = passage;
  socket.on('error', () => {});
  // The program is gone: do not connect on its behalf.
  if (answer.destroyed) return void socket.destroy();
  answer.on('close', () => socket.destroy());
  socket.setTimeout(connectionIdleMs, () => socket.destroy());
  try {
    // Use the host of the URL, which was checked, not the program's header.
    const headers = [...passedHeaders(asked, hopHeadersOfRequest), 'Host', url.host, 'Connection', 'close'];
    const path = `${url.pathname}${url.search}`;
    const sent = request({ method, path, headers, setHost: false, createConnection: () => socket });
    sent.on('error', (error) => refuse(answer, failedAnswer(502, `The host gave no answer (${error.message}).`)));
    sent.on('response', (received) => void passAnswer(received, answer));
    asked.pipe(sent);
  } catch (error) {
    socket.destroy();
    refuse(answer, failedAnswer(400, `This request cannot be passed on (${String(error)}).`));
  }
}

function passAnswer(received: IncomingMessage, answer: ServerResponse): void {
  received.on('error', () => answer.destroy());
  try {
    answer.writeHead(received.statusCode ?? 502, received.statusMessage, passedHeaders(received, hopHeadersOfAnswer));
    received.pipe(answer);
  } catch {
    refuse(answer, failedAnswer(502, 'The host gave an answer that cannot be passed on.'));
  }
}

function refuse(answer: ServerResponse, { status, headers, body }: ProxyAnswer): void {
  if (answer.headersSent || answer.destroyed) return void answer.destroy();
  // The rest of the request is not read.
  answer.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body);
}

async function tunnel(gate: HostGate, { url = '' }: IncomingMessage, socket: Duplex, head: Buffer) {
  socket.on('error', () => socket.destroy());
  const target = splitHostAndPort(url);
  if (target?.port === undefined)
    return sendAndClose(socket, answerText(failedAnswer(400, 'CONNECT takes a host and a port.')));
  const passage = await gate.pass({ host: target.host, port: target.port, protocol: 'https' });
  if (passage.kind !== 'open') return sendAndClose(socket, answerText(refusalOf(passage)));
  if (socket.destroyed) return void passage.socket.destroy();
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) passage.socket.write(head);
  joinSockets(socket, passage.socket);
}

function refusalOf(passage: Exclude<GateResult, { kind: 'open' }>): ProxyAnswer {
  if (passage.kind === 'blocked') return blockedAnswer(passage.denied);
  return failedAnswer(502, `The host cannot be reached (${passage.why}).`);
}

/** A name that does not resolve is not a refusal. */
type RefusalReason = Exclude<DenialReason, 'unresolved'>;

/** Ends of the header's value that tells programs who refused, as in Codex's proxy. */
const headerValues: Readonly<Record<RefusalReason, string>> = {
  denied: 'denylist',
  not_allowed: 'allowlist',
  held_back: 'policy',
  not_asked: 'policy',
  declined: 'policy',
  not_allowed_local: 'allowlist',
  method_not_allowed: 'method-policy',
  mitm_required: 'mitm-required',
  policy_denied: 'policy',
};

const sentences: Readonly<Record<RefusalReason, string>> = {
  denied: 'A deny list of the permission profile, or a rule, covers this host or its address.',
  not_allowed:
    'This host is not on the allow list of the permission profile. The user can add it there, or allow it by a rule.',
  held_back: 'A rule asks the user before this host is reached, and the user cannot be asked.',
  not_asked: 'One command may ask the user about 20 hosts, and this one had. Another command may ask again.',
  declined: 'This host was asked about, and the answer was no.',
  not_allowed_local: 'This host is on this machine or in a private network.',
  method_not_allowed: 'The permission profile allows GET, HEAD and OPTIONS only.',
  mitm_required: 'The permission profile allows reading only, which cannot be checked inside an encrypted connection.',
  policy_denied: 'The permission profile does not allow this kind of connection.',
};

interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function blockedAnswer({ host, port, protocol, reason, rule }: DeniedRequest): ProxyAnswer {
  if (reason === 'unresolved') return failedAnswer(502, 'The name of this host cannot be resolved.');
  const byRule = `A rule denies this host${rule?.why === undefined ? '' : `: ${rule.why}`}`;
  const message = rule === undefined ? sentences[reason] : endWithFullStop(byRule);
  const isText = protocol === 'https';
  const told = { status: 'blocked', host, ...sharedWords(reason), protocol, port, message };
  const error = `blocked-by-${headerValues[reason]}`;
  const headers = { 'content-type': isText ? 'text/plain' : 'application/json', 'x-proxy-error': error };
  return { status: 403, headers, body: isText ? `${message}\n` : JSON.stringify(told) };
}

/** Codex's proxy has no values for questions. */
function sharedWords(reason: RefusalReason) {
  if (reason === 'held_back' || reason === 'not_asked' || reason === 'declined')
    return { reason: 'policy_denied', decision: 'deny', source: 'decider' };
  const isAboutMode = reason === 'method_not_allowed' || reason === 'mitm_required';
  return { reason, decision: 'deny', source: isAboutMode ? 'mode_guard' : 'baseline_policy' };
}

function failedAnswer(status: 400 | 502, message: string): ProxyAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
}

const statusWords: Readonly<Record<number, string>> = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' };

function answerText({ status, headers, body }: ProxyAnswer): string {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${statusWords[status] ?? ''}`, ...lines, '', body].join('\r\n');
}
