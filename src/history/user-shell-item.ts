import { userShellCommandFragment } from '../fragments/events/user-shell-command.ts';
import { recognise } from '../fragments/foreign/recognise.ts';
import type { MessageItem } from '../protocol/item.ts';

/** Whether a message that a program put in is a command that the user ran beside the conversation, with its output. */
export function isUserShell({ role, content }: MessageItem): boolean {
  const [only, ...others] = content;
  const text = others.length === 0 ? only?.['text'] : undefined;
  return typeof text === 'string' && recognise(role, text) === userShellCommandFragment.id;
}
