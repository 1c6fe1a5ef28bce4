import type { AskedHost } from './asked-host.ts';
import type { ExtraPermissions } from './extra-permissions.ts';
import type { TurnId } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { ReviewVerdict } from './review-verdict.ts';
import type { UserQuestion } from './user-question.ts';

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
  readonly host?: AskedHost;
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
