import type { ProviderCapabilities } from '../../ports/provider.ts';
import type { Credentials } from './credentials.ts';

export interface WireBody {
  readonly body: readonly Uint8Array[];
  /** What a receiver has to know about it. */
  readonly headers: Readonly<Record<string, string>>;
}

const level = 3;

/**
 * A body as it leaves: compressed where the provider takes that from an account. It is compressed once, and every attempt
 * sends the same bytes. What is recorded about a request is the body before.
 */
export async function wireBody(
  body: readonly Uint8Array[],
  { requestCompression }: Pick<ProviderCapabilities, 'requestCompression'>,
  credentials: Credentials,
): Promise<WireBody> {
  const isAccount = credentials.kind === 'bearer' && credentials.mode === 'chatgpt';
  if (requestCompression !== 'zstd' || !isAccount) return { body, headers: {} };
  const zlib = process.getBuiltinModule('node:zlib');
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: level };
  const packed = await new Promise<Buffer>((resolve, reject) => {
    zlib.zstdCompress(Buffer.concat(body), { params }, (error, bytes) =>
      error === null ? resolve(bytes) : reject(error),
    );
  });
  return { body: [packed], headers: { 'content-encoding': 'zstd' } };
}
