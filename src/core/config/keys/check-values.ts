import { editDistance } from '../../../base/edit-distance.ts';
import { findUnstorableText, isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import { granularFault, granularForm } from '../../policy/decide/approval-policy.ts';
import { hideSecrets, mayNameSecret } from '../../policy/secrets.ts';
import { type ConfigLayer, type ConfigProblem, type ConfigProblemCode, configKeyProblem } from '../layer-order.ts';
import { currentGateName } from '../features.ts';
import { type ConfigOverride, overrideValues } from '../flag-overrides.ts';
import { wrapValueInKeys } from '../merge-values.ts';
import { formatTomlKey } from '../toml/toml-key.ts';
import { describeConfigKeyKind, isLeafKey, leafValue, keyNeedsQuotes } from './key-kinds.ts';
import type {
  ConfigKeyKind,
  SchemaKeys,
  LeafKeyKind,
  NamedTablesKind,
  TableKeyKind,
  TogglesKeyKind,
} from './key-kinds.ts';

export interface CheckedConfigValues {
  /** The valid values, with aliases replaced. */
  readonly values: JsonObject;
  readonly unused: JsonObject;
  readonly problems: readonly ConfigProblem[];
  /** The keys in `values`, without entries for whole tables. */
  readonly keys: readonly (readonly string[])[];
}

export interface CheckOptions {
  /** Severity of unknown names; stricter tables stay stricter. */
  readonly unknown: 'warning' | 'error';
  readonly otherVariables?: readonly string[];
}

export function checkConfigValues(
  kind: TableKeyKind<SchemaKeys>,
  layer: ConfigLayer,
  options: CheckOptions,
): CheckedConfigValues {
  const check = new Check(layer, options);
  const values = check.table(kind, layer.values, []);
  return { values, unused: overrideValues(check.unused), problems: check.problems, keys: check.keys };
}

type Path = readonly string[];
type Severity = ConfigProblem['severity'];
type AnyTable = Pick<TableKeyKind<SchemaKeys>, 'keys' | 'unused' | 'unknown' | 'wrong' | 'others'>;

class Check {
  readonly problems: ConfigProblem[] = [];
  readonly keys: Path[] = [];
  readonly unused: ConfigOverride[] = [];
  readonly #layer: ConfigLayer;
  readonly #unknownIs: Severity;
  /** Severity of a wrong value at the current place of the walk. */
  #wrongIs: Severity = 'error';

  constructor(layer: ConfigLayer, { unknown }: CheckOptions) {
    this.#layer = layer;
    // The administrator of a machine relies on the file's content.
    this.#unknownIs = layer.name === 'managed' ? 'error' : unknown;
  }

  table(kind: AnyTable, values: JsonObject, path: Path): JsonObject {
    const around = this.#wrongIs;
    this.#wrongIs = this.#severityIn(kind);
    const kept = this.#members(kind, values, path);
    this.#wrongIs = around;
    return kept;
  }

  /** If no unknown name may pass, no wrong value may either. */
  #severityIn({ wrong }: Pick<AnyTable, 'wrong'>): Severity {
    return wrong === 'warning' && this.#unknownIs === 'warning' ? 'warning' : this.#wrongIs;
  }

  #members(kind: AnyTable, values: JsonObject, path: Path): JsonObject {
    return members(values, path, (value, at, key) => {
      const known = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (known !== undefined) return this.#value(known, value, at);
      if (kind.others !== undefined && isJsonObject(value)) return this.#value(kind.others, value, at);
      if (!kind.unused.includes(key)) return this.#unknown(kind, at);
      this.unused.push({ path: at, value });
      return undefined;
    });
  }

  #value(kind: ConfigKeyKind, value: Json, at: Path): Json | undefined {
    if (kind.type === 'retired')
      return this.#report('error', 'config-retired-key', at, 'is no longer used', kind.advice);
    if (isLeafKey(kind)) {
      const isChecked = kind.type === 'free' && kind.checked !== undefined && isJsonObject(value);
      return isChecked ? this.#checked(kind.checked, value, at) : this.#leaf(kind, value, at);
    }
    if (!isJsonObject(value)) return this.#wrongValue(kind, value, at);
    if (kind.type === 'table') return this.table(kind, value, at);
    return kind.type === 'toggles' ? this.#toggles(kind, value, at) : this.#namedTables(kind, value, at);
  }

  /** Checks a table that counts as one key: no code reads its parts separately. */
  #checked(kind: AnyTable, value: JsonObject, at: Path): Json {
    const before = this.keys.length;
    const kept = this.table(kind, value, at);
    this.keys.length = before;
    return this.#keep(kept, at);
  }

  #namedTables(kind: NamedTablesKind<SchemaKeys>, value: JsonObject, path: Path): JsonObject {
    const table = { type: 'table', keys: kind.keys, unused: kind.unused, unknown: 'warning' } as const;
    return members(value, path, (member, at) => this.#value(table, member, at));
  }

  #toggles(kind: TogglesKeyKind, value: JsonObject, path: Path): JsonObject {
    return members(value, path, (member, at, name) => {
      if (!kind.names.includes(name)) return this.#unknown({ keys: {}, unused: kind.names, unknown: 'warning' }, at);
      const isRight = typeof member === 'boolean' || (kind.tables === 'allowed' && isJsonObject(member));
      if (!isRight) return this.#wrongValue({ type: 'boolean' }, member, at);
      return kind.closable === undefined ? this.#keep(member, at) : this.#closed(kind.closable, member, at, name);
    });
  }

  #closed(closable: readonly string[], value: Json, at: Path, name: string): Json | undefined {
    const isClosable = closable.includes(currentGateName(name));
    if (isClosable && (isJsonObject(value) ? value['enabled'] : value) === false) return this.#keep(value, at);
    const what = isClosable ? 'can only be false here' : 'has no effect here';
    const next = `Remove it. What can be switched off here: ${closable.join(', ')}.`;
    return this.#report('warning', 'config-unsupported-key', at, what, next);
  }

  #leaf(kind: LeafKeyKind, value: Json, at: Path): Json | undefined {
    const found = leafValue(kind, value);
    if (found === 'config-wrong-type') return this.#wrongValue(kind, value, at);
    const odd = findUnstorableText(value);
    if (odd !== undefined)
      return this.#report('error', 'config-wrong-value', at, `must not contain ${odd.what}`, 'Remove it.');
    return typeof found === 'string' ? this.#wrongValue(kind, value, at, found) : this.#keep(found.kept, at);
  }

  #keep(value: Json, at: Path): Json {
    this.keys.push(at);
    return value;
  }

  #wrongValue(kind: ConfigKeyKind, value: Json, at: Path, code: ConfigProblemCode = 'config-wrong-type'): undefined {
    if (kind.type === 'approval-policy' && isJsonObject(value))
      return this.#report('error', code, at, granularFault(value), `Write ${granularForm}.`);
    if (kind.type === 'variable' || kind.type === 'variable-map') {
      const what = `must be ${describeConfigKeyKind(kind)}, and is something else`;
      const next = 'Put the key in an environment variable, and write the name of that variable here.';
      return this.#report('error', code, at, what, next);
    }
    const isHidden = code === 'config-wrong-type' && at.some((key) => tablesWithKeys.has(key));
    const what = `must be ${describeConfigKeyKind(kind)}, not ${isHidden ? describeType(value) : describeValue(value, at)}`;
    const next = keyNeedsQuotes(kind, value)
      ? `Write it in quotes${isHidden ? '' : `: "${String(shownValue(value, at))}"`}.`
      : `Write ${describeConfigKeyKind(kind)} or remove the key.`;
    const severity = kind.type === 'table' ? this.#severityIn(kind) : this.#wrongIs;
    const meanwhile = severity === 'warning' ? ' Until then Capstan ignores it.' : '';
    return this.#report(severity, code, at, what, `${next}${meanwhile}`);
  }

  #unknown(kind: AnyTable, at: Path): undefined {
    const toggle = misplacedToggle(kind, at);
    if (toggle !== undefined) {
      // A flag is meant for this run: if it were ignored, commands might run in another sandbox than the user chose.
      const isFlag = this.#layer.name === 'flags';
      const next = `Write ${formatTomlKey(toggle)}.`;
      return this.#report(isFlag ? 'error' : this.#unknownIs, 'config-unknown-key', at, 'is not a known key', next);
    }
    const severity = kind.unknown === 'error' ? 'error' : this.#unknownIs;
    if (Object.hasOwn(kind.keys, 'env_key') && mayNameSecret(at.at(-1) ?? '')) {
      const named = formatTomlKey([...at.slice(0, -1), 'env_key']);
      const next = `Put the key in an environment variable, and name the variable in ${named}.`;
      return this.#report(severity, 'config-unknown-key', at, 'is not a known key', next);
    }
    const nearest = nearestConfigKey(at.at(-1) ?? '', [...Object.keys(kind.keys), ...kind.unused]);
    const meant = nearest && `Did you mean ${formatTomlKey([...at.slice(0, -1), nearest])}?`;
    const next = meant ?? 'It has no effect; remove it.';
    return this.#report(severity, 'config-unknown-key', at, 'is not a known key', next);
  }

  #report(severity: Severity, code: ConfigProblemCode, at: Path, what: string, next: string): undefined {
    this.problems.push(configKeyProblem(this.#layer, at, { severity, code, what, next }));
  }
}

