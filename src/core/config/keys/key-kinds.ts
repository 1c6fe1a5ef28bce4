import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { approvalNames, granularForm, readApprovalPolicy } from '../../policy/decide/approval-policy.ts';
import { isVariableName } from '../../policy/secrets.ts';

/** What a configuration key accepts. */
export type KeyKind =
  | { readonly type: 'string'; readonly blank: 'allowed' | 'refused' }
  /** A folder or file. The reader of the layer makes it absolute, because only it knows what the path is relative to. */
  | {
      readonly type:
        | 'path'
        | 'path-list'
        | 'boolean'
        | 'string-list'
        | 'string-or-list'
        | 'boolean-or-list'
        | 'string-map';
    }
  /** The name of an environment variable, or a table of them. People write keys there, which are shown nowhere. */
  | { readonly type: 'variable' | 'variable-map' }
  | { readonly type: 'integer'; readonly min: number; readonly max?: number }
  /** A number above zero, whole or not. */
  | { readonly type: 'seconds' }
  /** Whole or not. */
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  /** US dollars, whole or not. `zero`: whether nothing is an amount. */
  | { readonly type: 'amount'; readonly zero: 'allowed' | 'refused' }
  /** A model, by its name or with the id of its provider. */
  | { readonly type: 'model-choice' }
  /** A day, as `YYYY-MM-DD`. */
  | { readonly type: 'date' }
  | ChoiceKind<string>
  /** When the user is asked: one of the names, or a table that says it for each sort of question. */
  | { readonly type: 'approval-policy' }
  | ChoiceListKind<string>
  | ChoiceMapKind<string>
  | TogglesKind
  /** A table or a list that is read elsewhere, as it was written. `checked`: what is looked for in it. Absent: nothing is. */
  | { readonly type: 'free'; readonly shape: 'table' | 'list'; readonly checked?: TableKind<KeyTable> }
  | TableKind<KeyTable>
  | NamedTablesKind<KeyTable>
  | RefusedKind;

export interface ChoiceKind<Choice extends string> {
  readonly type: 'choice';
  readonly choices: readonly Choice[];
  /** Older spellings that still mean one of the choices. */
  readonly aliases: Readonly<Record<string, Choice>>;
}

/** One or more of the choices, in order of preference. */
export interface ChoiceListKind<Choice extends string> extends Omit<ChoiceKind<Choice>, 'type'> {
  readonly type: 'choice-list';
}

/** A table whose keys are made up by the user and whose values are one of the choices. */
export interface ChoiceMapKind<Choice extends string> {
  readonly type: 'choice-map';
  readonly choices: readonly Choice[];
}

/** A table of switches. Some of them have settings of their own and may be a table with `enabled` in it. */
export interface TogglesKind {
  readonly type: 'toggles';
  readonly names: readonly string[];
  readonly tables: 'allowed' | 'refused';
  /** Those that may only be switched off; all others have no effect here. Absent: each may be switched both ways. */
  readonly closable?: readonly string[];
}

export interface TableKind<Keys extends KeyTable> {
  readonly type: 'table';
  readonly keys: Keys;
  /** Names that are right to write and have no effect yet. */
  readonly unused: readonly string[];
  /** What a name that is neither is taken for. Where keys restrict something, a misspelt one must not pass. */
  readonly unknown: 'warning' | 'error';
  /** What a value of the wrong sort is taken for. Absent: an error, which stops the start. */
  readonly wrong?: 'warning';
  /** Tables under names that the user makes up, beside the keys. Absent: there are none. */
  readonly others?: TableKind<KeyTable>;
}

/** A table whose keys are names that the user makes up, each with a table of its own. */
export interface NamedTablesKind<Keys extends KeyTable> {
  readonly type: 'named-tables';
  readonly keys: Keys;
  readonly unused: readonly string[];
  /** The names are folders, in which `~` stands for the user's home folder. */
  readonly names: 'words' | 'folders';
}

/** Its meaning has gone, and a user who writes it expects something that will not happen. */
export interface RefusedKind {
  readonly type: 'retired';
  readonly advice: string;
}

export interface KeyTable {
  readonly [key: string]: KeyKind;
}

