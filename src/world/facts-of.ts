import type { Step } from '../envelope/step.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AnySection } from './section.ts';

export interface SectionFact {
  readonly section: AnySection;
  readonly fact: undefined | never;
}

export function factsOf(sections: readonly AnySection[], step: Step): readonly SectionFact[] {
  return sections.map((section) => ({ section, fact: section.of(step) }));
}

/** What is stored of all of them, by section id. */
export function storedFacts(facts: readonly SectionFact[]): JsonObject {
  return Object.fromEntries(
    facts.flatMap(({ section: { id, stored, beside }, fact }) => {
      if (fact === undefined) return [];
      return [[id, stored(fact)], ...(beside === undefined ? [] : [[beside.id, beside.stored(fact)]])];
    }),
  );
}
