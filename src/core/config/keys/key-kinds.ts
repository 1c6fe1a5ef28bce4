import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { approvalNames, granularForm, readApprovalPolicy } from '../../policy/decide/approval-policy.ts';
import { isVariableName } from '../../policy/secrets.ts';

export type ConfigKeyKind =
  | { readonly type: 'string'; readonly blank: 'allowed' | 'refused' }
  /** A folder or file. The layer's reader makes it absolute, as only it knows the base. */
  | { readonly type: 'path' | 'path-list' }
  | { readonly type: 'boolean' | 'string-list' | 'string-or-list' | 'boolean-or-list' | 'string-map' }
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
  | ChoiceKeyKind<string>
  /** One of the names, or a table with a choice for each kind of question. */
  | { readonly type: 'approval-policy' }
  | ChoiceListKind<string>
  | ChoiceMapKind<string>
  | TogglesKeyKind
  /** A table or list that other code reads as written. `checked`: the keys to check in it; absent: none. */
  | { readonly type: 'free'; readonly shape: 'table' | 'list'; readonly checked?: TableKeyKind<SchemaKeys> }
  | TableKeyKind<SchemaKeys>
  | NamedTablesKind<SchemaKeys>
  | RefusedKeyKind;

export interface ChoiceKeyKind<Choice extends string> {
  readonly type: 'choice';
  readonly choices: readonly Choice[];
  readonly aliases: Readonly<Record<string, Choice>>;
}

export type ChoiceListKind<Choice extends string> = Omit<ChoiceKeyKind<Choice>, 'type'> & {
  readonly type: 'choice-list';
};
export type ChoiceMapKind<Choice extends string> = { readonly type: 'choice-map'; readonly choices: readonly Choice[] };

/** A table of switches. Those with settings of their own may be tables with `enabled`. */
export interface TogglesKeyKind {
  readonly type: 'toggles';
  readonly names: readonly string[];
  readonly tables: 'allowed' | 'refused';
  /** Switches that may only be turned off; all others have no effect here. Absent: each may be switched both ways. */
  readonly closable?: readonly string[];
}

export interface TableKeyKind<Keys extends SchemaKeys> {
  readonly type: 'table';
  readonly keys: Keys;
  readonly unused: readonly string[];
  /** Severity of other names. Where keys restrict something, a misspelling must not pass. */
  readonly unknown: 'warning' | 'error';
  /** Severity of a value of the wrong type. Absent: an error, which stops the start. */
  readonly wrong?: 'warning';
  /** Tables under user-defined names beside the keys. Absent: not allowed. */
  readonly others?: TableKeyKind<SchemaKeys>;
}

export interface NamedTablesKind<Keys extends SchemaKeys> {
  readonly type: 'named-tables';
  readonly keys: Keys;
  readonly unused: readonly string[];
  /** With `folders`, `~` in a name means the user's home folder. */
  readonly names: 'words' | 'folders';
}

/** The key has lost its meaning, and a user who writes it expects something that will not happen. */
export type RefusedKeyKind = { readonly type: 'retired'; readonly advice: string };
export type SchemaKeys = { readonly [key: string]: ConfigKeyKind };
export const textKey = { type: 'string', blank: 'allowed' } as const;
export const nameKey = { type: 'string', blank: 'refused' } as const;
export const booleanKey = { type: 'boolean' } as const;
export const stringListKind = { type: 'string-list' } as const;

export function choiceKind<const Choice extends string>(
  choices: readonly Choice[],
  aliases: Readonly<Record<string, NoInfer<Choice>>> = {},
): ChoiceKeyKind<Choice> {
  return { type: 'choice', choices, aliases };
}

/** Names that are written with blanks between them, on any number of lines. */
export const words = (names: string): readonly string[] => names.trim().split(/\s+/);
/** The names in a text with single blanks between them. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Neighbouring keys of one kind, by their names. */
export const keysOfKind = <Kind extends ConfigKeyKind, Names extends string>(kind: Kind, names: Names) =>
  Object.fromEntries(words(names).map((name) => [name, kind])) as { readonly [Name in Words<Names>]: Kind };

