import type { Envelope } from '../../envelope/envelope.ts';
import { type Ownership, ownership } from '../../envelope/ownership.ts';
import { defined } from '../../protocol/defined.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, valueAt } from '../../protocol/json.ts';
import { fieldOrigin } from './field-origin.ts';

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
    const value = valueAt(stored, row.field.split('.'));
    return value === undefined ? [] : [shown(row, value, stored)];
  });
}

function shown(row: Ownership, value: Json, stored: JsonObject): ShownField {
  const { field, consumers, awaits } = row;
  return {
    field,
    value,
    origin: isJsonObject(valueAt(stored, ['telemetry', 'origins']))
      ? fieldOrigin(row, stored as unknown as Pick<Envelope, 'telemetry'>)
      : row.source.otherwise,
    consumers: consumers.map(({ path }) => path),
    roles: [...new Set(consumers.map(({ role }) => role))],
    ...defined({ awaits }),
  };
}

export interface ChangedField {
  readonly field: string;
  /** Absent: the turn did not have it. */
  readonly from?: Json;
  readonly to?: Json;
  /** Who decided the newer value; absent when there is none. */
  readonly origin?: string;
}

/** What differs between two stored envelopes. */
export function changedFields(before: JsonObject, now: JsonObject): readonly ChangedField[] {
  const origins = new Map(envelopeFields(now).map(({ field, origin }) => [field, origin]));
  return ownership.flatMap(({ field }) => {
    const [from, to] = [valueAt(before, field.split('.')), valueAt(now, field.split('.'))];
    if (equalJson(from, to)) return [];
    const origin = origins.get(field);
    return [
      {
        field,
        ...defined({ from, to, origin }),
      },
    ];
  });
}
