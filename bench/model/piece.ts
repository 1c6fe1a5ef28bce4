import type { JsonObject } from '../../src/protocol/json.ts';

/** A conversation of the model with one contender: so many calls, one after the other, then a closing message. */
export interface Piece {
  readonly calls: number;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The file that the body of the first request is written to. */
  readonly keepFirstBody?: string;
}

/** Input tokens that the model counts for each request, however long it is. */
export const countedInput = 20_000;

/** One request, when its last byte was there. `at` is on the system's monotonic clock, in milliseconds. */
export interface Arrival {
  readonly at: number;
  /** As they came over the wire. */
  readonly bytes: number;
}

export interface Performance {
  readonly arrivals: readonly Arrival[];
  /** The body of the last request, if the piece was played to its end. */
  readonly lastBody: string;
}

/** Between the runner and the process in which the model plays. */
export type ToModel =
  | { readonly kind: 'play'; readonly piece: Piece }
  | { readonly kind: 'go-on' }
  | { readonly kind: 'report' };
export type FromModel =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'ready' }
  /** The last request is there; its answer waits for `go-on`. */
  | { readonly kind: 'held' }
  | { readonly kind: 'report'; readonly performance: Performance };

/** Milliseconds of a clock that every process of a Linux machine shares. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