interface PlainValues {
  readonly string: string;
  readonly path: string;
  readonly integer: number;
  readonly seconds: number;
  readonly number: number;
  readonly amount: number;
  readonly date: string;
  readonly 'model-choice': string | { readonly model: string; readonly provider?: string };
  readonly boolean: boolean;
  readonly 'string-list': readonly string[];
  /** One string is a list of one. */
  readonly 'string-or-list': readonly string[];
  readonly 'boolean-or-list': boolean | readonly string[];
  readonly 'path-list': readonly string[];
  readonly 'string-map': Readonly<Record<string, string>>;
  readonly variable: string;
  readonly 'variable-map': Readonly<Record<string, string>>;
  readonly toggles: Readonly<Record<string, boolean | JsonObject>>;
  readonly free: Json;
  readonly 'approval-policy': ApprovalPolicy;
}

/** The value of a key after checking. */
type ValueOf<Kind extends KeyKind> = Kind extends { readonly type: keyof PlainValues }
  ? PlainValues[Kind['type']]
  : Kind extends ChoiceKind<infer Choice>
    ? Choice
    : Kind extends ChoiceListKind<infer Choice>
      ? readonly Choice[]
      : Kind extends ChoiceMapKind<infer Choice>
        ? Readonly<Record<string, Choice>>
        : Kind extends TableKind<infer Keys>
          ? ValuesOf<Keys>
          : Kind extends NamedTablesKind<infer Keys>
            ? Readonly<Record<string, ValuesOf<Keys>>>
            : never;

/** The checked values of a table, keys in camel case. */
export type ValuesOf<Table extends KeyTable> = {
  readonly [Key in keyof Table & string as Table[Key] extends RefusedKind ? never : CamelCase<Key>]?: ValueOf<
    Table[Key]
  >;
};

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

/** A key with one value, which no further keys stand in. */
export type LeafKind = Exclude<KeyKind, { readonly type: 'table' | 'named-tables' | 'toggles' | 'retired' }>;