function misplacedToggle({ keys }: AnyTable, at: Path): Path | undefined {
  const name = at.at(-1) ?? '';
  const tables = Object.entries(keys).filter(([, kind]) => kind.type === 'toggles' && kind.names.includes(name));
  return tables.map(([table]) => [...at.slice(0, -1), table, name])[0];
}

function members(values: JsonObject, path: Path, check: (value: Json, at: Path, key: string) => Json | undefined) {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const checked = value === undefined ? undefined : check(value, [...path, key], key);
    return checked === undefined ? [] : [[key, checked] as const];
  });
  return Object.fromEntries(kept);
}

/** Tables of servers, where a value of another type may hold a secret key. */
const tablesWithKeys = new Set(['mcp_servers', 'model_providers', 'otel']);

function describeType(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'a table' : value === null ? 'null' : `a ${typeof value}`;
}

function describeValue(value: Json, at: Path): string {
  if (typeof value === 'object') return describeType(value);
  const text = JSON.stringify(shownValue(value, at));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Messages end up in logs, so a secret of the wrong type must not be shown. */
const shownValue = (value: Json, at: Path): Json => valueAt(hideSecrets(wrapValueInKeys(at, value)), at) ?? value;

export function nearestConfigKey(written: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(written.length / 3));
  let best: { readonly key: string; readonly distance: number } | undefined;
  for (const key of candidates) {
    if (Math.abs(key.length - written.length) > allowed) continue;
    const distance = editDistance(written.toLowerCase(), key);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  return best?.key;
}
