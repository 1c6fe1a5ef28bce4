import type { Outcome } from '../protocol/outcome.ts';
import type { RequestedHost } from '../protocol/permissions.ts';
import type { Answer, Question } from '../protocol/question.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

/**
 * Puts questions to the user, one at a time for each step of a turn. When the signal aborts, the answer counts no more.
 * If it throws, or answers in a form that is not known, the call is declined, and not in the name of the user.
 */
export interface AskUser {
  /** Its answers are for the call alone: it saves no rule, so the model is not invited to propose one. */
  readonly answersOnce?: true;
  /** `item`: the call as screens show it, with the diff of a patch. Absent: the question has what is known of it. */
  ask(question: Question, signal: AbortSignal, item?: TurnItem): Promise<Answer>;
  /** Says at once, when a turn begins, if a person can be asked: anything but `true` counts as no. Absent: one can. */
  isThere?(): boolean;
}

/** `unasked`: the question would reach no one. */
export type HostAnswer = 'allowed' | 'declined' | 'unasked';

/**
 * Answers while the command waits. The signal ends the question: the command is over. The proxy takes a rejection as
 * `declined`.
 */
export type AnswerHost = (host: RequestedHost, signal: AbortSignal) => Promise<HostAnswer>;

/** What a rule would allow from now on: commands that begin with these words, a host, or a tool of an MCP server. */
export type RuleToSave =
  | { readonly kind: 'prefix'; readonly prefix: readonly string[] }
  | { readonly kind: 'host'; readonly host: RequestedHost }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly digest: string };

/** Where rules are saved that the user allows with an answer. */
export interface RuleBook {
  /** Saving the same rule again does nothing. Gives why it could not be saved, if it could not. Never rejects. */
  save(rule: RuleToSave): Promise<Outcome | undefined>;
}
