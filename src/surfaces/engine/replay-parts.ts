import { createDigester } from '../../model/digester.ts';
import { loadEncoders } from '../../model/provider-for.ts';
import { itemBytes } from '../../model/responses/item-bytes.ts';
import type { Digester } from '../../ports/digester.ts';
import type { Encoder } from '../../ports/prompt.ts';

/** What requests are rebuilt and compared with. */
export interface ReplayParts {
  readonly digester: Digester;
  /** The versions of the encoders that this program has. */
  readonly versions: readonly string[];
  /** The encoder of that version, if this program has it. */
  encoderOf(version: string): Encoder | undefined;
  readonly itemBytes: typeof itemBytes;
}

export async function loadReplayParts(): Promise<ReplayParts> {
  const encoders = await loadEncoders();
  return {
    digester: createDigester(),
    versions: [...encoders.keys()],
    encoderOf: (version) => encoders.get(version),
    itemBytes,
  };
}
