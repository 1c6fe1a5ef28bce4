import type { Json, JsonObject } from '../protocol/json.ts';
import type { ApprovalPolicy } from '../protocol/permission-profile.ts';

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
