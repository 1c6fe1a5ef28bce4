import { maskBytes } from './frame-parser.ts';

export interface FrameForm {
  readonly opcode: number;
  /** Four bytes. Frames of a client have them, those of a server do not. */
  readonly mask?: Uint8Array;
  /** More fragments of the same message follow. */
  readonly isFragment?: true;
  readonly isCompressed?: true;
}

const firstLongLength = 126;
const firstLongestLength = 65_536;

/** One frame, ready for the wire. The pieces stay as they are. */
export function frameBytes(
  { opcode, mask, isFragment, isCompressed }: FrameForm,
  pieces: readonly Uint8Array[],
): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const lengthBytes = length < firstLongLength ? 0 : length < firstLongestLength ? 2 : 8;
  const headLength = 2 + lengthBytes + (mask?.length ?? 0);
  const frame = Buffer.allocUnsafe(headLength + length);
  frame[0] = (isFragment === true ? 0 : 0x80) | (isCompressed === true ? 0x40 : 0) | opcode;
  frame[1] = (mask === undefined ? 0 : 0x80) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  if (mask !== undefined) frame.set(mask, headLength - mask.length);
  let at = headLength;
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.length;
  }
  if (mask !== undefined) maskBytes(frame.subarray(headLength), mask);
  return frame;
}

/** The content of a close frame. */
export function closeContent(code: number, reason = ''): Buffer {
  const content = Buffer.alloc(2 + Buffer.byteLength(reason));
  content.writeUInt16BE(code, 0);
  content.write(reason, 2);
  return content;
}