interface PlainValues
  extends
    Record<'string' | 'path' | 'date' | 'variable', string>,
    Record<'integer' | 'seconds' | 'number' | 'amount', number>,
    Record<'string-list' | 'string-or-list' | 'path-list', readonly string[]>,
    Record<'string-map' | 'variable-map', Readonly<Record<string, string>>> {
  readonly 'model-choice': string | { readonly model: string; readonly provider?: string };
  readonly boolean: boolean;
  readonly 'boolean-or-list': boolean | readonly string[];
  readonly toggles: Readonly<Record<string, boolean | JsonObject>>;
  readonly free: Json;
  readonly 'approval-policy': ApprovalPolicy;
}

type ValueOf<Kind extends ConfigKeyKind> = Kind extends { readonly type: keyof PlainValues }
  ? PlainValues[Kind['type']]
  : Kind extends ChoiceKeyKind<infer Choice>
    ? Choice
    : Kind extends ChoiceListKind<infer Choice>
      ? readonly Choice[]
      : Kind extends ChoiceMapKind<infer Choice>
        ? Readonly<Record<string, Choice>>
        : Kind extends TableKeyKind<infer Keys>
          ? ValuesOf<Keys>
          : Kind extends NamedTablesKind<infer Keys>
            ? Readonly<Record<string, ValuesOf<Keys>>>
            : never;

export type ValuesOf<Table extends SchemaKeys> = {
  readonly [Key in keyof Table & string as Table[Key] extends RefusedKeyKind ? never : CamelCase<Key>]?: ValueOf<
    Table[Key]
  >;
};

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export type LeafKeyKind = Exclude<ConfigKeyKind, { readonly type: 'table' | 'named-tables' | 'toggles' | 'retired' }>;

/** The accepted value with aliases replaced, or the fault: in its type or in its content. */
export function leafValue(
  kind: LeafKeyKind,
  value: Json,
): { readonly kept: Json } | 'config-wrong-type' | 'config-wrong-value' {
  const { is, keep = (value) => value } = ruleOf(kind);
  if (!is(value, kind)) return 'config-wrong-type';
  const kept = keep(value, kind);
  return kept === undefined ? 'config-wrong-value' : { kept };
}

/** Completes a sentence that begins with "must be". */
export function describeConfigKeyKind(kind: ConfigKeyKind): string {
  if (!isLeafKey(kind)) return kind.type === 'toggles' ? 'a table of true or false' : 'a table';
  const { says } = ruleOf(kind);
  return typeof says === 'string' ? says : says(kind);
}

export const isLeafKey = (kind: ConfigKeyKind): kind is LeafKeyKind => Object.hasOwn(leafRules, kind.type);
/** The cast is safe: the rule is looked up by the kind's own type. */
const ruleOf = (kind: LeafKeyKind) => leafRules[kind.type] as LeafRule<LeafKeyKind>;

