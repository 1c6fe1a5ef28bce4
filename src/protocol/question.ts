import type { TurnId } from './ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';
import type { ExtraPermissions, RequestedHost } from './permissions.ts';

/**
 * `tool`: a call that acts elsewhere. `network`: a host that a command wants to reach. `retry`: another try outside the
 * sandbox. `elicitation`: an MCP server's question. `input`: the model's. `client-tool`: the result of a client's tool.
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

/** True if it asks for content instead of permission: only one who has the content can answer. */
export const asksForContent = (kind: QuestionKind | 'unknown'): kind is 'input' | 'client-tool' =>
  kind === 'input' || kind === 'client-tool';

/** A question about a call. Capstan makes it durable before it asks. */
export interface Question {
  /** Unique: a call may be asked about several times, and an answer names the question. Survives a resume. */
  readonly id: string;
  /** The path of the calling agent. Absent: the thread that the client speaks with. */
  readonly agent?: string;
  readonly callId: string;
  readonly turnId: TurnId;
  readonly tool: string;
  /** The call as lists and screens show it, in the form of the file. */
  readonly item: JsonObject;
  /** `unknown`: from a file that a newer version wrote. */
  readonly kind: QuestionKind | 'unknown';
  /** The policy's reason, for the user. */
  readonly reason?: string;
  readonly justification?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** The model will be able to type into the command while it runs. */
  readonly typed?: true;
  /** The commands that `argv` starts, without wrappers. Absent if not known before it runs. Files never have it. */
  readonly commands?: readonly (readonly string[])[];
  /**
   * The first words of each command found in `argv`, also of wrappers and in scripts that are not fully known. Rules
   * that ask or refuse match any of these; rules that allow match `commands`.
   */
  readonly seen?: readonly (readonly string[])[];
  readonly paths?: readonly { readonly path: string; readonly access: 'read' | 'write' }[];
  readonly host?: RequestedHost;
  /** The MCP tool that the scope `rule` would allow from now on, while its server's description stays the same. */
  readonly mcp?: { readonly server: string; readonly tool: string; readonly digest: string };
  /** The server's question in its own words: a page to visit, or the fields of a form as JSON Schema. */
  readonly elicitation?: {
    readonly server: string;
    readonly message: string;
    readonly url?: string;
    readonly schema?: JsonObject;
  };
  /** The model's questions. The written line omits them, as they are in the call's arguments. */
  readonly input?: readonly UserQuestion[];
  /** The called tool by the client's own name. The arguments are those of `item`. */
  readonly client?: { readonly tool: string; readonly namespace?: string };
  readonly permissions?: ExtraPermissions;
  readonly prefix?: readonly string[];
  /** Commands that `prefix` allows stay in a sandbox that enforces unreadable paths. Absent: they leave the sandbox. */
  readonly confined?: true;
  /** Possible scopes of an `allowed`; always includes `call`. */
  readonly scopes: readonly AnswerScope[];
}

export type AnswerScope = 'call' | 'session' | 'rule';

/** `stopped`: no, and the turn ends. `lapsed`: the call or program ended before an answer. The model reads `note`. */
export interface Answer {
  readonly kind: 'allowed' | 'declined' | 'stopped' | 'lapsed';
  /** Only with `allowed`; defaults to `call`. */
  readonly scope?: AnswerScope;
  readonly note?: string;
  /** Only with `allowed` and the scope `rule`: another command prefix to save instead of the question's. */
  readonly prefix?: readonly string[];
  /**
   * Only with `allowed`. `elicitation`: the filled-in form; absent: its defaults. `input`: texts by question id;
   * absent: first options. `client-tool`: its `content`, a text or MCP content blocks, and `success`.
   */
  readonly content?: JsonObject;
  /**
   * Absent: the user decided. `review` and `hook` decide about this call only. With `default` (no answer was prepared)
   * and `client` (the asking program brought no answer; `note` says why), there was no decision.
   */
  readonly by?: 'review' | 'default' | 'client' | 'hook';
  /** The reviewer's verdict; absent also where the review failed. `overruled`: it approved more than it may allow. */
  readonly verdict?: Omit<ReviewVerdict, 'outcome'> & { readonly overruled?: true };
}

export type ApprovalsReviewer = 'user' | 'auto_review';
export const riskLevels = ['low', 'medium', 'high', 'critical'] as const;
export type RiskLevel = (typeof riskLevels)[number];
export const authorizationLevels = ['unknown', 'low', 'medium', 'high'] as const;
/** The reviewer's estimate of how far the user's own words ask for the action. */
export type UserAuthorization = (typeof authorizationLevels)[number];

/** Only a claim: `policy/decide/reviewer-verdict.ts` decides what follows from it. */
export interface ReviewVerdict {
  readonly outcome: 'allow' | 'deny';
  readonly risk: RiskLevel;
  readonly authorization: UserAuthorization;
  readonly rationale?: string;
}

export interface UserQuestion {
  readonly id: string;
  readonly header: string;
  readonly question: string;
  readonly options: readonly UserOption[];
}

type UserOption = { readonly label: string; readonly description: string };
/** More would be a form to fill in. The model is asked for fewer, but a few more do no harm. */
const mostQuestions = 10;
const mostOptions = 20;
const mostCharacters = 8000;

/** Reads the questions from a call's arguments, or returns the fault as a sentence. */
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

const isText = (value: string | undefined): value is string => value !== undefined && value.trim() !== '';

/** The user's answers in the order of the questions. `content` is the answer's and may come from any program. */
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
