import type { DeflateRaw, InflateRaw } from 'node:zlib';
import { BoundedBuffer } from '../../protocol/bounded-buffer.ts';

/** What both sides agreed on about compression, RFC 7692. */
export interface DeflateTerms {
  /** How far back the client may refer, as a power of two. */
  readonly clientBits: number;
  /** Whether a message of the client may refer to those before it, and the same of the server. */
  readonly clientKeeps: boolean;
  readonly serverKeeps: boolean;
}

/** What a client offers: everything that it can do. */
export const deflateOffer = 'permessage-deflate; client_max_window_bits';

const mostBits = 15;
/** zlib has no smaller window in this form. */
const leastBits = 9;

/** What the server's answer to the offer says. `wrong`: something that was not offered. Undefined: no compression. */
export function deflateTerms(answer: string | undefined): DeflateTerms | 'wrong' | undefined {
  if (answer === undefined || answer.trim() === '') return undefined;
  const [name, ...parameters] = answer.split(';').map((part) => part.trim());
  if (name !== 'permessage-deflate') return 'wrong';
  const terms = { clientBits: mostBits, clientKeeps: true, serverKeeps: true };
  for (const parameter of parameters) {
    const [key = '', value] = parameter.split('=').map((part) => part.trim().replace(/^"(.*)"$/, '$1'));
    if (key === 'client_no_context_takeover' && value === undefined) terms.clientKeeps = false;
    else if (key === 'server_no_context_takeover' && value === undefined) terms.serverKeeps = false;
    else if (key === 'client_max_window_bits' && isBits(value)) terms.clientBits = Number(value);
    else if (key !== 'server_max_window_bits' || !isBits(value)) return 'wrong';
  }
  return terms;
}

function isBits(value: string | undefined): boolean {
  return value !== undefined && /^(8|9|1[0-5])$/.test(value);
}

/** Four bytes at the end of every flush that do not go over the wire. */
const flushEnd = Buffer.from([0, 0, 0xff, 0xff]);
/** Most of a request is text that stood in the one before: a higher level finds hardly more. */
const level = 3;

/** Compresses the messages of one side of a connection, and inflates those of the other. Each one after the other. */
export class MessageDeflate {
  readonly #out: { readonly keeps: boolean; readonly bits: number };
  readonly #inKeeps: boolean;
  #deflate: DeflateRaw | undefined;
  #inflate: InflateRaw | undefined;

  constructor(terms: DeflateTerms, side: 'client' | 'server') {
    const { clientBits, clientKeeps, serverKeeps } = terms;
    const isClient = side === 'client';
    this.#out = isClient ? { keeps: clientKeeps, bits: clientBits } : { keeps: serverKeeps, bits: mostBits };
    this.#inKeeps = isClient ? serverKeeps : clientKeeps;
  }

  /** The content of a compressed message; undefined where it must go as it is. */
  async compress(pieces: readonly Uint8Array[]): Promise<Buffer | undefined> {
    // A flush without anything to flush gives nothing.
    const isEmpty = pieces.every(({ length }) => length === 0);
    if (this.#out.bits < leastBits || isEmpty) return undefined;
    const zlib = process.getBuiltinModule('node:zlib');
    const stream = (this.#deflate ??= quiet(zlib.createDeflateRaw({ windowBits: this.#out.bits, level })));
    const content = await passed(stream, pieces, Number.POSITIVE_INFINITY);
    if (content === 'large' || content === undefined) return undefined;
    if (!this.#out.keeps) stream.reset();
    return content.subarray(0, content.length - flushEnd.length);
  }

  /** What a compressed message says; undefined if it is damaged. `large`: it says more than it may. */
  async inflate(content: Uint8Array, maxBytes: number): Promise<Buffer | 'large' | undefined> {
    const stream = (this.#inflate ??= quiet(process.getBuiltinModule('node:zlib').createInflateRaw()));
    const data = await passed(stream, [content, flushEnd], maxBytes);
    if (!this.#inKeeps) stream.reset();
    return data;
  }

  close(): void {
    this.#deflate?.close();
    this.#inflate?.close();
  }
}

/** A damaged stream may say so when no message is on its way, and an error without a listener would end the process. */
function quiet<Stream extends DeflateRaw | InflateRaw>(stream: Stream): Stream {
  stream.on('error', () => {});
  return stream;
}

function passed(
  stream: DeflateRaw | InflateRaw,
  pieces: readonly Uint8Array[],
  maxBytes: number,
): Promise<Buffer | 'large' | undefined> {
  return new Promise((resolve) => {
    const held = new BoundedBuffer(maxBytes);
    const settle = (result: Buffer | 'large' | undefined): void => {
      stream.off('data', onData).off('error', onLost).off('close', onLost);
      resolve(result);
    };
    const onLost = (): void => settle(undefined);
    const onData = (chunk: Buffer): void => {
      if (held.add(chunk)) return;
      settle('large');
      stream.close();
    };
    stream.on('data', onData).on('error', onLost).on('close', onLost);
    for (const piece of pieces) stream.write(piece);
    stream.flush(process.getBuiltinModule('node:zlib').constants.Z_SYNC_FLUSH, () => settle(held.take()));
  });
}
