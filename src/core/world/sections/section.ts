import { isJsonObject, type Json, type JsonObject, type JsonWithoutNull, stringAt } from '../../../protocol/json.ts';
import type { Step } from '../../envelope/envelope.ts';
import { fingerprint, renderFragment } from '../../fragments/text/define-fragment.ts';
import type { Fragment, WithdrawableFragment } from '../../fragments/text/define-fragment.ts';

/** A section was sent, but nothing proves with which content. */
export const unknownState = Symbol('unknown');
export type UnknownState = typeof unknownState;

/**
 * A typed part of the world that the model learns. For every section, `full(a)` followed by `change(stored(a), b)`
 * gives a reader the same facts as `full(b)` alone. The rollout keeps `Stored` for the next comparison; a replay never
 * makes text of it (I1).
 */
export interface Section<Fact, Stored extends JsonWithoutNull, Past = Stored> {
  /** Stable. Sections that other programs also have use their ids and stored shapes; ours are named `capstan.<id>`. */
  readonly id: string;
  /** Facts that it presumes from earlier sections: the reason for its position. */
  readonly assumes: string;
  /** The kind that tells it and the one that withdraws it: the newest in history decides whether it is in force. */
  readonly family: ToldKinds;
  /** The current fact, or undefined if the section has nothing to say in this step. */
  of(step: Step): Fact | undefined;
  stored(fact: Fact): Stored;
  /** A second stored value, under an id of ours. Other programs know only `stored`, and drop this one. */
  readonly beside?: { readonly id: string; stored(fact: Fact): JsonWithoutNull };
  /** The past, if this section could have written it. Undefined: the past is unknown. `beside` may be missing. */
  read(stored: Json, beside: Json | undefined): Past | undefined;
  full(now: Fact): readonly Fragment[];
  /** Brings the reader up to date. An unknown past gives the full form; undefined `now` means: withdraw it. */
  change(before: Past | UnknownState, now: Fact | undefined): readonly Fragment[];
}

type ToldKinds = { readonly id: string; readonly withdrawn?: { readonly id: string } };

export const fragmentKindsOf = ({ family: { id, withdrawn } }: AnySection): readonly string[] =>
  withdrawn === undefined ? [id] : [id, withdrawn.id];

/** A section of any type: callers only pass its own facts back to it. */
export type AnySection = Section<never, JsonWithoutNull, never>;

export interface StoredTextDigest extends JsonObject {
  /** Digest of the text as first sent; the text is in its message (I9). Other programs omit it if there is no text. */
  readonly instructions?: string;
}

type TextSection<Fact> = Pick<Section<Fact, StoredTextDigest>, 'assumes' | 'of' | 'beside'> & {
  readonly kind: WithdrawableFragment<Fact & { readonly replaces: boolean }>;
};

/** A section of one text: sent, replaced as a whole, or withdrawn. */
export function textSection<Fact extends object>({
  kind,
  ...rest
}: TextSection<Fact>): Section<Fact, StoredTextDigest> {
  const told = (fact: Fact, replaces: boolean) => renderFragment(kind, { ...fact, replaces });
  const stored = (fact: Fact): StoredTextDigest => ({ instructions: fingerprint(told(fact, false)) });
  return {
    ...rest,
    id: kind.section!,
    family: kind,
    stored,
    read(value) {
      const instructions = isJsonObject(value) ? stringAt(value, 'instructions') : undefined;
      if (instructions !== undefined) return { instructions };
      return isJsonObject(value) && Object.keys(value).length === 0 ? {} : undefined;
    },
    full: (now) => [told(now, false)],
    change(before, now) {
      const nothingStands = before !== unknownState && before.instructions === undefined;
      if (now === undefined) return nothingStands ? [] : [renderFragment(kind.withdrawn, undefined)];
      if (before !== unknownState && before.instructions === stored(now).instructions) return [];
      return [told(now, !nothingStands)];
    },
  };
}

type GuidanceSection = Pick<Section<boolean, boolean>, 'assumes' | 'of'> & {
  readonly kind: WithdrawableFragment<void>;
};

/** A section of a fixed text that applies or not. Stored as other programs do: true or false. */
export const guidanceSection = ({ kind, ...rest }: GuidanceSection): Section<boolean, boolean> => ({
  ...rest,
  id: kind.section!,
  family: kind,
  stored: (fact) => fact,
  read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
  full: (now) => (now ? [renderFragment(kind, undefined)] : []),
  change(before, now = false) {
    if (before !== unknownState && before === now) return [];
    return [renderFragment(now ? kind : kind.withdrawn, undefined)];
  },
});
