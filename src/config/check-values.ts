import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { oddMember } from '../protocol/odd-text.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfigProblem, ConfigProblemCode } from './config-problem.ts';
import type { ChoiceKind, KeyKind, KeyTable, NamedTablesKind, TableKind, TogglesKind } from './key-kind.ts';
import { hideSecrets } from './hide-secrets.ts';
import { keyProblem } from './key-problem.ts';
import { describeKind, hasType, isAllowed, wantsQuotes } from './kind-rules.ts';
import { nearestKey } from './nearest-key.ts';
import { type Override, overrideValues } from './override.ts';
import { formatTomlKey } from './toml-key.ts';

export interface CheckedValues {
  /** What is left when everything at fault is taken out. Aliases are replaced. */
  readonly values: JsonObject;
  /** What is right to write and has no effect yet, as it was written. */
  readonly unused: JsonObject;
  readonly problems: readonly ConfigProblem[];
  /** The keys in `values`, whole tables left out. */
  readonly keys: readonly (readonly string[])[];
}

export interface CheckOptions {
  /** What every name that is not known is taken for; tables that are stricter stay so. */
  readonly unknown: 'warning' | 'error';
}

/** Holds the values of one layer against the table. */
export function checkValues(kind: TableKind<KeyTable>, layer: ConfigLayer, options: CheckOptions): CheckedValues {
  const check = new Check(layer, options);
  const values = check.table(kind, layer.values, []);
  return { values, unused: overrideValues(check.unused), problems: check.problems, keys: check.keys };
}

type Path = readonly string[];
type AnyTable = Pick<TableKind<KeyTable>, 'keys' | 'unused' | 'unknown'>;

/** Collects the problems of one layer while its values are walked. */
class Check {
  readonly problems: ConfigProblem[] = [];
  readonly keys: Path[] = [];
  readonly unused: Override[] = [];
  readonly #layer: ConfigLayer;
  readonly #unknownIs: 'warning' | 'error';

  constructor(layer: ConfigLayer, { unknown }: CheckOptions) {
    this.#layer = layer;
    // The administrator of a machine relies on what the file says.
    this.#unknownIs = layer.name === 'managed' ? 'error' : unknown;
  }

