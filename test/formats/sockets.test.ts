import { connect, createServer } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frameParser } from '../../src/model/socket/frame-parser.ts';
import { WebSocketConnection } from '../../src/model/socket/web-socket.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { cutLaw, damageLaw, roundLaw, splitLaw } from './socket-laws.ts';

/** test/deep/sockets.test.ts runs the same many more times. */
const runs = 400;

it('an answer reads the same, whatever fragments and pieces it comes in', () =>
  fc.assert(splitLaw(), { numRuns: runs }));

it('an answer fails by name where its connection breaks off', () => fc.assert(cutLaw(), { numRuns: runs }));

it('damaged frames give an answer or a failure by name', () => fc.assert(damageLaw(), { numRuns: runs }));

it('a frame comes out as it went in', () => fc.assert(roundLaw(), { numRuns: 100 }));

it('a message is too large by what its frames say, not by what came', () => {
  const parse = frameParser({ masked: false, maxBytes: 10, mayCompress: false });
  expect(parse(Buffer.from([0x01, 6, ...Buffer.from('123456')]))).toEqual([]);
  expect(parse(Buffer.from([0x80, 5]))).toEqual([
    { kind: 'wrong', code: 1009, why: 'sent a message that is too large' },
  ]);
});

it('a message of endless empty fragments is too large', () => {
  const parse = frameParser({ masked: false, maxBytes: 10_000, mayCompress: false });
  const fragments = Array.from({ length: 1000 }, (_, index) => [index === 0 ? 0x01 : 0x00, 0]).flat();
  expect(parse(Buffer.from(fragments))).toEqual([
    { kind: 'wrong', code: 1009, why: 'sent a message that is too large' },
  ]);
});

it('a server that sends pings, reads nothing and never answers is given up, and its pings are not all answered', async () => {
  const server = createServer((peer) => {
    peer.pause();
    peer.on('error', () => {});
    peer.write(Buffer.from(Array.from({ length: 30_000 }, () => [0x89, 0]).flat()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  whenTestEnds(() => {
    socket.destroy();
    server.close();
  });
  const connection = new WebSocketConnection({ socket, head: Buffer.alloc(0), maxBytes: 1000, terms: undefined });
  expect(await connection.read({ idleMs: 20_000 })).toEqual({
    kind: 'ended',
    why: 'sent too many signs of life',
    code: 1008,
  });
  expect(socket.writableLength).toBeLessThan(100_000);
});
