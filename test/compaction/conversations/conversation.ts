/** A conversation written by hand, with what a careful colleague would say about it. */
export interface Conversation {
  readonly name: string;
  /** The events, oldest first. A turn begins with each `ask`. */
  readonly story: readonly Happening[];
  /** The words, or the beginning of them, of each message that is the active request; `picture` for one without words. */
  readonly active: readonly string[];
  /** Beginnings of messages whose task is cancelled, postponed, answered or finished: none may be given as active. */
  readonly over?: readonly string[];
  /** The beginning of another message, for a summariser that is wrong. By default the first one that is not active. */
  readonly wrong?: string;
  /** The finished work and the next step, in the words of a summariser that understood the conversation. */
  readonly done: string;
  readonly next: string;
  /** Texts that every prompt after a checkpoint holds, whatever wrote it. */
  readonly must?: readonly string[];
  /** Texts that a checkpoint holds where no model wrote a summary. */
  readonly mustAlone?: readonly string[];
  /** Texts that no prompt after a checkpoint holds. */
  readonly mustNot?: readonly string[];
  /** In tokens, for the user's words, where the usual budget is not the point. */
  readonly budget?: number;
}

export type Happening =
  | { readonly kind: 'ask'; readonly text: string; readonly pictures: number }
  /** Words of the user while a turn runs. */
  | { readonly kind: 'steer'; readonly text: string }
  | { readonly kind: 'run'; readonly command: string; readonly output: string; readonly exitCode: number }
  | { readonly kind: 'plan'; readonly steps: readonly string[] }
  | { readonly kind: 'patch'; readonly path: string; readonly change: 'add' | 'update' | 'delete' }
  | { readonly kind: 'bad-patch'; readonly problem: string }
  | { readonly kind: 'hook'; readonly text: string }
  /** A message that the program which drives the thread puts in. */
  | { readonly kind: 'program'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'say'; readonly text: string };

export function ask(text: string, { pictures = 0 }: { readonly pictures?: number } = {}): Happening {
  return { kind: 'ask', text, pictures };
}

export const steer = (text: string): Happening => ({ kind: 'steer', text });

export function run(command: string, output: string, exitCode = 0): Happening {
  return { kind: 'run', command, output, exitCode };
}

/** A step that begins with `x ` is done, one that begins with `> ` is in progress. */
export const plan = (...steps: readonly string[]): Happening => ({ kind: 'plan', steps });

export const patch = (path: string, change: 'add' | 'update' | 'delete' = 'update'): Happening => ({
  kind: 'patch',
  path,
  change,
});

export const badPatch = (problem: string): Happening => ({ kind: 'bad-patch', problem });
export const hook = (text: string): Happening => ({ kind: 'hook', text });
export const program = (text: string): Happening => ({ kind: 'program', text });
export const interrupt: Happening = { kind: 'interrupt' };
export const say = (text: string): Happening => ({ kind: 'say', text });
