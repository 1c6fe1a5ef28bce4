import { defineFragment } from './define.ts';
import { neutraliseEnd } from './markup.ts';
import { truncateMiddle } from './truncate.ts';

export interface UserShellCommandText {
  readonly command: string;
  readonly exitCode: number;
  readonly seconds: number;
  readonly output: string;
}

export const userShellCommandFragment = defineFragment<UserShellCommandText>({
  id: 'user-shell-command',
  purpose: 'A command that the user ran, and what came of it.',
  role: 'user',
  markers: ['<user_shell_command>', '</user_shell_command>'],
  capTokens: 12_500,
  separate: true,
  body({ command, exitCode, seconds, output }) {
    const asked = truncateMiddle(neutraliseEnd(command, '</command>'), { mode: 'tokens', limit: 2000 });
    const printed = truncateMiddle(neutraliseEnd(output, '</result>'), { mode: 'tokens', limit: 10_000 });
    const result = `Exit code: ${exitCode}\nDuration: ${seconds.toFixed(4)} seconds\nOutput:\n${printed}`;
    return `\n<command>\n${asked}\n</command>\n<result>\n${result}\n</result>\n`;
  },
});
