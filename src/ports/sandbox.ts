import type { DeniedRequest, ResolvedPolicy } from '../protocol/permissions.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { AnswerNetworkHost } from './ask-user.ts';

/** Notices about this machine's sandbox. Each is shown `once` per home, or `by words`: once for each text. */
export const sandboxNotices = {
  'sandbox-packaged': 'once',
  'sandbox-replaced': 'by words',
  'sandbox-fallback': 'once',
} as const;

/** Surfaces recognise refusals by these sentences: text for a model carries no code. */
export const refusalSentences = {
  noBubblewrap: 'This policy requires a sandbox, and bubblewrap, which builds it, was not found.',
  withoutSandbox:
    'If this machine is itself a sandbox, `-c sandbox_mode=danger-full-access` runs commands without one.',
} as const;

/** How each package program installs. */
const installVerbs = { 'apt-get': 'install', dnf: 'install', pacman: '-S', zypper: 'install', apk: 'add' } as const;
export const installers = Object.keys(installVerbs) as readonly string[];

/** Undefined if the system has none of the known package programs. */
export function installBubblewrap(has: (program: string) => boolean): string | undefined {
  const [program, verb] = Object.entries(installVerbs).find(([name]) => has(name)) ?? [];
  return program && `sudo ${program} ${verb} bubblewrap`;
}

export interface PlainCommand {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Capstan decided about `cwd`, which has no links in it: the command starts in exactly that folder or not at all. */
  readonly decidedFolder?: true;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `inherited`: the terminal of this process, if it has one; the command must not put input into it. `own`: one of its
   * own. Absent: none.
   */
  readonly terminal?: 'inherited' | 'own';
  /** Decides about hosts that the policy's lists leave to an answer. Absent: they are refused. */
  readonly answerHost?: AnswerNetworkHost;
}

export interface RunnableCommand extends PlainCommand {
  readonly kind: 'runnable';
  /** Passed to the child as open, readable files with descriptors 3, 4, … in this order. */
  readonly files: readonly Uint8Array[];
  readonly notice?: Outcome<keyof typeof sandboxNotices>;
  /** Messages with the started process before it becomes the command. Absent: none. */
  readonly handover?: HelperMessage;
  /** The proxy's refusals so far. Absent: there is no proxy. */
  denied?(): readonly DeniedRequest[];
  /** Number of local servers that the policy allows but that are too many for the sandbox's loopback. Absent: none. */
  readonly serversLeftOut?: number;
  /** Undoes what the isolation needed on the host. Called once after the process ended. Never rejects. */
  cleanup(): Promise<void>;
}

/**
 * The process is a Node with a message channel. It answers `message` with numbers, each with or without a handle. After
 * the number 0 Capstan closes the channel.
 */
export interface HelperMessage {
  readonly message: JsonObject;
  /** `handle`: the open handle that came with an answer, or undefined. */
  received(handle: unknown, index: number): void;
}

/** The policy cannot be enforced here, so the command must not run (I10). */
export interface SandboxRefused extends Outcome<'sandbox-missing' | 'sandbox-unusable' | 'policy-unenforceable'> {
  readonly kind: 'refused';
}

/** `fallback`: where bubblewrap cannot be used. `always`: Landlock or nothing. In both cases the user has agreed. */
export type LandlockUse = 'never' | 'fallback' | 'always';

export interface Sandbox {
  /** `gitFolders`: git folders and files below writable roots as last seen; commands cannot change them. */
  plan(
    command: PlainCommand,
    policy: ResolvedPolicy,
    gitFolders: readonly string[],
  ): Promise<RunnableCommand | SandboxRefused>;
}
