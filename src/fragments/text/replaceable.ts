import { defineFamily, type FamilyDefinition, type FragmentFamily } from './define.ts';

type ReplaceableDefinition<Fact> = Omit<FamilyDefinition<Fact>, 'body'> & {
  /** The sentence that a text begins with where an earlier one stands. */
  readonly notice: string;
  /** Ends with a line break. */
  body(fact: Fact): string;
};

/** A family whose text stands until another one takes its place, which then says so. */
export function defineReplaceable<Fact>(
  definition: ReplaceableDefinition<Fact>,
): FragmentFamily<Fact & { readonly replaces: boolean }> {
  const { notice, body, ...rest } = definition;
  return defineFamily<Fact & { readonly replaces: boolean }>({
    ...rest,
    body: (fact) => `\n${fact.replaces ? `${notice}\n\n` : ''}${body(fact)}`,
  });
}
