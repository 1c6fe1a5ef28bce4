import type { Step } from '../envelope/step.ts';
import type { Fragment } from '../fragments/define.ts';
import { factsOf, type SectionFact, storedFacts } from './facts-of.ts';
import { type AnySection, unknown } from './section.ts';
import type { StandsInHistory } from './stands-in-history.ts';
import type { Telling } from './telling.ts';

/** Everything, for a reader of whom nothing is proven. Where an old text stands, it is replaced or taken back. */
export function buildBundle(sections: readonly AnySection[], step: Step, stands: StandsInHistory): Telling {
  const facts = factsOf(sections, step);
  const told = facts.flatMap(({ section, fact }) =>
    wholeOf({ section, fact }, stands).map((fragment) => ({
      section: section.id,
      fragment,
      ...(fact === undefined ? {} : { value: fact }),
    })),
  );
  return { form: 'bundle', told, record: { full: true, state: storedFacts(facts) } };
}

function wholeOf({ section, fact }: SectionFact, stands: StandsInHistory): readonly Fragment[] {
  if (stands(section.kinds)) return section.change(unknown, fact);
  return fact === undefined ? [] : section.full(fact);
}
