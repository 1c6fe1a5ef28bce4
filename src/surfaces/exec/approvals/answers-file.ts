import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { type QuestionKind, questionKinds } from '../../../protocol/question.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { didYouMean } from '../../commands/did-you-mean.ts';
import { oneOf } from '../../wording/one-of.ts';

/** One line of the file: what it is about, and what is answered then. */
export interface AnswerLine {
  readonly about: { readonly prefix: readonly string[] } | { readonly kind: QuestionKind };
  readonly decision: 'approved' | 'denied' | 'abort';
  /** A prefix also approves commands that the model can type into. */
  readonly typed?: true;
  /** For the model. */
  readonly note?: string;
  /**
   * Of an approved `input`: what is answered to each question, by its id; absent: its first option. Of an approved
   * `elicitation`: what the form is filled with; absent: its defaults.
   */
  readonly answers?: JsonObject;
}

/** A tool of a client cannot be run from here. */
const kinds = questionKinds.filter((kind) => kind !== 'client-tool');
const decisions = ['approved', 'denied', 'abort'] as const;
const keys = ['prefix', 'kind', 'decision', 'note', 'answers', 'typed'];

const form = 'Write one object per line, such as {"prefix": ["npm", "install"], "decision": "approved"}.';

/** The lines of a file of answers. A line that is not understood refuses the whole file: nothing runs under half of it. */
export function readAnswers(text: string, file: string): readonly AnswerLine[] | Outcome<'approvals-invalid'> {
  const answers: AnswerLine[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    if (typeof read === 'string') {
      return { code: 'approvals-invalid', message: `${file}:${at + 1}: ${read}`, next: form };
    }
    answers.push(read);
  }
  if (answers.length > 0) return answers;
  return { code: 'approvals-invalid', message: `${file}: there are no answers in this file.`, next: form };
}

function readLine(line: string): AnswerLine | string {
  const value = parse(line);
  if (!isJsonObject(value)) return 'the line is not a JSON object.';
  const stranger = Object.keys(value).find((key) => !keys.includes(key));
  if (stranger !== undefined)
    return `there is no key ${JSON.stringify(stranger)}. ${didYouMean(stranger, keys)}`.trimEnd();
  const about = readAbout(value);
  if (typeof about === 'string') return about;
  const { decision, note } = value;
  const decided = decisions.find((each) => each === decision);
  if (decided === undefined) {
    const meant = typeof decision === 'string' ? didYouMean(decision, decisions) : '';
    return `"decision" must be ${oneOf(decisions)}. ${meant}`.trimEnd();
  }
  if (note !== undefined && typeof note !== 'string') return '"note" must be a string.';
  if (note !== undefined && decided === 'approved')
    return '"note" works only with "denied" and "abort": the model reads it with the no.';
  const { answers, typed } = value;
  const answered = 'kind' in about && decided === 'approved' ? about.kind : undefined;
  const fits = answered === 'elicitation' ? isJsonObject(answers) : answered === 'input' && isTexts(answers);
  if (answers !== undefined && !fits)
    return '"answers" must be an object of strings, beside "kind": "input" or "elicitation" and "decision": "approved".';
  if (typed !== undefined && (typed !== true || decided !== 'approved' || !('prefix' in about)))
    return '"typed" can only be true, and only with "prefix" and "approved".';
  const given = answers === undefined ? {} : { answers: answers as JsonObject };
  const more = { ...(note === undefined ? {} : { note }), ...(typed === true ? { typed } : {}) };
  return { about, decision: decided, ...more, ...given };
}

function readAbout({ prefix, kind }: JsonObject): AnswerLine['about'] | string {
  if ((prefix === undefined) === (kind === undefined)) return 'the line needs either "prefix" or "kind".';
  if (prefix !== undefined && !isWords(prefix)) return '"prefix" must be a list of one or more words.';
  // A path may have a space in it, the name of a program has none.
  if (prefix !== undefined && /^[^/]*\s/.test(prefix[0] ?? '')) {
    const words = JSON.stringify(prefix.flatMap((word) => word.trim().split(/\s+/)));
    return `"prefix" has several words in one string, and would match nothing. Write ${words}.`;
  }
  if (prefix !== undefined) return { prefix };
  const known = kinds.find((each) => each === kind);
  if (known !== undefined) return { kind: known };
  return `"kind" must be ${oneOf(kinds)}. ${typeof kind === 'string' ? didYouMean(kind, kinds) : ''}`.trimEnd();
}

function isWords(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && word !== '');
}

function isTexts(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
