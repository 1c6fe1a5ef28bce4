import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';

/** One question of the model to the user. The user may also answer in other words than the options. */
export interface UserQuestion {
  readonly id: string;
  /** A few words, for a narrow place. */
  readonly header: string;
  readonly question: string;
  readonly options: readonly UserOption[];
}

interface UserOption {
  readonly label: string;
  readonly description: string;
}

/** More would be a form to fill in, and no question. The texts ask for fewer, and a few more do no harm. */
const mostQuestions = 10;
const mostOptions = 20;
const mostCharacters = 8000;

/** The questions in the arguments of a call, or what is wrong with them, as a sentence. */
export function readUserQuestions(given: JsonObject | undefined): readonly UserQuestion[] | string {
  const all = given === undefined ? undefined : arrayAt(given, 'questions');
  if (all === undefined || all.length === 0) return '`questions` must be a list with at least one question.';
  if (all.length > mostQuestions) return 'there must be at most 3 questions.';
  if (JSON.stringify(all).length > mostCharacters)
    return `the questions must not take more than ${mostCharacters} characters.`;
  const read: UserQuestion[] = [];
  for (const value of all) {
    const one = readOne(value);
    if (typeof one === 'string') return one;
    if (read.some(({ id }) => id === one.id)) return `two questions have the id ${JSON.stringify(one.id)}.`;
    read.push(one);
  }
  return read;
}

function readOne(value: Json): UserQuestion | string {
  if (!isJsonObject(value)) return 'each question must be an object.';
  const [id, header, question] = [stringAt(value, 'id'), stringAt(value, 'header'), stringAt(value, 'question')];
  if (!isText(id) || !isText(header) || !isText(question))
    return 'each question needs an `id`, a `header` and a `question`, as texts.';
  const options = (arrayAt(value, 'options') ?? []).flatMap(readOption);
  const given = arrayAt(value, 'options')?.length ?? 0;
  if (given === 0 || options.length !== given || given > mostOptions)
    return `the question ${JSON.stringify(id)} needs 2 or 3 \`options\`, each with a \`label\` and a \`description\`.`;
  return { id, header, question, options };
}

function readOption(value: Json): readonly UserOption[] {
  const [label, description] = isJsonObject(value) ? [stringAt(value, 'label'), stringAt(value, 'description')] : [];
  return isText(label) && description !== undefined ? [{ label, description }] : [];
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** What the user answered to each question, in their order. `content`: of the answer, from any program. */
export function answersByQuestion(
  questions: readonly UserQuestion[],
  content: JsonObject | undefined,
): Readonly<Record<string, { readonly answers: readonly string[] }>> {
  const given = questions.map(({ id, options: [first] }) => {
    const answers = content === undefined ? [first?.label ?? ''] : textsOf(content[id]);
    return [id, { answers }] as const;
  });
  return Object.fromEntries(given);
}

function textsOf(value: Json | undefined): readonly string[] {
  const all: readonly (Json | undefined)[] = Array.isArray(value) ? value : [value];
  return all.filter((each) => typeof each === 'string').filter((text) => text.trim() !== '');
}
