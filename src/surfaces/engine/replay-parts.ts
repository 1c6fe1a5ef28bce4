import { createDigester } from '../../model/digester.ts';
import { loadEncoders } from '../../model/provider-for.ts';
import { itemBytes } from '../../model/responses/item-bytes.ts';

/** What requests are rebuilt and compared with. */
export async function loadReplayParts() {
  const encoders = await loadEncoders();
  return {
    digester: createDigester(),
    /** The versions of the encoders that this program has. */
    versions: [...encoders.keys()],
    /** The encoder of that version, if this program has it. */
    encoderOf: (version: string) => encoders.get(version),
    itemBytes,
  };
}
