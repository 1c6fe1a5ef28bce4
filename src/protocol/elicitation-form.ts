import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  parseJson,
  stringAt,
} from './json.ts';

export interface FormField {
  readonly name: string;
  /** `json`: none of the allowed kinds; any value. */
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';
  /** The server's description. May be empty. */
  readonly about: string;
  readonly isRequired: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** Minimum length, number, or count of choices. */
  readonly least?: number;
  readonly most?: number;
  readonly format?: string;
  /** Absent: there is none that fits the field. */
  readonly preset?: Json;
}

export function formFields(schema: JsonObject | undefined): readonly FormField[] {
  const required = arrayAt(schema, 'required') ?? [];
  return Object.entries(objectAt(schema, 'properties') ?? {}).map(([name, value]) =>
    readField(name, isJsonObject(value) ? value : {}, required.includes(name)),
  );
}

function readField(name: string, given: JsonObject, isRequired: boolean): FormField {
  const kind = kindOf(given);
  const [low, high] = boundNames[kind] ?? [];
  const field: FormField = {
    name,
    kind,
    about: [stringAt(given, 'title'), stringAt(given, 'description')].filter((text) => text !== undefined).join(': '),
    isRequired,
    options: optionsOf(kind === 'choices' ? (objectAt(given, 'items') ?? {}) : given),
    least: low === undefined ? undefined : numberAt(given, low),
    most: high === undefined ? undefined : numberAt(given, high),
    format: kind === 'text' ? stringAt(given, 'format') : undefined,
  };
  const { default: preset } = given;
  return preset === undefined || fieldFault(field, preset) !== undefined ? field : { ...field, preset };
}

const boundNames: Readonly<Partial<Record<FormField['kind'], readonly [string, string]>>> = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  choices: ['minItems', 'maxItems'],
};

function kindOf(given: JsonObject): FormField['kind'] {
  const { type } = given;
  if (optionsOf(given).length > 0) return 'choice';
  if (type === 'array') return optionsOf(objectAt(given, 'items') ?? {}).length > 0 ? 'choices' : 'json';
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}

/** From `enum`, with or without names, or from `oneOf` and `anyOf` with titles. */
function optionsOf(given: JsonObject): FormField['options'] {
  const names = arrayAt(given, 'enumNames') ?? [];
  const plain = (arrayAt(given, 'enum') ?? []).map((value, at) => [value, names[at]] as const);
  const listed = [...objectsAt(given, 'oneOf'), ...objectsAt(given, 'anyOf')];
  const titled = listed.map((each) => [each['const'], each['title']] as const);
  return [...plain, ...titled].flatMap(([value, label]) =>
    typeof value === 'string' ? [{ value, label: typeof label === 'string' ? label : value }] : [],
  );
}

function fieldFault(field: FormField, value: Json): string | undefined {
  const { kind, options, least = -Infinity, most = Infinity, format } = field;
  const has = (each: Json): boolean => options.some((option) => option.value === each);
  const among = `one of ${options.map((option) => option.value).join(', ')}`;
  switch (kind) {
    case 'json':
      return undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false.';
    case 'choice':
      return has(value) ? undefined : `must be ${among}.`;
    case 'choices':
      if (!Array.isArray(value) || !value.every(has)) return `must be a list of values, each ${among}.`;
      return within(value.length, least, most) ? undefined : `must have ${range(least, most)} values.`;
    case 'text':
      if (typeof value !== 'string') return 'must be a text.';
      if (!within([...value].length, least, most)) return `must have ${range(least, most)} characters.`;
      return format === undefined || isInFormat(value, format) ? undefined : `must be ${formats[format]?.[0]}.`;
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number.';
      if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number.';
      return within(value, least, most) ? undefined : `must be ${range(least, most)}.`;
  }
}

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most;

function range(least: number, most: number): string {
  if (most === Infinity) return `at least ${least}`;
  return least === -Infinity ? `at most ${most}` : `${least} to ${most}`;
}

const formats: Readonly<Record<string, readonly [words: string, (text: string) => boolean]>> = {
  email: ['an e-mail address', (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  uri: ['an address such as https://example.com', (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text)],
  date: ['a date such as 2026-11-17', (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(text)],
  'date-time': [
    'a time such as 2026-11-17T09:30:00Z',
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && isTime(text),
  ],
};

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

const isInFormat = (text: string, format: string): boolean =>
  !Object.hasOwn(formats, format) || formats[format]?.[1](text) === true;

type FormFault = { readonly fault: string };
type FilledForm = { readonly content: JsonObject };

/** Parses what the user typed, or returns the fault. Several choices are separated by commas. */
export function parseTypedValue(field: FormField, typed: string): { readonly value: Json } | FormFault {
  const value = valueOf(field, typed.trim());
  const fault = value === undefined ? 'must be JSON.' : fieldFault(field, value);
  return fault === undefined && value !== undefined ? { value } : { fault: `${field.name} ${fault}` };
}

function valueOf({ kind, options }: FormField, text: string): Json | undefined {
  const meant = (one: string): string =>
    options.find(({ label, value }) => one === value || one === label)?.value ?? one;
  if (kind === 'text') return text;
  if (kind === 'choice') return meant(text);
  if (kind === 'choices') return text === '' ? [] : text.split(',').map((one) => meant(one.trim()));
  if (kind === 'number' || kind === 'integer') return text === '' ? Number.NaN : Number(text);
  return parseJson(text);
}

/** The form with defaults where nothing is given, or why it cannot be sent. */
export function fillFormDefaults(schema: JsonObject | undefined, given: JsonObject = {}): FilledForm | FormFault {
  const content: [string, Json][] = [];
  for (const field of formFields(schema)) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : field.preset;
    if (value === undefined || value === null) {
      if (field.isRequired) return { fault: `${field.name} is required.` };
      continue;
    }
    const fault = fieldFault(field, value);
    if (fault !== undefined) return { fault: `${field.name} ${fault}` };
    content.push([field.name, value]);
  }
  return { content: Object.fromEntries(content) };
}
