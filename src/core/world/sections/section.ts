import { defined } from '../../../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, type JsonWithoutNull, stringAt } from '../../../protocol/json.ts';
import type { Step } from '../../envelope/envelope.ts';
import { fingerprint, type Fragment, type FragmentFamily, render } from '../../fragments/text/define-fragment.ts';

/** Something was told about a section, and nothing proves what. */
export const unknownState = Symbol('unknown');
export type UnknownState = typeof unknownState;

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
  change(before: Past | UnknownState, now: Fact | undefined): readonly Fragment[];
}

/** A section whose types no caller needs to know: the facts it gives are taken by itself alone. */
export type AnySection = Section<never, JsonWithoutNull, never>;

export interface StoredText extends JsonObject {
  /** Digest of the text as it is told first; the text itself stands in its message (I9). Others write none for no text. */
  readonly instructions?: string;
}

export interface TextSection<Fact> {
  readonly id: string;
  readonly assumes: string;
  readonly of: (step: Step) => Fact | undefined;
  readonly kind: FragmentFamily<Fact & { readonly replaces: boolean }>;
  readonly beside?: Section<Fact, StoredText>['beside'];
}

/** A section that is one text: told, replaced as a whole, or withdrawn. */
export function textSection<Fact extends object>(definition: TextSection<Fact>): Section<Fact, StoredText> {
  const { id, assumes, of, kind, beside } = definition;
  const told = (fact: Fact, replaces: boolean) => render(kind, { ...fact, replaces });
  const stored = (fact: Fact): StoredText => ({ instructions: fingerprint(told(fact, false)) });
  return {
    id,
    assumes,
    kinds: { telling: [kind.id], withdrawing: [kind.withdrawn.id] },
    of,
    stored,
    ...defined({ beside }),
    read(value) {
      if (!isJsonObject(value)) return undefined;
      const instructions = stringAt(value, 'instructions');
      if (instructions === undefined) return Object.keys(value).length === 0 ? {} : undefined;
      return { instructions };
    },
    full: (now) => [told(now, false)],
    change(before, now) {
      const nothingStands = before !== unknownState && before.instructions === undefined;
      if (now === undefined) return nothingStands ? [] : [render(kind.withdrawn, undefined)];
      if (before !== unknownState && before.instructions === stored(now).instructions) return [];
      return [told(now, !nothingStands)];
    },
  };
}

export interface GuidanceSection {
  readonly id: string;
  readonly assumes: string;
  readonly holds: (step: Step) => boolean;
  readonly kind: FragmentFamily<void>;
}

/** A section that is a fixed text which holds or does not. Stored as other programs do: true or false. */
export function guidanceSection({ id, assumes, holds, kind }: GuidanceSection): Section<boolean, boolean> {
  return {
    id,
    assumes,
    kinds: { telling: [kind.id], withdrawing: [kind.withdrawn.id] },
    of: holds,
    stored: (fact) => fact,
    read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
    full: (now) => (now ? [render(kind, undefined)] : []),
    change(before, now = false) {
      if (before !== unknownState && before === now) return [];
      return [render(now ? kind : kind.withdrawn, undefined)];
    },
  };
}