  table(kind: AnyTable, values: JsonObject, path: Path): JsonObject {
    const kept: [string, Json][] = [];
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const at = [...path, key];
      const known = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (known !== undefined) {
        const checked = this.#value(known, value, at);
        if (checked !== undefined) kept.push([key, checked]);
      } else if (kind.unused.includes(key)) this.unused.push({ path: at, value });
      else this.#unknown(kind, at);
    }
    return Object.fromEntries(kept);
  }

  #value(kind: KeyKind, value: Json, at: Path): Json | undefined {
    switch (kind.type) {
      case 'table':
        return isJsonObject(value) ? this.table(kind, value, at) : this.#wrongType(kind, value, at);
      case 'named-tables':
        return isJsonObject(value) ? this.#namedTables(kind, value, at) : this.#wrongType(kind, value, at);
      case 'toggles':
        return isJsonObject(value) ? this.#toggles(kind, value, at) : this.#wrongType(kind, value, at);
      case 'unsupported': {
        // A file may be there for another program; an administrator's file or a flag means this one.
        const severity = this.#layer.name === 'managed' || this.#layer.name === 'flags' ? 'error' : 'warning';
        return this.#report(severity, 'config-unsupported-key', at, 'is not enforced by this version', kind.advice);
      }
      case 'retired':
        return this.#report('error', 'config-retired-key', at, 'is not read any more', kind.advice);
      default:
        return this.#leaf(kind, value, at);
    }
  }

  #namedTables(kind: NamedTablesKind<KeyTable>, value: JsonObject, at: Path): JsonObject {
    const kept: [string, Json][] = [];
    for (const [name, member] of Object.entries(value)) {
      const here = [...at, name];
      const advice = Object.hasOwn(kind.reserved, name) ? kind.reserved[name] : undefined;
      if (advice !== undefined) {
        this.#report('error', 'config-reserved-name', here, 'is built in and cannot be defined again', advice);
      } else if (isJsonObject(member)) {
        kept.push([name, this.table({ ...kind, unknown: 'warning' }, member, here)]);
      } else if (member !== undefined) {
        this.#wrongType({ type: 'table', keys: kind.keys, unused: [], unknown: 'warning' }, member, here);
      }
    }
    return Object.fromEntries(kept);
  }

  #toggles(kind: TogglesKind, value: JsonObject, at: Path): JsonObject {
    const kept: [string, Json][] = [];
    for (const [name, member] of Object.entries(value)) {
      const here = [...at, name];
      if (member === undefined) continue;
      if (!kind.names.includes(name)) this.#unknown({ keys: {}, unused: kind.names, unknown: 'warning' }, here);
      else if (typeof member === 'boolean' || (kind.tables === 'allowed' && isJsonObject(member))) {
        this.keys.push(here);
        kept.push([name, member]);
      } else this.#wrongType({ type: 'boolean' }, member, here);
    }
    return Object.fromEntries(kept);
  }

  #leaf(kind: KeyKind, value: Json, at: Path): Json | undefined {
    if (!hasType(kind, value)) return this.#wrongType(kind, value, at);
    const odd = oddMember(value);
    if (odd !== undefined) {
      return this.#report('error', 'config-wrong-value', at, `must not hold ${odd.what}`, 'Take it out.');
    }
    if (kind.type === 'choice' && typeof value === 'string') {
      const chosen = chosenOf(kind, value);
      if (chosen === undefined) return this.#wrongValue(kind, value, at);
      this.keys.push(at);
      return chosen;
    }
    if (kind.type === 'choice-list' && Array.isArray(value)) {
      const chosen = value.flatMap((member: Json) => chosenOf(kind, member) ?? []);
      if (value.length === 0 || chosen.length < value.length) return this.#wrongValue(kind, value, at);
      this.keys.push(at);
      return [...new Set(chosen)];
    }
    if (!isAllowed(kind, value)) return this.#wrongValue(kind, value, at);
    this.keys.push(at);
    return value;
  }

  #wrongType(kind: KeyKind, value: Json, at: Path): undefined {
    const what = `must be ${describeKind(kind)}, not ${describeValue(value, at)}`;
    const quotes = wantsQuotes(kind, value) ? `Write it in quotes: "${String(shownValue(value, at))}".` : undefined;
    return this.#report(
      'error',
      'config-wrong-type',
      at,
      what,
      quotes ?? `Write ${describeKind(kind)} or remove the key.`,
    );
  }

  #wrongValue(kind: KeyKind, value: Json, at: Path): undefined {
    const what = `must be ${describeKind(kind)}, not ${describeValue(value, at)}`;
    return this.#report('error', 'config-wrong-value', at, what, `Write ${describeKind(kind)} or remove the key.`);
  }

  #unknown(kind: AnyTable, at: Path): void {
    const severity = kind.unknown === 'error' ? 'error' : this.#unknownIs;
    const nearest = nearestKey(at.at(-1) ?? '', [...Object.keys(kind.keys), ...kind.unused]);
    const next =
      nearest === undefined
        ? 'It has no effect; remove it.'
        : `Did you mean ${formatTomlKey([...at.slice(0, -1), nearest])}?`;
    this.#report(severity, 'config-unknown-key', at, 'is not a known key', next);
  }

  #report(
    severity: ConfigProblem['severity'],
    code: ConfigProblemCode,
    at: Path,
    what: string,
    next: string,
  ): undefined {
    this.problems.push(keyProblem(this.#layer, at, { severity, code, what, next }));
    return undefined;
  }
}

/** The choice that is meant, by its own name or an older one. */
function chosenOf(
  { choices, aliases }: Pick<ChoiceKind<string>, 'choices' | 'aliases'>,
  value: Json,
): string | undefined {
  if (typeof value !== 'string') return undefined;
  const chosen = Object.hasOwn(aliases, value) ? aliases[value] : value;
  return chosen !== undefined && choices.includes(chosen) ? chosen : undefined;
}

/** Short, and without the content of lists and tables. */
function describeValue(value: Json, at: Path): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a table';
  const text = JSON.stringify(shownValue(value, at));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Messages end up in logs: a secret of the wrong sort stays one. */
function shownValue(value: Json, at: Path): Json {
  const key = at.at(-1) ?? '';
  return hideSecrets({ [key]: value })[key] ?? value;
}
