import type { Step } from '../../envelope/step.ts';
import type { Fragment } from '../../fragments/text/define.ts';
import type { Json, JsonWithoutNull } from '../../protocol/json.ts';

/** Something was told about a section, and nothing proves what. */
export const unknown = Symbol('unknown');
export type Unknown = typeof unknown;

/**
 * A typed part of the world that the model is told about. For every section, `full(a)` followed by `change(stored(a),
 * b)` leaves a reader with the same facts as `full(b)` alone. `Stored` is what the rollout keeps to compare with next
 * time; a replay never makes text of it (I1).
 */
export interface Section<Fact, Stored extends JsonWithoutNull, Past = Stored> {
  /** Stable. Sections that other programs also have use their ids and stored shapes; ours are named `capstan.<id>`. */
  readonly id: string;
  /** What it takes for granted of the sections before it: why it stands where it stands. */
  readonly assumes: string;
  /** Fragment kinds that tell it, and those that take it back: the newest of them in history says whether it stands. */
  readonly kinds: { readonly telling: readonly string[]; readonly withdrawing: readonly string[] };
  /** The fact as it is now, or undefined when the section has nothing to say in this step. */
  of(step: Step): Fact | undefined;
  stored(fact: Fact): Stored;
  /** What is kept besides, under an id of ours: another program that knows only `stored` drops it. */
  readonly beside?: { readonly id: string; stored(fact: Fact): JsonWithoutNull };
  /** The past, if this section wrote it or could have; undefined makes it unknown. `beside` may be missing. */
  read(stored: Json, beside: Json | undefined): Past | undefined;
  /** What to say to a reader that has been told nothing. */
  full(now: Fact): readonly Fragment[];
  /** What to say so that the reader is up to date. An unknown past gives the full form; undefined means: withdraw it. */
  change(before: Past | Unknown, now: Fact | undefined): readonly Fragment[];
}

/** A section whose types no caller needs to know: the facts it gives are taken by itself alone. */
export type AnySection = Section<never, JsonWithoutNull, never>;
