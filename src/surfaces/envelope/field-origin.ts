import type { Envelope } from '../../envelope/envelope.ts';
import type { Ownership } from '../../envelope/ownership.ts';

/**
 * Who decided a field of a turn: the layer or caller that chose the setting behind it, else where it comes from without
 * a choice.
 */
export function fieldOrigin({ source }: Ownership, envelope: Pick<Envelope, 'telemetry'>): string {
  const { origins } = envelope.telemetry;
  const chosen = (source.settings ?? []).map((path) => origins[path] ?? origins[wholeOf(path)]);
  return chosen.find((origin) => origin !== undefined) ?? source.otherwise;
}

/** An override chooses a setting as a whole. */
function wholeOf(path: string): string {
  const dot = path.indexOf('.');
  return dot < 0 ? path : path.slice(0, dot);
}