/** What the key takes of a value, aliases replaced, or what is wrong: its sort, or its content. */
export function leafValue(
  kind: LeafKind,
  value: Json,
): { readonly kept: Json } | 'config-wrong-type' | 'config-wrong-value' {
  const result = (isOfType: boolean, kept: () => Json | undefined) => {
    if (!isOfType) return 'config-wrong-type';
    const content = kept();
    return content === undefined ? 'config-wrong-value' : { kept: content };
  };
  const ifAllowed = (isAllowed: boolean): Json | undefined => (isAllowed ? value : undefined);
  switch (kind.type) {
    case 'string':
      return result(isText(value), () => ifAllowed(kind.blank === 'allowed' || String(value).trim() !== ''));
    case 'path':
      return result(isText(value), () => ifAllowed(isPath(String(value))));
    case 'variable':
      return result(isText(value), () => ifAllowed(isVariableName(String(value))));
    case 'choice':
      return result(isText(value), () => chosenOf(kind, value));
    case 'approval-policy':
      return result(isText(value) || isJsonObject(value), () => readApprovalPolicy(value) as Json | undefined);
    case 'boolean':
      return result(typeof value === 'boolean', () => value);
    case 'integer':
      return result(typeof value === 'number', () => {
        const { min, max = Infinity } = kind;
        return ifAllowed(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max);
      });
    case 'seconds':
      return result(typeof value === 'number', () => ifAllowed(Number.isFinite(value) && Number(value) > 0));
    case 'number':
      return result(typeof value === 'number', () =>
        ifAllowed(Number.isFinite(value) && Number(value) >= kind.min && Number(value) <= kind.max),
      );
    case 'amount':
      return result(typeof value === 'number', () =>
        ifAllowed(Number.isFinite(value) && (kind.zero === 'allowed' ? Number(value) >= 0 : Number(value) > 0)),
      );
    case 'model-choice':
      return result(isText(value) || isJsonObject(value), () => ifAllowed(isModelChoice(value)));
    case 'date':
      return result(isText(value), () => ifAllowed(isDay(String(value))));
    case 'string-list':
      return result(isTextList(value), () => value);
    case 'string-or-list':
      return result(isText(value) || isTextList(value), () => (isText(value) ? [value] : value));
    case 'boolean-or-list':
      return result(typeof value === 'boolean' || isTextList(value), () => value);
    case 'path-list':
      return result(isTextList(value), () => ifAllowed((value as readonly string[]).every(isPath)));
    case 'choice-list':
      return result(isTextList(value), () => {
        const chosen = (value as readonly Json[]).map((member) => chosenOf(kind, member));
        const known = chosen.filter((member) => member !== undefined);
        return known.length === 0 || known.length < chosen.length ? undefined : [...new Set(known)];
      });
    case 'free':
      return result(kind.shape === 'list' ? Array.isArray(value) : isJsonObject(value), () => value);
    case 'string-map':
      return result(isTextMap(value), () => value);
    case 'variable-map':
      return result(isTextMap(value), () =>
        ifAllowed(Object.values(value as object).every((member) => isVariableName(String(member)))),
      );
    case 'choice-map':
      return result(isJsonObject(value), () =>
        ifAllowed(Object.values(value as object).every((member) => kind.choices.includes(member as string))),
      );
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isPath(text: string): boolean {
  return text !== '' && !isFileUrl(text);
}

/** As a path it would name a folder `file:` that does not exist, so that what it protects or grants would be nothing. */
export function isFileUrl(text: string): boolean {
  return /^file:/i.test(text);
}

function isTextMap(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every(isText);
}

function isModelChoice(value: Json): boolean {
  if (!isJsonObject(value)) return String(value).trim() !== '';
  const { model, provider, ...others } = value;
  const isName = (name: Json | undefined): boolean => isText(name) && name.trim() !== '';
  return isName(model) && (provider === undefined || isName(provider)) && Object.keys(others).length === 0;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

function isTextList(value: Json): boolean {
  return Array.isArray(value) && value.every(isText);
}

/** The choice that is meant, by its own name or an older one. */
function chosenOf({ choices, aliases }: Pick<ChoiceKind<string>, 'choices' | 'aliases'>, value: Json) {
  const chosen = isText(value) && Object.hasOwn(aliases, value) ? aliases[value] : value;
  return choices.find((choice) => choice === chosen);
}

const fixedDescriptions = {
  path: 'a path',
  boolean: 'true or false',
  seconds: 'a number of seconds above 0',
  date: 'a day such as "2026-11-01"',
  'model-choice': 'the name of a model, or { model = "NAME", provider = "ID" }',
  toggles: 'a table of true or false',
  'string-list': 'a list of strings',
  'string-or-list': 'a string or a list of strings',
  'boolean-or-list': 'true, false or a list of strings',
  'path-list': 'a list of paths',
  'string-map': 'a table of strings',
  variable: 'the name of an environment variable',
  'variable-map': 'a table of names of environment variables',
  table: 'a table',
  'named-tables': 'a table',
  retired: 'a table',
} as const;

/** What the key takes, as the rest of a sentence that begins with "must be". */
export function describeKind(kind: KeyKind): string {
  const choices = 'choices' in kind ? kind.choices.map((choice) => `"${choice}"`) : [];
  switch (kind.type) {
    case 'string':
      return kind.blank === 'allowed' ? 'a string' : 'a string that is not blank';
    case 'choice':
      return `one of ${choices.join(', ')}`;
    case 'approval-policy':
      return `one of ${approvalNames.map((name) => `"${name}"`).join(', ')} or ${granularForm}`;
    case 'integer':
      return kind.max === undefined
        ? `a whole number of at least ${kind.min}`
        : `a whole number from ${kind.min} to ${kind.max}`;
    case 'number':
      return `a number from ${kind.min} to ${kind.max}`;
    case 'amount':
      return kind.zero === 'allowed' ? 'an amount of US dollars of at least 0' : 'an amount of US dollars above 0';
    case 'choice-list':
      return `a list of one or more of ${choices.join(', ')}`;
    case 'free':
      return `a ${kind.shape}`;
    case 'choice-map':
      return `a table of values that are ${choices.join(' or ')}`;
    default:
      return fixedDescriptions[kind.type];
  }
}

/** A name that looks like a number or a boolean was written bare. */
export function needsQuotes(kind: KeyKind, value: Json): boolean {
  return (kind.type === 'string' || kind.type === 'path') && (typeof value === 'number' || typeof value === 'boolean');
}

/** Checked values under the names that the code uses. What the user named (providers, headers) stays as written. */
export function withCamelCaseKeys<Keys extends KeyTable>(kind: TableKind<Keys>, values: JsonObject): ValuesOf<Keys> {
  // The one place where the table's claim about its values becomes a type; `checkValues` has made it true.
  return renamed(kind.keys, values) as ValuesOf<Keys>;
}

function renamed(keys: KeyTable, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [toCamelCase(key), renamedValue(keys[key], value)]),
  );
}

function renamedValue(kind: KeyKind | undefined, value: Json | undefined): Json | undefined {
  if (!isJsonObject(value)) return value;
  if (kind?.type === 'table') return renamed(kind.keys, value);
  if (kind?.type !== 'named-tables') return value;
  const { keys } = kind;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJsonObject(member) ? renamed(keys, member) : member]),
  );
}

/** Written without a pattern: this runs at every start, and compiling one takes longer than all keys together. */
function toCamelCase(key: string): string {
  const [first = '', ...words] = key.split('_');
  return first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
