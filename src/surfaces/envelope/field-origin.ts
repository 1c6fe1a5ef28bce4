import type { Envelope } from '../../envelope/envelope.ts';
import type { Ownership } from '../../envelope/ownership.ts';

/** Who decided a field of a turn: whoever chose the setting behind it, else where it comes from without a choice. */
export function fieldOrigin({ source }: Ownership, envelope: Pick<Envelope, 'telemetry'>): string {
  const chosen = source.setting === undefined ? undefined : envelope.telemetry.origins[source.setting];
  return chosen ?? source.otherwise;
}
