import { defineFragment } from '../text/define.ts';
import { neutraliseEnd } from '../text/markup.ts';
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

/** In the place of an exit code. */
export const noExitCodeStopped = 'none (stopped by the user)';

/** What ends the parts of the text. A command and its output cannot. */
export const partEnds = ['</command>', '</result>'] as const;

/** A command that the user ran, not the model, in the form that other programs write. */
export const userShellCommandFragment = defineFragment<UserShellCommandText>({
  id: 'user-shell-command',
  purpose: 'A command that the user ran beside the conversation, and its output.',
  role: 'user',
  markers: ['<user_shell_command>', '</user_shell_command>'],
  capTokens: 5000,
  separate: true,
  body: ({ command, exitCode, isStopped, seconds, output }) =>
    `\n<command>\n${shortened(command, 1000)}\n</command>\n<result>\nExit code: ${exitCode ?? (isStopped === true ? noExitCodeStopped : 'none')}\nDuration: ${seconds.toFixed(4)} seconds\nOutput:\n${shortened(output, 3500)}\n</result>\n`,
});

/** As the command was typed and printed, but for what would end its part of the text, or move a cursor. */
function shortened(text: string, tokens: number): string {
  const plain = partEnds.reduce(neutraliseEnd, withoutControls(text));
  return truncateMiddle(plain, { mode: 'tokens', limit: tokens });
}

/** CSI; OSC and its kin up to their end; and what two characters say. */
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

/** Without sequences that colour or move, and what a line wrote over: a model reads no screen. In linear time. */
function withoutControls(text: string): string {
  const lines = text.replaceAll(sequences, '').split('\n');
  return lines
    .map(lastWritten)
    .join('\n')
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '');
}

/** What stands in a line at its end: a carriage return begins it anew. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}
