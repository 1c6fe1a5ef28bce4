import type { Outcome } from '../protocol/outcome.ts';
import type { RequestedHost } from '../protocol/permissions.ts';
import type { Answer, Question } from '../protocol/question.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

/**
 * Asks the user, one question at a time for each step of a turn. After the signal aborts, the answer is ignored. If it
 * throws, or answers in an unknown form, the call is declined, but not in the user's name.
 */
export interface AskUser {
  /** Its answers apply to one call and save no rule, so Capstan does not invite the model to propose one. */
  readonly answersOnce?: true;
  /** `item`: the call as screens show it, with the diff of a patch. Absent: the question has all that is known. */
  ask(question: Question, signal: AbortSignal, item?: TurnItem): Promise<Answer>;
  /** Called at the start of a turn; returns at once. Only `true` means that a person can be asked. Absent: yes. */
  isThere?(): boolean;
}

/** `unasked`: the question would reach no one. */
export type NetworkHostAnswer = 'allowed' | 'declined' | 'unasked';
/** Answers while the command waits. The signal aborts when the command is over. A rejection counts as `declined`. */
export type AnswerNetworkHost = (host: RequestedHost, signal: AbortSignal) => Promise<NetworkHostAnswer>;

/** A permanent permission: for commands that begin with these words, a host, or a tool of an MCP server. */
export type RuleToSave =
  | { readonly kind: 'prefix'; readonly prefix: readonly string[] }
  | { readonly kind: 'host'; readonly host: RequestedHost }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly digest: string };

export interface RuleBook {
  /** Idempotent. Returns why the rule could not be saved, if so. Never rejects. */
  save(rule: RuleToSave): Promise<Outcome | undefined>;
}
