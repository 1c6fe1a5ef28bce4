import type { Usage } from '../../protocol/usage.ts';

/** A thread as people read it: what both readable formats are made from. */
export interface ThreadPage {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly program?: string;
  readonly cwd?: string;
  readonly forkedFrom?: string;
  readonly turns: readonly PageTurn[];
  readonly usage: Usage;
}

export interface PageTurn {
  /** Counted from 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly status: 'completed' | 'failed' | 'interrupted' | 'open';
  /** A rollback has taken it back: the model does not know it any more. */
  readonly isTakenBack: boolean;
  /** What it ran under, as far as it is known: model, effort, folder, sandbox, approval. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly error?: string;
  readonly parts: readonly PagePart[];
  /** What its requests cost; absent if nobody counted. */
  readonly usage?: Usage;
}

export type PagePart =
  | { readonly kind: 'user'; readonly texts: readonly string[]; readonly pictures: readonly string[] }
  | { readonly kind: 'assistant'; readonly text: string; readonly phase?: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** Told to the model by the program, not by the user. */
  | { readonly kind: 'context'; readonly title: string; readonly text: string }
  | PageCall
  /** History was replaced. */
  | { readonly kind: 'checkpoint'; readonly text: string };

export interface PageCall {
  readonly kind: 'call';
  readonly name: string;
  readonly form: 'command' | 'patch' | 'other';
  readonly input: string;
  /** Absent: it has no answer. */
  readonly output?: { readonly text: string; readonly pictures: readonly string[] };
}
