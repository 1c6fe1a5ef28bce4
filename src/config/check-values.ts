import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { ConfigProblem, ConfigProblemCode } from './config-problem.ts';
import type { KeyKind, KeyTable, NamedTablesKind, TableKind } from './key-kind.ts';
import { describeKind, hasType, isAllowed, wantsQuotes } from './kind-rules.ts';
import { nearestKey } from './nearest-key.ts';

export interface CheckedValues {
  /** What is left when everything at fault is taken out. Aliases are replaced. */
  readonly values: JsonObject;
  readonly problems: readonly ConfigProblem[];
  /** Dotted names of the keys in `values`, whole tables left out. */
  readonly keys: readonly string[];
}

/** Holds the values of one layer against the table. */
export function checkValues(kind: TableKind<KeyTable>, values: JsonObject, source: string): CheckedValues {
  const check = new Check(source);
  return { values: check.table(kind, values, []), problems: check.problems, keys: check.keys };
}

type Path = readonly string[];

/** Collects the problems of one layer while its values are walked. */
class Check {
  readonly problems: ConfigProblem[] = [];
  readonly keys: string[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  table(kind: Pick<TableKind<KeyTable>, 'keys' | 'unused'>, values: JsonObject, path: Path): JsonObject {
    const kept: [string, Json][] = [];
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const at = [...path, key];
      const known = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (known === undefined) {
        if (!kind.unused.includes(key)) this.#unknown(kind, at);
        continue;
      }
      const checked = this.#value(known, value, at);
      if (checked !== undefined) kept.push([key, checked]);
    }
    return Object.fromEntries(kept);
  }

  #value(kind: KeyKind, value: Json, at: Path): Json | undefined {
    switch (kind.type) {
      case 'table':
        return isJsonObject(value) ? this.table(kind, value, at) : this.#wrongType(kind, value, at);
      case 'named-tables':
        return isJsonObject(value) ? this.#namedTables(kind, value, at) : this.#wrongType(kind, value, at);
      case 'unsupported':
        this.#report('warning', 'config-unsupported-key', at, 'is not enforced by this version', kind.advice);
        return undefined;
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
        kept.push([name, this.table(kind, member, here)]);
      } else if (member !== undefined) {
        this.#wrongType({ type: 'table', keys: kind.keys, unused: [] }, member, here);
      }
    }
    return Object.fromEntries(kept);
  }

  #leaf(kind: KeyKind, value: Json, at: Path): Json | undefined {
    if (!hasType(kind, value)) return this.#wrongType(kind, value, at);
    if (kind.type === 'choice' && typeof value === 'string') {
      const chosen = Object.hasOwn(kind.aliases, value) ? kind.aliases[value] : value;
      if (chosen === undefined || !kind.choices.includes(chosen)) return this.#wrongValue(kind, value, at);
      this.keys.push(at.join('.'));
      return chosen;
    }
    if (!isAllowed(kind, value)) return this.#wrongValue(kind, value, at);
    this.keys.push(at.join('.'));
    return value;
  }

  #wrongType(kind: KeyKind, value: Json, at: Path): undefined {
    const message = `must be ${describeKind(kind)}, not ${describeValue(value)}`;
    const quotes = wantsQuotes(kind, value) ? `Write it in quotes: "${String(value)}".` : undefined;
    this.#report('error', 'config-wrong-type', at, message, quotes ?? `Write ${describeKind(kind)} or remove the key.`);
  }

  #wrongValue(kind: KeyKind, value: Json, at: Path): undefined {
    const message = `must be ${describeKind(kind)}, not ${describeValue(value)}`;
    this.#report('error', 'config-wrong-value', at, message, `Write ${describeKind(kind)} or remove the key.`);
  }

  #unknown(kind: Pick<TableKind<KeyTable>, 'keys' | 'unused'>, at: Path): void {
    const key = at.at(-1) ?? '';
    const nearest = nearestKey(key, [...Object.keys(kind.keys), ...kind.unused]);
    const next =
      nearest === undefined ? 'Remove it.' : `Did you mean ${[...at.slice(0, -1), nearest].join('.')}? Else remove it.`;
    this.#report('warning', 'config-unknown-key', at, 'is not a known key and has no effect', next);
  }

  #report(severity: ConfigProblem['severity'], code: ConfigProblemCode, at: Path, what: string, next: string): void {
    const key = at.join('.');
    this.problems.push({ code, message: `${this.#source}: ${key} ${what}`, next, severity, source: this.#source, key });
  }
}

/** Short and without the content of lists and tables, which may hold secrets. */
function describeValue(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a table';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
