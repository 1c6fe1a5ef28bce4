import type { Step } from '../envelope/step.ts';
import { factsOf, storedFacts } from './facts-of.ts';
import type { AnySection } from './section.ts';
import type { Telling } from './telling.ts';

/** Everything, for a reader of whom nothing is known. */
export function buildBundle(sections: readonly AnySection[], step: Step): Telling {
  const facts = factsOf(sections, step);
  return {
    form: 'bundle',
    told: facts.flatMap(({ section, fact }) =>
      fact === undefined
        ? []
        : section.full(fact).map((fragment) => ({ section: section.id, fragment, value: fact })),
    ),
    record: { full: true, state: storedFacts(facts) },
  };
}
