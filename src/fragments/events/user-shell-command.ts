import { defineFragment } from '../text/define.ts';
import { escapeText } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface UserShellCommandText {
  readonly command: string;
  /** Absent: it did not end by itself. */
  readonly exitCode?: number;
  /** The user has ended it. */
  readonly isStopped?: true;
  readonly seconds: number;
  readonly output: string;
}

/** A command that the user ran, not the model, in the form that other programs write. */
export const userShellCommandFragment = defineFragment<UserShellCommandText>({
  id: 'user-shell-command',
  purpose: 'A command that the user ran beside the conversation, and its output.',
  role: 'user',
  markers: ['<user_shell_command>', '</user_shell_command>'],
  capTokens: 5000,
  separate: true,
  body: ({ command, exitCode, isStopped, seconds, output }) =>
    `\n<command>\n${shortened(command, 1000)}\n</command>\n<result>\nExit code: ${exitCode ?? (isStopped === true ? 'none (stopped by the user)' : 'none')}\nDuration: ${seconds.toFixed(4)} seconds\nOutput:\n${shortened(output, 3500)}\n</result>\n`,
});

function shortened(text: string, tokens: number): string {
  return truncateMiddle(escapeText(text), { mode: 'tokens', limit: tokens });
}
