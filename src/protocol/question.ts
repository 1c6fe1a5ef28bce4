import type { TurnId } from './ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';
import type { ExtraPermissions, RequestedHost } from './permissions.ts';

/**
 * What is asked about: a call before it runs (`tool`: one that acts elsewhere), a host that a command wants to reach,
 * another try outside the sandbox, what an MCP server wants to know while its tool runs, what the model wants to know
 * (`input`), or the result of a tool that the client defined (`client-tool`).
 */
export const questionKinds = [
  'command',
  'patch',
  'permissions',
  'network',
  'retry',
  'tool',
  'elicitation',
  'input',
  'client-tool',
] as const;

export type QuestionKind = (typeof questionKinds)[number];

/** Whether it asks for words and not for a permission: only those who have the words can answer. */
export function asksForContent(kind: QuestionKind | 'unknown'): kind is 'input' | 'client-tool' {
  return kind === 'input' || kind === 'client-tool';
}

/** Whether a call may run. It is durable before it is asked. */
export interface Question {
  /** Its own: a call may be asked about several times, and an answer names the question. The same after a resume. */
  readonly id: string;
  /** The path of the agent whose call it is. Absent: the thread that the client speaks with. */
  readonly agent?: string;
  /** Of the call that is asked about. */
  readonly callId: string;
  readonly turnId: TurnId;
  readonly tool: string;
  /** What lists and screens show of the call, in the form of the file. */
  readonly item: JsonObject;
  /** `unknown`: of a file that a newer version wrote. */
  readonly kind: QuestionKind | 'unknown';
  /** Why the policy asks, for people. */
  readonly reason?: string;
  /** The model's own reason. */
  readonly justification?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** The model will be able to type into the command while it runs. */
  readonly typed?: true;
  /**
   * The commands that `argv` is known to start, wrappers seen through. Absent where something is known only when it runs,
   * and in questions that are read from a file.
   */
  readonly commands?: readonly (readonly string[])[];
  /**
   * The beginnings of all commands that were found in `argv`, wrappers as they are written and commands in scripts that
   * cannot be read whole included. A no may be about any of them, a yes only about `commands`. Absent where `commands` is
   * never there.
   */
  readonly seen?: readonly (readonly string[])[];
  /** Files that it is known to read or write. */
  readonly paths?: readonly { readonly path: string; readonly access: 'read' | 'write' }[];
  readonly host?: RequestedHost;
  /** The tool of an MCP server that `rule` as scope would allow from now on, while its server says of it what it does now. */
  readonly mcp?: { readonly server: string; readonly tool: string; readonly digest: string };
  /** What the server wants to know, in its own words: a page to visit, or the fields of a form as JSON Schema. */
  readonly elicitation?: {
    readonly server: string;
    readonly message: string;
    readonly url?: string;
    readonly schema?: JsonObject;
  };
  /** What the model wants to know. Its line leaves it to the arguments of the call. */
  readonly input?: readonly UserQuestion[];
  /** The tool of the client that is called, by its own name. The arguments are those of `item`. */
  readonly client?: { readonly tool: string; readonly namespace?: string };
  /** What would be allowed beyond the sandbox. */
  readonly permissions?: ExtraPermissions;
  /** The rule that `rule` as scope would save. */
  readonly prefix?: readonly string[];
  /** What `prefix` would allow stays in a sandbox that denies what may not be read. Absent: it leaves the sandbox. */
  readonly confined?: true;
  /** Which scopes an `allowed` may have. `call` always. */
  readonly scopes: readonly AnswerScope[];
}

/** How far an answer reaches: this call, all calls like it in the thread, or a rule that is saved. */
export type AnswerScope = 'call' | 'session' | 'rule';

/** `stopped`: no, and the turn ends. `lapsed`: the call or the program ended before there was an answer. `note`: for the model. */
export interface Answer {
  readonly kind: 'allowed' | 'declined' | 'stopped' | 'lapsed';
  /** Of an `allowed`; `call` unless said otherwise. */
  readonly scope?: AnswerScope;
  readonly note?: string;
  /** Of an `allowed` with the scope `rule`: another beginning of the command than the one of the question, to be saved. */
  readonly prefix?: readonly string[];
  /**
   * Of an `allowed` to an `elicitation`: what the form is filled with; absent: its defaults. To an `input`: a text or
   * several by the id of each question; absent: the first option of each. To a `client-tool`: its result, as `content`,
   * a text or a list of MCP content blocks, and `success`.
   */
  readonly content?: JsonObject;
  /**
   * Who decided; absent: the user. A reviewer and a hook of the user decide about this call and nothing more. No one
   * did: `default`, no answer was prepared for it; `client`, the program that was to ask brought none, and `note` says why.
   */
  readonly by?: 'review' | 'default' | 'client' | 'hook';
  /** What the reviewer said; absent also where the review failed. `overruled`: it said yes to more than it may allow. */
  readonly verdict?: Omit<ReviewVerdict, 'outcome'> & { readonly overruled?: true };
}

/** Who answers the questions of a thread: the user, or a model in the user's place. */
export type ApprovalsReviewer = 'user' | 'auto_review';

export const riskLevels = ['low', 'medium', 'high', 'critical'] as const;
/** What the action may cost, as the reviewer sees it. */
export type RiskLevel = (typeof riskLevels)[number];

export const authorizationLevels = ['unknown', 'low', 'medium', 'high'] as const;
/** How far the user's own words ask for the action, as the reviewer sees it. */
export type UserAuthorization = (typeof authorizationLevels)[number];

/** What a reviewer said. It is a claim: `policy/decide/reviewer-verdict.ts` decides what follows from it. */
export interface ReviewVerdict {
  readonly outcome: 'allow' | 'deny';
  readonly risk: RiskLevel;
  readonly authorization: UserAuthorization;
  readonly rationale?: string;
}

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
