import { type FormField, formFields, parseTypedValue } from '../../../protocol/elicitation-form.ts';
import { type Json, type JsonObject, objectAt } from '../../../protocol/json.ts';
import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';
import { bold, type Span } from '../terminal/styled-text.ts';

export function singleFormField({ elicitation }: Question): FormField | undefined {
  const fields = formFields(elicitation?.schema);
  return fields.length === 1 ? fields[0] : undefined;
}

/** Asks a person field by field. The first denial applies to the whole form. */
export async function fillForm(question: Question, ask: (single: Question) => Promise<Answer>): Promise<Answer> {
  const { elicitation } = question;
  const schema = elicitation?.schema;
  const fields = formFields(schema);
  if (elicitation === undefined || fields.length === 0) return ask(question);
  let content: JsonObject = {};
  for (const { name } of fields) {
    const field = objectAt(schema, 'properties')?.[name] ?? {};
    const single = { ...elicitation, schema: { ...schema, properties: { [name]: field } } };
    const { kind, note, content: given = {} } = await ask({ ...question, elicitation: single });
    if (kind !== 'allowed') return { kind, note };
    content = { ...content, ...given };
  }
  return { kind: 'allowed', content };
}

export function fieldChoices(field: FormField): readonly Choice[] {
  const { name, kind, options, preset, isRequired } = field;
  const filled = (key: string, words: string, value: Json): Choice => {
    return { key, words, answer: { kind: 'allowed', content: { [name]: value } } };
  };
  const listed = kind === 'choice' ? options.slice(0, 9) : [];
  const isListed = kind === 'boolean' || (kind === 'choice' && options.length <= 9);
  const typed: Choice = {
    key: 'o',
    words: kind === 'choice' ? 'another value' : 'type the answer',
    answer: { kind: 'allowed' },
    takesNote: true,
    reads: (text) => {
      const read = parseTypedValue(field, text);
      return 'fault' in read ? read.fault : { kind: 'allowed', content: { [name]: read.value } };
    },
  };
  return [
    ...(kind === 'boolean' ? [filled('y', 'yes', true), filled('n', 'no', false)] : []),
    ...listed.map(({ value, label }, at): Choice => {
      const words = label === value ? quoted(label) : `${quoted(label)}, which sends ${quoted(value)}`;
      return { ...filled(String(at + 1), words, value), isOffered: true };
    }),
    ...(isListed ? [] : [typed]),
    ...(preset === undefined ? [] : [filled('d', `the default: ${JSON.stringify(preset)}`, preset)]),
    ...(isRequired ? [] : [{ key: 'k', words: 'leave it out', answer: { kind: 'allowed', content: {} } } as const]),
    { key: 'x', words: 'decline: the server gets no answer', answer: { kind: 'declined' } },
    { key: 's', words: 'cancel, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

export function fieldLine({ name, kind, about, isRequired, options, least, most, format }: FormField): string {
  const limits = [
    isRequired ? 'required' : 'optional',
    { text: 'text', number: 'number', integer: 'whole number', boolean: 'yes or no', json: 'JSON' }[kind as 'text'],
    kind === 'choices' ? `values with commas between: ${options.map(({ value }) => value).join(', ')}` : undefined,
    kind === 'choice' && options.length > 9 ? `one of ${options.map(({ value }) => value).join(', ')}` : undefined,
    least === undefined ? undefined : `at least ${least}${unitOf(kind)}`,
    most === undefined ? undefined : `at most ${most}${unitOf(kind)}`,
    format,
  ].filter((word) => word !== undefined);
  return `${name} (${limits.join(', ')})${about === '' ? '' : `: ${about}`}`;
}

const unitOf = (kind: FormField['kind']): string =>
  kind === 'text' ? ' characters' : kind === 'choices' ? ' values' : '';

/** A server could name an option like one of Capstan's own answers. */
const quoted = (text: string): string => `"${text}"`;

export interface Choice {
  readonly key: string;
  readonly words: string;
  readonly answer: Answer;
  /** The words come from the server that asks, and are quoted. */
  readonly isOffered?: true;
  readonly takesNote?: true;
  /** Interprets the typed line, or returns its problem. Absent: the line is a note for the model. */
  readonly reads?: (line: string) => Answer | string;
}

export function choicesFor({ scopes, kind, prefix, confined }: Question): readonly Choice[] {
  const has = (scope: AnswerScope): boolean => scopes.includes(scope);
  const allowed = (key: string, words: string, scope: AnswerScope): Choice => {
    return { key, words, answer: { kind: 'allowed', scope } };
  };
  const where = confined === true ? 'in that sandbox' : 'outside the sandbox';
  const leaves = prefix === undefined ? '' : `: such commands then run ${where}`;
  const wider = has('session') ? [allowed('a', 'yes, for the session', 'session')] : [];
  if (has('rule')) wider.push(allowed('p', `yes, and save the rule${leaves}`, 'rule'));
  return [
    allowed('y', kind === 'permissions' ? 'yes, for this turn' : 'yes, once', 'call'),
    ...wider.slice(0, 1),
    // "No" is third at the latest, as in Codex: the third answer must not allow more than the first.
    { key: 'n', words: 'no', answer: { kind: 'declined' } },
    ...wider.slice(1),
    ...(carriesNote(kind) ? [whyNot] : []),
    { key: 's', words: 'no, and stop the turn', answer: { kind: 'stopped' } },
  ];
}

const whyNot: Choice = { key: 't', words: 'no, and tell the model why', answer: { kind: 'declined' }, takesNote: true };
/** An answer to an MCP server's question goes to that server, which has no place for a note; no model reads it. */
export const carriesNote = (kind: Question['kind']): boolean => kind !== 'elicitation';

/** One per line: a row of them would break at the edge of the terminal. */
export const choiceLines = (choices: readonly Choice[]): readonly Span[] =>
  choices.flatMap(({ key, words }, i) => [i === 0 ? '  ' : '\n  ', bold(`[${key}]`), ` ${words}`]);

export const pressKeyText = (choices: readonly Choice[]): string =>
  `Press one key: ${choices.map(({ key }) => key).join(', ')}.`;
