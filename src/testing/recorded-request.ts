import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** How an exchange ended: the whole step was sent, the client left before that, or the script broke the connection. */
export type ExchangeEnd = 'answered' | 'client-left' | 'cut';

/** A request for a response, as it arrived. */
export interface RecordedRequest {
  /** Counted from 0, in order of arrival. */
  readonly index: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came over the wire. */
  readonly bytes: Buffer;
  /** The body without its content encoding: the same as `bytes` when it had none. */
  readonly decodedBytes: Buffer;
  readonly body: JsonObject;
  /** Number of the connection, counted from 0: equal numbers mean that a connection was used again. */
  readonly connection: number;
  readonly ended: Promise<ExchangeEnd>;
  /** As what it came over a WebSocket. `bytes` and `body` are then those of the whole request that it stands for. */
  readonly frame?: RecordedFrame;
}

/** A message of a client over a WebSocket. */
export interface RecordedFrame {
  /** `prewarm`: it asks for no answer, and uses up no step of the script. */
  readonly kind: 'full' | 'incremental' | 'prewarm';
  /** The answer that it builds on. */
  readonly previous?: string;
  /** As it came. */
  readonly bytes: Buffer;
  /** What its connection carried for it, with all that belongs to the protocol. */
  readonly wireBytes: number;
  readonly connection: number;
  /** Whether the answer that it builds on was not known, so that it was refused. */
  readonly isRefused: boolean;
}

export type RequestContent = Pick<RecordedRequest, 'bytes' | 'decodedBytes' | 'body'>;

/** Reads the body to its end. Rejects when the client leaves before that. */
export async function receiveContent(request: IncomingMessage): Promise<RequestContent | { readonly problem: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  try {
    const decodedBytes = decode(bytes, request.headers['content-encoding'] ?? 'identity');
    const body: unknown = JSON.parse(decodedBytes.toString('utf8'));
    return isJsonObject(body) ? { bytes, decodedBytes, body } : { problem: 'The request body is not a JSON object.' };
  } catch (error) {
    return { problem: `The request body cannot be read: ${String(error)}` };
  }
}

function decode(bytes: Buffer, encoding: string): Buffer {
  const zlib = process.getBuiltinModule('node:zlib');
  const decoder = new Map<string, (bytes: Buffer) => Buffer>([
    ['identity', (plain) => plain],
    ['gzip', zlib.gunzipSync],
    ['deflate', zlib.inflateSync],
    ['br', zlib.brotliDecompressSync],
    ['zstd', zlib.zstdDecompressSync],
  ]).get(encoding);
  if (decoder === undefined) throw new Error(`The content encoding ${encoding} is not known.`);
  return decoder(bytes);
}
