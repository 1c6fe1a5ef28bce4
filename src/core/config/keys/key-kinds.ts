import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { approvalNames, granularForm, readApprovalPolicy } from '../../policy/decide/approval-policy.ts';
import { isVariableName } from '../../policy/secrets.ts';

export type KeyKind =
  | { readonly type: 'string'; readonly blank: 'allowed' | 'refused' }
  /** A folder or file. The layer's reader makes it absolute, as only it knows the base. */
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
  /** The name of an environment variable, or a table of them. Users may write keys there, so values are never shown. */
  | { readonly type: 'variable' | 'variable-map' }
  | { readonly type: 'integer'; readonly min: number; readonly max?: number }
  /** A number above zero, also fractional. */
  | { readonly type: 'seconds' }
  /** Also fractional. */
  | { readonly type: 'number'; readonly min: number; readonly max: number }
  /** US dollars, also fractional. `zero`: whether 0 is a valid amount. */
  | { readonly type: 'amount'; readonly zero: 'allowed' | 'refused' }
  | { readonly type: 'model-choice' }
  /** `YYYY-MM-DD`. */
  | { readonly type: 'date' }
  | ChoiceKind<string>
  /** One of the names, or a table with a choice for each kind of question. */
  | { readonly type: 'approval-policy' }
  | ChoiceListKind<string>
  | ChoiceMapKind<string>
  | TogglesKind
  /** A table or list that other code reads as written. `checked`: the keys to check in it; absent: none. */
  | { readonly type: 'free'; readonly shape: 'table' | 'list'; readonly checked?: TableKind<KeyTable> }
  | TableKind<KeyTable>
  | NamedTablesKind<KeyTable>
  | RefusedKind;

export interface ChoiceKind<Choice extends string> {
  readonly type: 'choice';
  readonly choices: readonly Choice[];
  readonly aliases: Readonly<Record<string, Choice>>;
}

export interface ChoiceListKind<Choice extends string> extends Omit<ChoiceKind<Choice>, 'type'> {
  readonly type: 'choice-list';
}

export interface ChoiceMapKind<Choice extends string> {
  readonly type: 'choice-map';
  readonly choices: readonly Choice[];
}

/** A table of switches. Those with settings of their own may be tables with `enabled`. */
export interface TogglesKind {
  readonly type: 'toggles';
  readonly names: readonly string[];
  readonly tables: 'allowed' | 'refused';
  /** Switches that may only be turned off; all others have no effect here. Absent: each may be switched both ways. */
  readonly closable?: readonly string[];
}

export interface TableKind<Keys extends KeyTable> {
  readonly type: 'table';
  readonly keys: Keys;
  readonly unused: readonly string[];
  /** Severity of other names. Where keys restrict something, a misspelling must not pass. */
  readonly unknown: 'warning' | 'error';
  /** Severity of a value of the wrong type. Absent: an error, which stops the start. */
  readonly wrong?: 'warning';
  /** Tables under user-defined names beside the keys. Absent: not allowed. */
  readonly others?: TableKind<KeyTable>;
}

export interface NamedTablesKind<Keys extends KeyTable> {
  readonly type: 'named-tables';
  readonly keys: Keys;
  readonly unused: readonly string[];
  /** With `folders`, `~` in a name means the user's home folder. */
  readonly names: 'words' | 'folders';
}

/** The key has lost its meaning, and a user who writes it expects something that will not happen. */
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

export type ValuesOf<Table extends KeyTable> = {
  readonly [Key in keyof Table & string as Table[Key] extends RefusedKind ? never : CamelCase<Key>]?: ValueOf<
    Table[Key]
  >;
};

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export type LeafKind = Exclude<KeyKind, { readonly type: 'table' | 'named-tables' | 'toggles' | 'retired' }>;

/** The accepted value with aliases replaced, or the fault: in its type or in its content. */
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

const isText = (value: unknown): value is string => typeof value === 'string';
const isPath = (text: string): boolean => text !== '' && !isFileUrl(text);

/** Taken as a path, it would name a missing folder `file:`, so a protection or a grant would have no effect. */
export const isFileUrl = (text: string): boolean => /^file:/i.test(text);
const isTextMap = (value: Json): boolean => isJsonObject(value) && Object.values(value).every(isText);

function isModelChoice(value: Json): boolean {
  if (!isJsonObject(value)) return String(value).trim() !== '';
  const { model, provider, ...others } = value;
  const isName = (name: Json | undefined): boolean => isText(name) && name.trim() !== '';
  return isName(model) && (provider === undefined || isName(provider)) && Object.keys(others).length === 0;
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
const isTextList = (value: Json): boolean => Array.isArray(value) && value.every(isText);

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

/** Completes a sentence that begins with "must be". */
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

/** A name that looks like a number or a boolean was written without quotes. */
export function needsQuotes(kind: KeyKind, value: Json): boolean {
  return (kind.type === 'string' || kind.type === 'path') && (typeof value === 'number' || typeof value === 'boolean');
}

export function withCamelCaseKeys<Keys extends KeyTable>(kind: TableKind<Keys>, values: JsonObject): ValuesOf<Keys> {
  // The only cast from the table to its type; `checkValues` has established it.
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

/** No pattern: this runs at every start, and compiling one takes longer than converting all keys. */
function toCamelCase(key: string): string {
  const [first = '', ...words] = key.split('_');
  return first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
