import type { DeniedRequest, ResolvedPolicy } from '../protocol/permissions.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { AnswerHost } from './ask-user.ts';

/** Notices about the sandbox of this machine. A home shows each `once`, or once for each text. */
export const sandboxNotices = {
  'sandbox-packaged': 'once',
  'sandbox-replaced': 'by words',
  'sandbox-fallback': 'once',
} as const;

/** Sentences of refusals by which surfaces recognise them: what a model was told has no code. */
export const refusalSentences = {
  noBubblewrap: 'This policy requires a sandbox, and bubblewrap, which builds it, was not found.',
  withoutSandbox:
    'If this machine is itself a sandbox, `-c sandbox_mode=danger-full-access` runs commands without one.',
} as const;

/** A command as a tool wants it run, before it is isolated. */
export interface PlainCommand {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Its folder has no links, and was decided on: it starts in that very one, or not at all. */
  readonly decidedFolder?: true;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `inherited`: it has the terminal of this process, if there is one, and must not type into it. `own`: one that only
   * it has. Absent: it has none.
   */
  readonly terminal?: 'inherited' | 'own';
  /** Asked about hosts that the policy's lists leave to an answer. Absent: they are refused. */
  readonly answerHost?: AnswerHost;
}

/** A command as the operating system gets it. */
export interface RunnableCommand extends PlainCommand {
  readonly kind: 'runnable';
  /** Handed to the child as open, readable files with descriptors 3, 4, … in this order. */
  readonly files: readonly Uint8Array[];
  /** What the user should know about the sandbox. Said once. */
  readonly notice?: Outcome<keyof typeof sandboxNotices>;
  /** What passes between the process that is started and this one before it becomes the command. Absent: nothing. */
  readonly handover?: HelperMessage;
  /** What the proxy refused so far. Absent: there is no proxy. */
  denied?(): readonly DeniedRequest[];
  /** Servers of this machine that the policy leaves open, and that its loopback lacks because there are too many. Absent: none. */
  readonly serversLeftOut?: number;
  /** Undoes what the isolation needed on the host. Called once after the process ended. Never rejects. */
  cleanup(): Promise<void>;
}

/** The process is a Node with a message channel. It gets one message and answers with numbers; after a 0 the channel is closed. */
export interface HelperMessage {
  readonly message: JsonObject;
  /** `handle`: the open handle that came with an answer, or undefined. */
  received(handle: unknown, index: number): void;
}

/** The policy cannot be enforced here, so the command must not run (I10). */
export interface SandboxRefused extends Outcome<'sandbox-missing' | 'sandbox-unusable' | 'policy-unenforceable'> {
  readonly kind: 'refused';
}

/** `fallback`: where bubblewrap cannot be used. `always`: or nothing. Either way the user has agreed to it. */
export type LandlockUse = 'never' | 'fallback' | 'always';

export interface Sandbox {
  /** `gitFolders`: git folders and files below writable roots as they were last seen; commands cannot change them. */
  plan(
    command: PlainCommand,
    policy: ResolvedPolicy,
    gitFolders: readonly string[],
  ): Promise<RunnableCommand | SandboxRefused>;
}
