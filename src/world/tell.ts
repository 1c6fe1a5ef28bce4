import type { Step } from '../envelope/step.ts';
import type { Fragment } from '../fragments/text/define.ts';
import { defined } from '../protocol/defined.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { Baseline } from './baseline.ts';
import { makePatch } from './merge-patch.ts';
import { type AnySection, unknown } from './sections/section.ts';

/** A text for the model and the fact that it tells. */
export interface Told {
  readonly section: string;
  readonly fragment: Fragment;
  /** Absent when the fact is withdrawn. */
  readonly value?: Json;
}

/** What must be said before the next request, and the record of having said it. */
export interface Telling {
  readonly form: 'bundle' | 'change';
  readonly told: readonly Told[];
  /** Payload of the `world_state` line to write after the fragments; absent when nothing changed. */
  readonly record?: { readonly full: boolean; readonly state: JsonObject };
}

/** Whether the newest text of these kinds in history tells something, and does not take it back. */
export type StandsInHistory = (kinds: AnySection['kinds']) => boolean;

/** Everything, if nothing is proven to have been told; else what differs. */
export function tell(
  sections: readonly AnySection[],
  step: Step,
  baseline: Baseline,
  stands: StandsInHistory,
): Telling {
  return baseline.kind === 'none'
    ? buildBundle(sections, step, stands)
    : buildDifference(sections, step, baseline.state, stands);
}

/** Everything, for a reader of whom nothing is proven. Where an old text stands, it is replaced or taken back. */
export function buildBundle(sections: readonly AnySection[], step: Step, stands: StandsInHistory): Telling {
  const facts = factsOf(sections, step);
  const told = toldOf(facts, (each) => wholeOf(each, stands));
  return { form: 'bundle', told, record: { full: true, state: storedFacts(facts) } };
}

/** What differs from the baseline. A section that it does not hold was never told, unless a text of it stands in history. */
function buildDifference(
  sections: readonly AnySection[],
  step: Step,
  baseline: JsonObject,
  stands: StandsInHistory,
): Telling {
  const facts = factsOf(sections, step);
  const told = toldOf(facts, (each) => differenceOf(each, baseline, stands));
  const state = makePatch(ownSections(sections, baseline), storedFacts(facts));
  return { form: 'change', told, ...(state === undefined ? {} : { record: { full: false, state } }) };
}

interface SectionFact {
  readonly section: AnySection;
  readonly fact: undefined | never;
}

function factsOf(sections: readonly AnySection[], step: Step): readonly SectionFact[] {
  return sections.map((section) => ({ section, fact: section.of(step) }));
}

function toldOf(facts: readonly SectionFact[], fragments: (each: SectionFact) => readonly Fragment[]): readonly Told[] {
  return facts.flatMap((each) =>
    fragments(each).map((fragment) => ({ section: each.section.id, fragment, ...defined({ value: each.fact }) })),
  );
}

function differenceOf(each: SectionFact, baseline: JsonObject, stands: StandsInHistory): readonly Fragment[] {
  const { section, fact } = each;
  const stored = baseline[section.id];
  const beside = section.beside === undefined ? undefined : baseline[section.beside.id];
  return stored === undefined ? wholeOf(each, stands) : section.change(section.read(stored, beside) ?? unknown, fact);
}

function wholeOf({ section, fact }: SectionFact, stands: StandsInHistory): readonly Fragment[] {
  if (stands(section.kinds)) return section.change(unknown, fact);
  return fact === undefined ? [] : section.full(fact);
}

/** What is stored of all of them, by section id. */
function storedFacts(facts: readonly SectionFact[]): JsonObject {
  return Object.fromEntries(
    facts.flatMap(({ section: { id, stored, beside }, fact }) => {
      if (fact === undefined) return [];
      return [[id, stored(fact)], ...(beside ? [[beside.id, beside.stored(fact)]] : [])];
    }),
  );
}

/** Sections of other programs stay as they are: we neither speak of them nor take them back. */
function ownSections(sections: readonly AnySection[], state: JsonObject): JsonObject {
  const ids = sections.flatMap(({ id, beside }) => (beside === undefined ? [id] : [id, beside.id]));
  return Object.fromEntries(ids.flatMap((id) => (state[id] === undefined ? [] : [[id, state[id]]])));
}
