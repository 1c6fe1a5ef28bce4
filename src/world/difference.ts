import type { Step } from '../envelope/step.ts';
import type { Fragment } from '../fragments/define.ts';
import type { JsonObject } from '../protocol/json.ts';
import { factsOf, type SectionFact, storedFacts } from './facts-of.ts';
import { makePatch } from './merge-patch.ts';
import { type AnySection, unknown } from './section.ts';
import type { StandsInHistory } from './stands-in-history.ts';
import type { Telling } from './telling.ts';

/** What differs from the baseline. A section that it does not hold was never told, unless a text of it stands in history. */
export function buildDifference(
  sections: readonly AnySection[],
  step: Step,
  baseline: JsonObject,
  stands: StandsInHistory,
): Telling {
  const facts = factsOf(sections, step);
  const told = facts.flatMap(({ section, fact }) =>
    differenceOf({ section, fact }, baseline, stands).map((fragment) => ({
      section: section.id,
      fragment,
      ...(fact === undefined ? {} : { value: fact }),
    })),
  );
  const patch = makePatch(ownSections(sections, baseline), storedFacts(facts));
  return patch === undefined
    ? { form: 'change', told }
    : { form: 'change', told, record: { full: false, state: patch } };
}

function differenceOf(
  { section, fact }: SectionFact,
  baseline: JsonObject,
  stands: StandsInHistory,
): readonly Fragment[] {
  const stored = baseline[section.id];
  const beside = section.beside === undefined ? undefined : baseline[section.beside.id];
  if (stored !== undefined) return section.change(section.read(stored, beside) ?? unknown, fact);
  if (stands(section.kinds)) return section.change(unknown, fact);
  return fact === undefined ? [] : section.full(fact);
}

/** Sections of other programs stay as they are: we neither speak of them nor take them back. */
function ownSections(sections: readonly AnySection[], state: JsonObject): JsonObject {
  const ids = sections.flatMap(({ id, beside }) => (beside === undefined ? [id] : [id, beside.id]));
  return Object.fromEntries(ids.flatMap((id) => (state[id] === undefined ? [] : [[id, state[id]]])));
}
