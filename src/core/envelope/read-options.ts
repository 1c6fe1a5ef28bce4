import { isWrongValue, memberPath, wrongProfileValue } from '../policy/profiles/profile-entries.ts';
import type { WrongProfileValue } from '../policy/profiles/profile-entries.ts';
import { hasNoClass, isRootPrototype, notPlain, plainCopy } from '../../base/objects.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { describeTomlValue } from '../config/keys/explain-wrong-value.ts';
import { nearestConfigKey } from '../config/keys/check-values.ts';

/**
 * Reads options objects of library callers. An ignored key could be a restriction under another name, so every member
 * of a record, own or inherited, must be a known option; `undefined` counts as absent. The same holds for plain objects
 * with methods (a store, a tool, an asker). An instance of a class may have other members, unless one is almost the
 * name of an absent option. Each option is read once, and the copy shares no data with the caller.
 */

export interface OptionType<Value> {
  /** Completes a sentence that begins with "must be". */
  readonly expected: string;
  /** The value, sharing no data with the caller. If the type is wrong: undefined, or the fault in the value. */
  read(given: unknown): Value | WrongProfileValue | undefined;
}

export interface OptionReader<Value> {
  readonly type: OptionType<Value>;
  /** For the documentation. Absent: it lists no such option. */
  readonly about?: string;
  readonly required?: true;
}

/** One entry per option. With `satisfies`, a missing or extra key does not compile. */
export type OptionReaders<Options> = {
  readonly [Key in keyof Options]-?: OptionReader<Exclude<Options[Key], undefined>> &
    (object extends Pick<Options, Key> ? { readonly required?: never } : { readonly required: true });
};

type AnyTable = Readonly<Record<string, OptionReader<unknown>>>;
export type OptionProblem = Outcome<'options-malformed' | 'option-unknown' | 'option-missing' | 'option-wrong'>;
/** Keys that belong to another call, and how to use it. */
type Elsewhere = { readonly keys: readonly string[]; readonly next: string };

/** Copies the options, or says why they are refused. `of`: the call that takes them, as in `start()`. Never throws. */
export function validateOptions<Options>(
  given: unknown,
  table: OptionReaders<Options>,
  of: string,
  elsewhere?: Elsewhere,
): Options | OptionProblem {
  const malformed = (what: string): OptionProblem => {
    return { code: 'options-malformed', message: `The options of ${of} ${what}`, next: 'Pass a plain object.' };
  };
  try {
    if (!isRecord(given)) return malformed(`must be an object, not ${describeGiven(given)}.`);
    const read = readMembers(given, table as unknown as AnyTable, 'options');
    if (!isWrongValue(read)) return read as Options;
    const options = Object.entries(table as unknown as AnyTable);
    return problemOf(read, of, !options.some(([key, { required }]) => key === read.at && !required), elsewhere);
  } catch (error) {
    return malformed(`cannot be read: ${messageOfThrown(error)}`);
  }
}

/** For test doubles, whose callers get no result to inspect: throws on an unknown key. */
export function assertKnownKeys<Options extends object>(given: Options, keys: KeysOf<Options>, of: string): Options {
  const unknown = memberNames(given).find((name) => !Object.hasOwn(keys, name));
  if (unknown === undefined) return given;
  const wrong = { wrong: 'key', at: '', key: unknown, known: Object.keys(keys) } as const;
  const { message, next } = problemOf(wrong, of, false);
  throw new TypeError(`${message} ${next}`);
}

type KeysOf<Options> = { readonly [Key in keyof Options]-?: true };

/** An object with methods, and perhaps data. It is used as it is, not copied. */
export function objectWithMethods<Value>(expected: string, table: OptionReaders<Value>): OptionType<Value> {
  const copy = copiedObjectWithMethods(expected, table);
  return {
    expected,
    read(given) {
      const read = copy.read(given);
      return read === undefined || isWrongValue(read) ? read : (given as Value);
    },
  };
}

/** Copies the known members: methods stay bound to the object, and later changes to it have no effect. */
export const copiedObjectWithMethods = <Value>(expected: string, table: OptionReaders<Value>): OptionType<Value> =>
  objectOf(expected, table, 'thing');

export const recordOption = <Value>(expected: string, table: OptionReaders<Value>): OptionType<Value> =>
  objectOf(expected, table, 'options');

