import type { Socket } from 'node:net';
import { normaliseHost } from '../../../core/policy/network/host-name.ts';
import { type HostGate, joinSockets, sendAndClose } from './connection-gate.ts';

export const socksVersion = 5;
const reply = { granted: 0, failed: 1, notAllowed: 2, unreachable: 4, commandUnknown: 7, addressUnknown: 8 } as const;
const command = { connect: 1, udp: 3 } as const;
const noMethod = 0xff;

export type SocksStep =
  | { readonly kind: 'more' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'greeting'; readonly length: number; readonly isOpen: boolean }
  | ({ readonly kind: 'request'; readonly host?: string } & Readonly<Record<'length' | 'command' | 'port', number>>);

/** The greeting: version, count, and that many login methods. Only programs that need none are accepted. */
export function readSocksGreeting(bytes: Buffer): SocksStep {
  const [version, count] = bytes;
  if (version !== undefined && version !== socksVersion) return { kind: 'wrong' };
  if (count === undefined || bytes.length < 2 + count) return { kind: 'more' };
  return { kind: 'greeting', length: 2 + count, isOpen: bytes.subarray(2, 2 + count).includes(0) };
}

/** The request: version, command, zero, address of one of three kinds, port. No host: unknown kind, or empty name. */
export function readSocksRequest(bytes: Buffer): SocksStep {
  const [version, asked, , kind, first] = bytes;
  if (version !== undefined && version !== socksVersion) return { kind: 'wrong' };
  if (asked === undefined || kind === undefined || first === undefined) return { kind: 'more' };
  if (kind !== 1 && kind !== 3 && kind !== 4) return { kind: 'request', length: bytes.length, command: asked, port: 0 };
  const start = kind === 3 ? 5 : 4;
  const length = kind === 1 ? 4 : kind === 3 ? first : 16;
  if (bytes.length < start + length + 2) return { kind: 'more' };
  const field = bytes.subarray(start, start + length);
  const version6 = (field.toString('hex').match(/.{4}/g) ?? []).join(':');
  const host = normaliseHost(kind === 1 ? field.join('.') : kind === 3 ? field.toString('utf8') : version6);
  const port = bytes.readUInt16BE(start + length);
  return { kind: 'request', length: start + length + 2, command: asked, host, port };
}

/** Serves one program over SOCKS5. Only TCP: a datagram could go anywhere after the first. */
export function serveSocks(gate: HostGate, socket: Socket): void {
  let read: (bytes: Buffer) => SocksStep = readSocksGreeting;
  let bytes = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const step = read(bytes);
    if (step.kind === 'more') return;
    if (step.kind === 'wrong') return void socket.destroy();
    bytes = bytes.subarray(step.length);
    if (step.kind === 'greeting') {
      if (!step.isOpen) return sendAndClose(socket, Buffer.from([socksVersion, noMethod]));
      socket.write(Buffer.from([socksVersion, 0]));
      read = readSocksRequest;
      if (bytes.length > 0) onData(Buffer.alloc(0));
      return;
    }
    socket.off('data', onData).off('end', onEnd);
    socket.pause();
    void grant(gate, socket, step, bytes);
  };
  const onEnd = (): void => void socket.destroy();
  socket.on('data', onData).on('end', onEnd);
}

type SocksRequest = Extract<SocksStep, { kind: 'request' }>;

async function grant(gate: HostGate, socket: Socket, request: SocksRequest, rest: Buffer): Promise<void> {
  const { command: asked, host, port } = request;
  const refuse = (code: number) => sendAndClose(socket, answer(code));
  if (asked === command.udp) {
    await gate.pass({ host: host ?? '0.0.0.0', port, protocol: 'socks5_udp' });
    return refuse(reply.commandUnknown);
  }
  if (asked !== command.connect) return refuse(reply.commandUnknown);
  if (host === undefined || port === 0) return refuse(reply.addressUnknown);
  const passage = await gate.pass({ host, port, protocol: 'socks5_tcp' });
  if (passage.kind === 'blocked' && passage.denied.reason !== 'unresolved') return refuse(reply.notAllowed);
  if (passage.kind !== 'open') return refuse(reply.unreachable);
  if (socket.destroyed) return void passage.socket.destroy();
  socket.write(answer(reply.granted));
  if (rest.length > 0) passage.socket.write(rest);
  joinSockets(socket, passage.socket);
}

/** The proxy's own address is not disclosed. */
const answer = (code: number): Buffer => Buffer.from([socksVersion, code, 0, 1, 0, 0, 0, 0, 0, 0]);
