import { createDigester } from '../../model/digester.ts';
import { responsesEncoder } from '../../model/responses/encode.ts';
import type { Digester } from '../../ports/digester.ts';
import type { Encoder } from '../../ports/prompt.ts';

/** What requests are rebuilt and compared with. */
export interface ReplayParts {
  readonly encoder: Encoder;
  readonly digester: Digester;
  /** The encoder of that version, if this program has it. */
  encoderOf(version: string): Encoder | undefined;
}

export function replayParts(): ReplayParts {
  const encoder = responsesEncoder();
  return {
    encoder,
    digester: createDigester(),
    encoderOf: (version) => (version === encoder.version ? encoder : undefined),
  };
}
