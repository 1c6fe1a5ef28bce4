import { approvalNames, granularForm, readApprovalPolicy } from '../policy/approval-policy.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import type { ChoiceKind, KeyKind } from './key-kind.ts';
import { isVariableName } from '../policy/secrets.ts';

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
export function wantsQuotes(kind: KeyKind, value: Json): boolean {
  return (kind.type === 'string' || kind.type === 'path') && (typeof value === 'number' || typeof value === 'boolean');
}
