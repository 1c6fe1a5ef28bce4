import { BoundedBuffer } from '../../protocol/bounded-buffer.ts';

/** The kinds of frames that RFC 6455 has. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What the bytes of a peer say. After `wrong` nothing more is read. */
export type ReceivedFrame =
  | { readonly kind: 'message'; readonly data: Buffer; readonly isCompressed: boolean }
  | { readonly kind: 'ping'; readonly data: Buffer }
  | { readonly kind: 'pong' }
  /** `code` 1005: the peer gave none. */
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  /** `code`: what RFC 6455 has for it. `why`: the rest of a sentence that begins with the peer. */
  | { readonly kind: 'wrong'; readonly code: number; readonly why: string };

type Wrong = Extract<ReceivedFrame, { kind: 'wrong' }>;

/** What the peer must keep to. */
export interface FrameRules {
  /** Those of a client are masked, those of a server are not. */
  readonly masked: boolean;
  /** That a message may have, all its fragments together. */
  readonly maxBytes: number;
  readonly mayCompress: boolean;
}

interface OpenFrame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly mask: Buffer | undefined;
  readonly length: number;
  missing: number;
}

const longestHead = 14;
const mostControlBytes = 125;
const noBytes = Buffer.alloc(0);

/** Finds the frames in the bytes of a peer, whatever pieces these come in, and joins the fragments of messages. */
export function frameParser(rules: FrameRules): (chunk: Uint8Array) => readonly ReceivedFrame[] {
  /** The beginning of a head. */
  let head = noBytes;
  let frame: OpenFrame | undefined;
  /** A message of which not all has come. */
  let message: { readonly isCompressed: boolean } | undefined;
  /** Bytes of the message, and of a control frame, which may come between its fragments. */
  const content = new BoundedBuffer(rules.maxBytes);
  const control = new BoundedBuffer(mostControlBytes);
  /** Fragments without content: endless ones would never make a message too large. */
  let emptyBytes = 0;
  let isOver = false;

  /** What is wrong with a frame by its head alone: its content is not waited for. */
  function problemOf(first: number, code: number, length: number, isMasked: boolean): Wrong | undefined {
    const isControl = code >= opcode.close;
    const isLast = (first & 0x80) !== 0;
    const isCompressed = (first & 0x40) !== 0;
    if ((first & 0x30) !== 0) return wrong(1002, 'sent a frame with reserved bits');
    if (isCompressed && (!rules.mayCompress || isControl || code === opcode.continuation)) {
      return wrong(1002, 'sent a compressed frame that was not agreed on');
    }
    if (isMasked !== rules.masked) return wrong(1002, isMasked ? 'masked a frame' : 'did not mask a frame');
    if (![0, 1, 2, 8, 9, 10].includes(code)) return wrong(1002, `sent a frame of the unknown kind ${code}`);
    if (isControl && (!isLast || length > mostControlBytes))
      return wrong(1002, 'sent a control frame that is too long');
    if (isControl) return undefined;
    if (code === opcode.binary) return wrong(1003, 'sent binary data');
    if ((code === opcode.continuation) !== (message !== undefined)) {
      return wrong(1002, 'sent the fragments of a message out of order');
    }
    return content.length + emptyBytes + length > rules.maxBytes
      ? wrong(1009, 'sent a message that is too large')
      : undefined;
  }

  /** The head at the beginning of the bytes; undefined while more of it is to come. */
  function readHead(bytes: Buffer): { readonly size: number; readonly found: OpenFrame | Wrong } | undefined {
    if (bytes.length < 2) return undefined;
    const [first, second] = [bytes[0]!, bytes[1]!];
    const isMasked = (second & 0x80) !== 0;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const size = 2 + lengthBytes + (isMasked ? 4 : 0);
    if (bytes.length < size) return undefined;
    const length =
      lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const code = first & 0x0f;
    const problem = problemOf(first, code, length, isMasked);
    if (problem !== undefined) return { size, found: problem };
    const mask = isMasked ? bytes.subarray(size - 4, size) : undefined;
    if (code === opcode.text) {
      message = { isCompressed: (first & 0x40) !== 0 };
      emptyBytes = 0;
    }
    if (length === 0 && code < opcode.close) emptyBytes += longestHead;
    const isLast = (first & 0x80) !== 0;
    return { size, found: { opcode: code, isLast, mask, length, missing: length } };
  }

  /** All that the frame, or the message that it ends, holds. Undefined while more is to come. */
  function collect(open: OpenFrame, piece: Buffer): Buffer | undefined {
    const { mask, length, isLast, opcode: code } = open;
    const plain = mask === undefined ? piece : maskBytes(Buffer.from(piece), mask, length - open.missing);
    open.missing -= piece.length;
    const held = code >= opcode.close ? control : content;
    const isWhole = open.missing === 0 && isLast;
    // Most messages come in one piece.
    if (isWhole && held.length === 0) return plain;
    held.add(plain);
    return isWhole ? held.take() : undefined;
  }

  function take({ opcode: code }: OpenFrame, data: Buffer): ReceivedFrame {
    switch (code) {
      case opcode.ping:
        return { kind: 'ping', data };
      case opcode.pong:
        return { kind: 'pong' };
      case opcode.close:
        return closing(data);
    }
    const { isCompressed } = message!;
    message = undefined;
    return { kind: 'message', data, isCompressed };
  }

  return (chunk) => {
    const frames: ReceivedFrame[] = [];
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (!isOver && (rest.length > 0 || frame?.missing === 0)) {
      if (frame === undefined) {
        // A head is short: only its own bytes are joined.
        const held = head.length;
        const bytes = held === 0 ? rest : Buffer.concat([head, rest.subarray(0, longestHead)]);
        const read = readHead(bytes);
        if (read === undefined) {
          head = Buffer.from(bytes);
          break;
        }
        head = noBytes;
        rest = rest.subarray(read.size - held);
        if ('kind' in read.found) {
          frames.push(read.found);
          isOver = true;
          break;
        }
        frame = read.found;
      }
      const piece = rest.subarray(0, frame.missing);
      rest = rest.subarray(piece.length);
      const data = collect(frame, piece);
      if (frame.missing > 0) break;
      const found = data && take(frame, data);
      frame = undefined;
      if (found !== undefined) frames.push(found);
      isOver = found?.kind === 'close' || found?.kind === 'wrong';
    }
    return frames;
  };
}

function wrong(code: number, why: string): Wrong {
  return { kind: 'wrong', code, why };
}

function closing(data: Buffer): ReceivedFrame {
  if (data.length === 0) return { kind: 'close', code: 1005, reason: '' };
  if (data.length === 1) return wrong(1002, 'sent half of a close code');
  return { kind: 'close', code: data.readUInt16BE(0), reason: data.toString('utf8', 2) };
}

/** Masks, or unmasks, in place. The buffer must be the caller's own. `from`: where it begins in its frame. */
export function maskBytes(data: Buffer, mask: Uint8Array, from = 0): Buffer {
  for (let index = 0; index < data.length; index++) data[index]! ^= mask[(from + index) & 3]!;
  return data;
}
