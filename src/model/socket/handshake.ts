import type { HttpHeaders } from '../http/network/await-head.ts';
import { deflateOffer } from './message-deflate.ts';

/** RFC 6455 has it: a server that answers with it has understood the request. */
const suffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export function newSocketKey(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(16).toString('base64');
}

/** What a server answers to the key of a client. */
export function acceptOf(key: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha1').update(`${key}${suffix}`).digest('base64');
}

/** What is asked for besides the headers of the request. */
export function upgradeHeaders(key: string): Readonly<Record<string, string>> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'sec-websocket-extensions': deflateOffer,
  };
}

/** Whether the answer opens a WebSocket for the key, in a form that was asked for. */
export function opensSocket(headers: HttpHeaders, key: string): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-accept'] === acceptOf(key) &&
    headers['sec-websocket-protocol'] === undefined
  );
}
