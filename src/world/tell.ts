import type { Step } from '../envelope/step.ts';
import type { Fragment } from '../fragments/define.ts';
import type { Json, JsonObject, JsonWithoutNull } from '../protocol/json.ts';
import type { Baseline } from './baseline.ts';
import { makePatch } from './merge-patch.ts';
import { type Section, unknown } from './section.ts';

/** What must be said before the next request, and the record of having said it. */
export interface Telling {
  readonly fragments: readonly Fragment[];
  /** Payload of the `world_state` line to write after the fragments; absent when nothing changed. */
  readonly record?: { readonly full: boolean; readonly state: JsonObject };
}

type AnySection = Section<never, JsonWithoutNull>;

/** Everything, if nothing is proven to have been told; else what differs. */
export function tell(sections: readonly AnySection[], step: Step, baseline: Baseline): Telling {
  const now = sections.map((section) => ({ section, fact: section.of(step) }));
  const state = Object.fromEntries(
    now.flatMap(({ section, fact }) => (fact === undefined ? [] : [[section.id, section.stored(fact)]])),
  );
  if (baseline.kind === 'none') {
    const fragments = now.flatMap(({ section, fact }) => (fact === undefined ? [] : section.full(fact)));
    return { fragments, record: { full: true, state } };
  }
  const fragments = now.flatMap(({ section, fact }) => changeOf(section, baseline.state[section.id], fact));
  const patch = makePatch(ownSections(sections, baseline.state), state);
  return patch === undefined ? { fragments } : { fragments, record: { full: false, state: patch } };
}

function changeOf(section: AnySection, stored: Json | undefined, fact: undefined | never): readonly Fragment[] {
  if (stored === undefined) return fact === undefined ? [] : section.change(unknown, fact);
  return section.change(section.read(stored) ?? unknown, fact);
}

/** Sections of other programs stay as they are: we neither speak of them nor take them back. */
function ownSections(sections: readonly AnySection[], state: JsonObject): JsonObject {
  return Object.fromEntries(sections.flatMap(({ id }) => (state[id] === undefined ? [] : [[id, state[id]]])));
}
