import { contextMessageItem } from '../../core/fragments/message-items.ts';
import { userShellCommandFragment } from '../../core/fragments/events/user-actions.ts';
import { renderFragment } from '../../core/fragments/text/define-fragment.ts';
import { defined } from '../../base/objects.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadParts } from './thread-parts.ts';
import type { Thread } from './thread.ts';

export interface UserShell {
  readonly command: string;
  /** Ends the command and everything that it started. */
  readonly signal: AbortSignal;
  output?(bytes: Uint8Array): void;
  /** Called with the id of the item before followers are sent it. */
  recordedAs?(id: string): void;
}

/** `exitCode` is absent if it was stopped. The model reads the output with its next request. */
export type UserShellRan =
  | { readonly kind: 'ran'; readonly exitCode?: number; readonly output: string; readonly durationMs: number }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Runs the user's command outside the sandbox, beside a running turn, and informs the thread. */
export async function runUserShell(
  parts: Pick<ThreadParts, 'userShell' | 'ids'>,
  thread: Pick<Thread, 'settings' | 'inject'>,
  asked: UserShell,
): Promise<UserShellRan> {
  const { command } = asked;
  if (command.trim() === '' || parts.userShell === undefined) return { kind: 'refused', outcome: noCommand };
  const end = await parts.userShell({ ...asked, cwd: thread.settings.cwd });
  if (end.kind === 'not-started') {
    const message = `The command did not start: ${end.reason}`;
    return { kind: 'refused', outcome: { code: 'not-started', message, next: 'Check the command.' } };
  }
  const exitCode = end.kind === 'exited' ? end.exitCode : undefined;
  const output = end.output.text;
  const isStopped = end.kind === 'aborted' || undefined;
  const said = { command, output, seconds: end.durationMs / 1000, ...defined({ exitCode, isStopped }) };
  const { role, text } = renderFragment(userShellCommandFragment, said);
  const id = `msg_${parts.ids.uuid()}`;
  asked.recordedAs?.(id);
  const told = await thread.inject(contextMessageItem(id, role, [text]));
  if (told.kind === 'refused') return told;
  return { kind: 'ran', output, durationMs: end.durationMs, ...defined({ exitCode }) };
}

const noCommand: Outcome = {
  code: 'no-command',
  message: 'There is no command to run.',
  next: 'Give the command as one text, as you would type it in your shell.',
};
