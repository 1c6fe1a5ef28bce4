import type { Envelope } from '../../envelope/envelope.ts';
import { type Ownership, ownership } from '../../envelope/ownership.ts';
import { defined } from '../../protocol/defined.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, valueAt } from '../../protocol/json.ts';

/** One field of a turn's envelope, with who filled it and who reads it. */
export interface ShownField {
  readonly field: string;
  readonly value: Json;
  readonly origin: string;
  /** Source files. */
  readonly consumers: readonly string[];
  /** What the consumers do, each once. */
  readonly roles: readonly string[];
  /** What will read it and is not there yet. */
  readonly awaits?: string;
}

/** The fields that a stored envelope has, in the order of the map. Long texts stand there as size and digest. */
export function envelopeFields(stored: JsonObject): readonly ShownField[] {
  return ownership.flatMap((row) => {
    const { field, consumers, awaits } = row;
    const value = valueAt(stored, field.split('.'));
    if (value === undefined) return [];
    const roles = [...new Set(consumers.map(({ role }) => role))];
    const paths = consumers.map(({ path }) => path);
    return [{ field, value, origin: originOf(row, stored), consumers: paths, roles, ...defined({ awaits }) }];
  });
}

/**
 * Who decided a field of a turn: the layer or caller that chose the setting behind it, else where it comes from without
 * a choice. An override chooses a setting as a whole.
 */
function originOf({ field, source }: Ownership, stored: JsonObject): string {
  const { settings = [] } = source;
  const otherwise = source.otherwise === 'model catalogue' ? sourceOf(field, stored) : source.otherwise;
  if (!isJsonObject(valueAt(stored, ['telemetry', 'origins']))) return otherwise;
  const { origins } = (stored as unknown as Pick<Envelope, 'telemetry'>).telemetry;
  const chosen = settings.map(
    (path) => origins[path] ?? origins[path.replace(/\..*/s, '')] ?? origins[formerNames[path] ?? path],
  );
  return chosen.find((origin) => origin !== undefined) ?? otherwise;
}

/** Settings that older threads record under another name. */
const formerNames: Readonly<Record<string, string>> = { approvals: 'approval', sandbox: 'profile' };

/** Fields that are made from one of the model's record. */
const madeFrom: Readonly<Record<string, string>> = {
  'window.effective': 'contextWindow',
  'window.configured': 'contextWindow',
};

/** Of what the catalogue says, a server or a test may have said otherwise. */
function sourceOf(field: string, stored: JsonObject): string {
  const name = madeFrom[field] ?? field.replace(/^(?:identity\.model|capabilities)\./, '');
  const source = valueAt(stored, ['identity', 'model', 'sources', name]);
  return typeof source === 'string' ? source : 'model catalogue';
}

export type ChangedField = ReturnType<typeof changedFields>[number];

/**
 * What differs between two stored envelopes: a value is absent where the turn did not have it. The origin is who decided
 * the newer one.
 */
export function changedFields(before: JsonObject, now: JsonObject) {
  return ownership.flatMap((row) => {
    const { field } = row;
    const [from, to] = [before, now].map((stored) => valueAt(stored, field.split('.')));
    const origin = to === undefined ? undefined : originOf(row, now);
    return equalJson(from, to) ? [] : [{ field, ...defined({ from, to, origin }) }];
  });
}