function objectOf<Value>(expected: string, table: unknown, kind: 'options' | 'thing'): OptionType<Value> {
  return {
    expected,
    read: (given) =>
      isRecord(given) ? (readMembers(given, table as AnyTable, kind) as Value | WrongProfileValue) : undefined,
  };
}

/** A function is no record: its members are not meant as options. */
const isRecord = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

function readMembers(
  given: Readonly<Record<string, unknown>>,
  table: AnyTable,
  kind: 'options' | 'thing',
): Readonly<Record<string, unknown>> | WrongProfileValue {
  const known = Object.keys(table);
  const unknown = memberNames(given).filter((name) => !Object.hasOwn(table, name));
  const values = new Map(known.map((key) => [key, given[key]]));
  const isOwnBusiness = (name: string): boolean => {
    if (kind === 'options' || hasNoClass(given)) return false;
    const near = nearestOption(name, known);
    return near === undefined || table[near]?.required === true || values.get(near) !== undefined;
  };
  const key = unknown.find((name) => !isOwnBusiness(name));
  if (key !== undefined) return { wrong: 'key', at: '', key, known };
  const read: Record<string, unknown> = {};
  for (const [name, { type, required }] of Object.entries(table)) {
    const value = values.get(name);
    if (value === undefined && required !== true) continue;
    if (value === undefined) return wrongProfileValue(name, type.expected, undefined);
    const taken = type.read(value);
    if (taken === undefined) return wrongProfileValue(name, type.expected, value);
    if (isWrongValue(taken)) return { ...taken, at: within(name, taken.at) };
    read[name] = kind === 'thing' && typeof taken === 'function' ? taken.bind(given) : taken;
  }
  return read;
}

const within = (name: string, at: string): string =>
  at === '' ? name : at.startsWith('[') ? `${name}${at}` : memberPath(name, at);

const mostPrototypes = 100;

/** Own and inherited members, enumerable or not, except those of every object and `constructor`. */
function memberNames(given: object): readonly string[] {
  const names = new Set<string>();
  let at: object | null = given;
  for (let depth = 0; at !== null && !isRootPrototype(at); depth++) {
    // A proxy can have any number of prototypes.
    if (depth >= mostPrototypes) throw new Error('it inherits from too many objects.');
    for (const name of Reflect.ownKeys(at)) if (at === given || name !== 'constructor') names.add(String(name));
    at = Object.getPrototypeOf(at) as object | null;
  }
  return [...names];
}

/** By option: its names in Codex, its SDK and older versions of this library, without case and separators. */
const otherNames = {
  sandbox: 'sandboxmode sandboxpolicy permissionprofile permissions profile',
  approvals: 'approvalpolicy askforapproval',
  reviewer: 'approvalsreviewer',
  provider: 'modelprovider',
  effort: 'reasoningeffort modelreasoningeffort',
  summary: 'reasoningsummary modelreasoningsummary',
  cwd: 'workingdirectory workdir directory folder',
  addDirectories: 'additionaldirectories writableroots',
  profile: 'configprofile',
  config: 'overrides configoverrides',
  collaboration: 'collaborationmode mode',
  clientTools: 'dynamictools',
  env: 'environment',
  osHome: 'home',
  client: 'clientinfo',
  turnCost: 'maxcost',
  turnTokens: 'maxtokens',
  signal: 'abortsignal',
  input: 'prompt text message',
  parameters: 'schema inputschema',
  outputSchema: 'schema',
  run: 'execute handler call',
  output: 'text content',
  ok: 'iserror success',
} as const;

function nearestOption(written: string, known: readonly string[]): string | undefined {
  const plain = written.replaceAll(/[-_]/g, '').toLowerCase();
  const same = known.find((key) => key.toLowerCase() === plain);
  const others = Object.entries(otherNames).filter(([, names]) => names.split(' ').includes(plain));
  return same ?? others.find(([key]) => known.includes(key))?.[0] ?? nearestConfigKey(written, known);
}