interface LeafRule<Kind> {
  is(value: Json, kind: Kind): boolean;
  /** Undefined: the content is not accepted. Default: the value as it is. */
  keep?(value: Json, kind: Kind): Json | undefined;
  readonly says: string | ((kind: Kind) => string);
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

function chosenOf({ choices, aliases }: Pick<ChoiceKeyKind<string>, 'choices' | 'aliases'>, value: Json) {
  const chosen = isText(value) && Object.hasOwn(aliases, value) ? aliases[value] : value;
  return choices.find((choice) => choice === chosen);
}

const isNumber = (value: Json): value is number => typeof value === 'number';
const isFlag = (value: Json): boolean => typeof value === 'boolean';
const quoted = (choices: readonly string[]): readonly string[] => choices.map((choice) => `"${choice}"`);

/** Keeps a value that is right. `Value`: its type, which the rule has checked before. */
const ifRight =
  <Value extends Json, Kind>(isRight: (value: Value, kind: Kind) => boolean) =>
  (value: Json, kind: Kind): Json | undefined =>
    isRight(value as Value, kind) ? value : undefined;

type RangeKind = { readonly min: number; readonly max?: number };
const isWithin = (value: number, { min, max = Infinity }: RangeKind): boolean => value >= min && value <= max;

const leafRules: { readonly [Type in LeafKeyKind['type']]: LeafRule<LeafKeyKind & { readonly type: Type }> } = {
  string: {
    is: isText,
    keep: ifRight((value: string, { blank }) => blank === 'allowed' || value.trim() !== ''),
    says: ({ blank }) => (blank === 'allowed' ? 'a string' : 'a string that is not blank'),
  },
  path: { is: isText, keep: ifRight(isPath), says: 'a path' },
  variable: { is: isText, keep: ifRight(isVariableName), says: 'the name of an environment variable' },
  choice: {
    is: isText,
    keep: (value, kind) => chosenOf(kind, value),
    says: ({ choices }) => `one of ${quoted(choices).join(', ')}`,
  },
  'approval-policy': {
    is: (value) => isText(value) || isJsonObject(value),
    keep: (value) => readApprovalPolicy(value) as Json | undefined,
    says: () => `one of ${quoted(approvalNames).join(', ')} or ${granularForm}`,
  },
  boolean: { is: isFlag, says: 'true or false' },
  integer: {
    is: isNumber,
    keep: ifRight((value: number, kind) => Number.isSafeInteger(value) && isWithin(value, kind)),
    says: ({ min, max }) =>
      max === undefined ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`,
  },
  seconds: {
    is: isNumber,
    keep: ifRight((value: number) => Number.isFinite(value) && value > 0),
    says: 'a number of seconds above 0',
  },
  number: {
    is: isNumber,
    keep: ifRight((value: number, kind) => Number.isFinite(value) && isWithin(value, kind)),
    says: ({ min, max }) => `a number from ${min} to ${max}`,
  },
  amount: {
    is: isNumber,
    keep: ifRight((value: number, { zero }) => Number.isFinite(value) && (zero === 'allowed' ? value >= 0 : value > 0)),
    says: ({ zero }) => `an amount of US dollars ${zero === 'allowed' ? 'of at least' : 'above'} 0`,
  },
  'model-choice': {
    is: (value) => isText(value) || isJsonObject(value),
    keep: ifRight(isModelChoice),
    says: 'the name of a model, or { model = "NAME", provider = "ID" }',
  },
  date: { is: isText, keep: ifRight(isDay), says: 'a day such as "2026-11-01"' },
  'string-list': { is: isTextList, says: 'a list of strings' },
  'string-or-list': {
    is: (value) => isText(value) || isTextList(value),
    keep: (value) => (isText(value) ? [value] : value),
    says: 'a string or a list of strings',
  },
  'boolean-or-list': { is: (value) => isFlag(value) || isTextList(value), says: 'true, false or a list of strings' },
  'path-list': {
    is: isTextList,
    keep: ifRight((value: readonly string[]) => value.every(isPath)),
    says: 'a list of paths',
  },
  'choice-list': {
    is: isTextList,
    keep(value, kind) {
      const chosen = (value as readonly Json[]).map((member) => chosenOf(kind, member));
      const known = chosen.filter((member) => member !== undefined);
      return known.length === 0 || known.length < chosen.length ? undefined : [...new Set(known)];
    },
    says: ({ choices }) => `a list of one or more of ${quoted(choices).join(', ')}`,
  },
  free: {
    is: (value, { shape }) => (shape === 'list' ? Array.isArray(value) : isJsonObject(value)),
    says: ({ shape }) => `a ${shape}`,
  },
  'string-map': { is: isTextMap, says: 'a table of strings' },
  'variable-map': {
    is: isTextMap,
    keep: ifRight((value: JsonObject) => Object.values(value).every((member) => isVariableName(String(member)))),
    says: 'a table of names of environment variables',
  },
  'choice-map': {
    is: isJsonObject,
    keep: ifRight((value: JsonObject, { choices }) =>
      Object.values(value).every((member) => choices.includes(member as string)),
    ),
    says: ({ choices }) => `a table of values that are ${quoted(choices).join(' or ')}`,
  },
};

/** A name that looks like a number or a boolean was written without quotes. */
export const keyNeedsQuotes = (kind: ConfigKeyKind, value: Json): boolean =>
  (kind.type === 'string' || kind.type === 'path') && (typeof value === 'number' || typeof value === 'boolean');

export function withCamelCaseKeys<Keys extends SchemaKeys>(
  kind: TableKeyKind<Keys>,
  values: JsonObject,
): ValuesOf<Keys> {
  // The only cast from the table to its type; `checkConfigValues` has established it.
  return renamed(kind.keys, values) as ValuesOf<Keys>;
}

function renamed(keys: SchemaKeys, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [toCamelCase(key), renamedValue(keys[key], value)]),
  );
}

function renamedValue(kind: ConfigKeyKind | undefined, value: Json | undefined): Json | undefined {
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
