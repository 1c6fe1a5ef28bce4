import { defined } from '../../base/objects.ts';
import { equalJson, isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Step } from '../envelope/envelope.ts';
import type { Fragment } from '../fragments/text/define-fragment.ts';
import { mcpProblemsId } from './sections/deferred-tools-and-mcp-servers.ts';
import { type AnySection, unknownState } from './sections/section.ts';

export interface SectionFragment {
  readonly section: string;
  readonly fragment: Fragment;
  /** Absent if the fact is withdrawn. */
  readonly value?: Json;
}

export interface WorldUpdate {
  readonly form: 'bundle' | 'change';
  readonly told: readonly SectionFragment[];
  /** Payload of the `world_state` line to write after the fragments; absent if nothing changed. */
  readonly record?: { readonly full: boolean; readonly state: JsonObject };
}

export type IsStillInHistory = (family: AnySection['family']) => boolean;
type Sections = readonly AnySection[];

/** Tells everything if nothing proves that anything was sent; otherwise only the differences. */
export function buildWorldUpdate(sections: Sections, step: Step, baseline: Baseline, stands: IsStillInHistory) {
  if (baseline.kind === 'none') return buildFullUpdate(sections, step, stands);
  return buildDifference(sections, step, baseline.state, stands);
}

/** Everything, for a reader without proven knowledge. An old text in force is replaced or withdrawn. */
export function buildFullUpdate(sections: readonly AnySection[], step: Step, stands: IsStillInHistory): WorldUpdate {
  const facts = factsOf(sections, step);
  const told = toldOf(facts, (each) => wholeOf(each, stands));
  return { form: 'bundle', told, record: { full: true, state: storedFacts(facts) } };
}

/** Tells only differences. A section missing in the baseline was never sent, unless its text in history is in force. */
function buildDifference(sections: Sections, step: Step, baseline: JsonObject, stands: IsStillInHistory): WorldUpdate {
  const facts = factsOf(sections, step);
  const told = toldOf(facts, (each) => {
    const { section, fact } = each;
    const stored = baseline[section.id];
    if (stored === undefined) return wholeOf(each, stands);
    const beside = section.beside && baseline[section.beside.id];
    return section.change(section.read(stored, beside) ?? unknownState, fact);
  });
  const state = makeMergePatch(ownSections(sections, baseline), storedFacts(facts));
  return { form: 'change', told, record: state && { full: false, state } };
}

type SectionFact = { readonly section: AnySection; readonly fact: undefined | never };

const factsOf = (sections: readonly AnySection[], step: Step): readonly SectionFact[] =>
  sections.map((section) => ({ section, fact: section.of(step) }));

function toldOf(facts: readonly SectionFact[], fragments: (each: SectionFact) => readonly Fragment[]) {
  return facts.flatMap((each) =>
    fragments(each).map((fragment) => ({ section: each.section.id, fragment, ...defined({ value: each.fact }) })),
  );
}

function wholeOf({ section, fact }: SectionFact, stands: IsStillInHistory): readonly Fragment[] {
  if (stands(section.family)) return section.change(unknownState, fact);
  return fact === undefined ? [] : section.full(fact);
}

const storedFacts = (facts: readonly SectionFact[]): JsonObject =>
  Object.fromEntries(
    facts.flatMap(({ section: { id, stored, beside }, fact }) => {
      if (fact === undefined) return [];
      return [[id, stored(fact)], ...(beside ? [[beside.id, beside.stored(fact)]] : [])];
    }),
  );

/** Sections of other programs stay unchanged: Capstan neither sends nor withdraws them. */
function ownSections(sections: readonly AnySection[], state: JsonObject): JsonObject {
  const ids = sections.flatMap(({ id, beside }) => (beside === undefined ? [id] : [id, beside.id]));
  return Object.fromEntries(ids.flatMap((id) => (state[id] === undefined ? [] : [[id, state[id]]])));
}

/**
 * The state last sent to the model, by section id. `none`: nothing proves that anything was sent since history was last
 * rewritten, so everything must be sent again (I7); `why` says why there is no proof.
 */
export type Baseline =
  | { readonly kind: 'none'; readonly why: NoBaselineReason; readonly problems?: ReportedMcpProblems }
  | { readonly kind: 'known'; readonly state: JsonObject };

/** Why MCP servers do not run, as the model last read it. Sent again until a process has seen the server. */
export type ReportedMcpProblems = Readonly<Record<string, string>>;
/** `start`: nothing was ever sent. `unproven`: the record is malformed, or changes a state that is not known. */
export type NoBaselineReason = 'start' | 'checkpoint' | 'unproven';
export const noBaseline: Baseline = { kind: 'none', why: 'start' };
const unproven: Baseline = { kind: 'none', why: 'unproven' };

export const baselineAfterCheckpoint = (problems: ReportedMcpProblems): Baseline => ({
  kind: 'none',
  why: 'checkpoint',
  ...(Object.keys(problems).length > 0 && { problems }),
});

/** MCP servers that do not run, and why, as last sent to the model. Valid until a process has seen the server. */
export const mcpProblemsInBaseline = (baseline: Baseline): ReportedMcpProblems =>
  baseline.kind === 'known' ? readMcpProblems(baseline.state[mcpProblemsId]) : (baseline.problems ?? {});

export function readMcpProblems(told: Json | undefined): ReportedMcpProblems {
  const problems = Object.entries(isJsonObject(told) ? told : {});
  return Object.fromEntries(problems.filter((each): each is [string, string] => typeof each[1] === 'string'));
}

/** The baseline after a `world_state` line. A patch proves nothing if the state that it changes is not known. */
export function foldWorldState(baseline: Baseline, payload: JsonObject): Baseline {
  const state = payload['state'];
  if (!isJsonObject(state)) return unproven;
  if (payload['full'] === true) return { kind: 'known', state };
  if (baseline.kind === 'none') return unproven;
  return { kind: 'known', state: applyMergePatch(baseline.state, state) as JsonObject };
}

/** Applies a merge patch (RFC 7386). The result shares unchanged parts with `target`. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json | undefined> = { ...(isJsonObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[key];
    else result[key] = applyMergePatch(result[key], value);
  }
  return result;
}

/** The patch that turns `before` into `now`, or undefined if they are equal. Neither may contain null in objects. */
export function makeMergePatch(before: JsonObject, now: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(before)) if (now[key] === undefined && before[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(now)) {
    if (value === undefined) continue;
    const old = before[key];
    if (isJsonObject(old) && isJsonObject(value)) {
      const inner = makeMergePatch(old, value);
      if (inner !== undefined) patch[key] = inner;
    } else if (!equalJson(old, value)) patch[key] = value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