export function suggestOption(written: string, known: readonly string[]): string {
  const nearest = nearestOption(written, known);
  return nearest === undefined ? `Use ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}

function problemOf(wrong: WrongProfileValue, of: string, isNeeded: boolean, elsewhere?: Elsewhere): OptionProblem {
  const correct = isNeeded ? 'Correct it.' : 'Correct it or leave it out.';
  if (wrong.wrong === 'value' && wrong.why !== undefined)
    return { code: 'option-wrong', message: `${wrong.at} of ${of} is not valid. ${wrong.why}`, next: correct };
  if (wrong.wrong === 'value') {
    const { at, expected, given } = wrong;
    if (given === undefined)
      return { code: 'option-missing', message: `${of} needs ${at}: ${expected}.`, next: `Add ${at}.` };
    const message = `${at} of ${of} must be ${expected}, not ${describeGiven(given)}.`;
    return { code: 'option-wrong', message, next: correct };
  }
  const what =
    wrong.at === '' ? `${wrong.key} is not an option of ${of}.` : `${wrong.at} of ${of} has no key "${wrong.key}".`;
  if (wrong.at === '' && elsewhere?.keys.includes(wrong.key) === true)
    return { code: 'option-unknown', message: what, next: elsewhere.next };
  const nearest = nearestOption(wrong.key, wrong.known);
  const next = nearest === undefined ? `Remove it, or use ${wrong.known.join(', ')}.` : 'Rename or remove it.';
  return { code: 'option-unknown', message: nearest === undefined ? what : `${what} Did you mean ${nearest}?`, next };
}

/** A proxy may throw on any access. */
const describeGiven = (given: unknown): string => (isRecord(given) ? 'this object' : describeTomlValue(given));

/** A value that needs no copy. */
export function optionWhere<Value>(expected: string, isRight: (given: unknown) => boolean): OptionType<Value> {
  return { expected, read: (given) => (isRight(given) ? (given as Value) : undefined) };
}

export const stringOption = optionWhere<string>('a string', (given) => typeof given === 'string');

/** Takes any value; the caller must check it. */
export function uncheckedOption<Value>(expected: string): OptionType<Value> {
  return { expected, read: (given) => given as Value };
}

export const booleanOption = optionWhere<boolean>('true or false', (given) => typeof given === 'boolean');
export const trueOnlyOption = optionWhere<true>('true', (given) => given === true);
const longestName = 256;

export const nonBlankStringOption: OptionType<string> = {
  expected: 'a string that is not blank',
  read(given) {
    if (typeof given !== 'string' || given.trim() === '') return undefined;
    if (given.length <= longestName) return given;
    return wrongProfileValue('', `a string of at most ${longestName} characters`, given);
  },
};

export const positiveNumberOption = optionWhere<number>(
  'a number greater than 0',
  (given) => Number.isFinite(given) && (given as number) > 0,
);

export const wholeNumberOption = optionWhere<number>(
  'a whole number of at least 1',
  (given) => Number.isSafeInteger(given) && (given as number) >= 1,
);

/** Checked by its members, as a signal of another realm is no instance of our class. */
export const abortSignalOption = optionWhere<AbortSignal>('an AbortSignal', (given) => {
  const { aborted, addEventListener } = (given ?? {}) as Partial<Record<keyof AbortSignal, unknown>>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
});

/** Takes a copy of plain JSON data: nothing that could hide a member. */
export const plainDataOption = <Value>(
  expected: string,
  read: (copy: unknown) => Value | WrongProfileValue | undefined,
): OptionType<Value> => ({
  expected,
  read(given) {
    const copy = plainCopy(given);
    return copy === notPlain ? undefined : read(copy);
  },
});

export const jsonObjectOption = plainDataOption<JsonObject>('a plain object of JSON data', (copy) =>
  isJsonObject(copy) ? copy : undefined,
);

export const functionOption = <Function>(): OptionType<Function> =>
  optionWhere('a function', (given) => typeof given === 'function');

export function listOption<Value>(type: OptionType<Value>, expected: string): OptionType<readonly Value[]> {
  return {
    expected,
    read(given) {
      if (!Array.isArray(given)) return undefined;
      const values: Value[] = [];
      // Indexed, to include the gaps of a sparse list.
      for (let at = 0; at < given.length; at++) {
        const value = type.read(given[at]);
        if (value === undefined) return wrongProfileValue(`[${at}]`, type.expected, given[at] ?? null);
        if (isWrongValue(value)) return { ...value, at: within(`[${at}]`, value.at) };
        values.push(value);
      }
      return values;
    },
  };
}

export function choiceOption<Choice extends string>(...choices: readonly Choice[]): OptionType<Choice> {
  return { expected: `one of ${quoteEach(choices)}`, read: (given) => choices.find((one) => one === given) };
}

export const quoteEach = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');
