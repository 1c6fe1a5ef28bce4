import type { ProcessOutput } from '../../ports/commands.ts';
import { formatOmittedLine } from '../../protocol/display-text.ts';

/** Keeps the first and the last half of `limit` bytes. Decodes at the end, so that nothing splits a character. */
export function createOutputBuffer(limit: number): { add(bytes: Uint8Array): void; result(): ProcessOutput } {
  const headSize = Math.floor(limit / 2);
  const tailSize = limit - headSize;
  // Allocates on demand: most commands print little.
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  let total = 0;
  let breaks = 0;

  function addToTail(bytes: Uint8Array, position: number): void {
    if (tailSize === 0) return;
    tail = grown(tail, { needed: Math.min(tailSize, position + bytes.length), limit: tailSize });
    const skipped = Math.max(0, bytes.length - tailSize);
    let rest = bytes.subarray(skipped);
    let at = (position + skipped) % tailSize;
    while (rest.length > 0) {
      const space = Math.min(rest.length, tailSize - at);
      tail.set(rest.subarray(0, space), at);
      rest = rest.subarray(space);
      at = 0;
    }
  }

  return {
    add(bytes) {
      const left = Math.max(0, headSize - total);
      if (left > 0) {
        head = grown(head, { needed: Math.min(headSize, total + bytes.length), limit: headSize });
        head.set(bytes.subarray(0, left), total);
      }
      if (bytes.length > left) {
        const rest = bytes.subarray(left);
        breaks += breaksIn(rest);
        addToTail(rest, total + left - headSize);
      }
      total += bytes.length;
    },

    result() {
      const start = head.subarray(0, Math.min(total, headSize));
      const behind = Math.max(0, total - headSize);
      if (behind <= tailSize)
        return { text: decode(Buffer.concat([start, tail.subarray(0, behind)])), totalBytes: total };
      const seam = tailSize === 0 ? 0 : behind % tailSize;
      const end = Buffer.concat([tail.subarray(seam), tail.subarray(0, seam)]);
      const before = withoutBrokenEnd(start);
      const after = withoutBrokenStart(end);
      const text = decode(before);
      const lineBreak = text === '' || text.endsWith('\n') ? '' : '\n';
      // Both ends of a cut line count as lines in the parts that are kept.
      const lines = Math.max(0, breaks - breaksIn(after) - (lineBreak === '' ? 0 : 1));
      const omitted = formatOmittedLine({ bytes: total - before.length - after.length, lines });
      return { text: `${text}${lineBreak}${omitted}\n${decode(after)}`, totalBytes: total };
    },
  };
}

const lineBreakByte = 10;

function breaksIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === lineBreakByte) count += 1;
  return count;
}

function grown(buffer: Buffer, { needed, limit }: { needed: number; limit: number }): Buffer {
  if (buffer.length >= needed) return buffer;
  const larger = Buffer.alloc(Math.min(limit, Math.max(needed, buffer.length * 2)));
  buffer.copy(larger);
  return larger;
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutBrokenEnd(bytes: Buffer): Buffer {
  let first = bytes.length - 1;
  while (first >= 0 && bytes.length - first < 4 && isContinuation(bytes[first])) first -= 1;
  const lead = bytes[first] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - first < length ? bytes.subarray(0, first) : bytes;
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let first = 0;
  while (first < 3 && isContinuation(bytes[first])) first += 1;
  return bytes.subarray(first);
}
