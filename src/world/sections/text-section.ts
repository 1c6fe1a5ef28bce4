import type { Step } from '../../envelope/step.ts';
import { type FragmentFamily, render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

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
      const nothingStands = before !== unknown && before.instructions === undefined;
      if (now === undefined) return nothingStands ? [] : [render(kind.withdrawn, undefined)];
      if (before !== unknown && before.instructions === stored(now).instructions) return [];
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
      if (before !== unknown && before === now) return [];
      return [render(now ? kind : kind.withdrawn, undefined)];
    },
  };
}
