import { defineFragment } from '../text/define-fragment.ts';
import { escapeEndMarker, escapeMarkup, escapeText } from '../text/escape-markup.ts';
import { byteLength, firstBytes, lastBytes, truncateMiddle } from '../text/truncate.ts';

export type UserActionText = { readonly action: 'review'; readonly context: string; readonly results: string };

/** User actions outside the conversation, in the form that other programs write. */
export const userActionFragment = defineFragment<UserActionText>({
  id: 'user-action',
  purpose: 'Something that the user started beside the conversation, such as a review of code, and what came of it.',
  role: 'user',
  capTokens: 5000,
  separate: true,
  body: ({ action, context, results }) =>
    `\n  <context>${escapeText(context)}</context>\n  <action>${action}</action>\n  <results>\n${escapeText(results)}\n  </results>\n`,
});

export const reviewContext =
  'The user started a review of code. What follows is what the reviewer found. The user may ask you to work on some of it.';

export const interruptedReviewTexts = {
  context: 'The user started a review of code and interrupted it.',
  results: 'None: it was interrupted. To review again, the user starts another one.',
};

export const failedReviewTexts = (why: string): typeof interruptedReviewTexts => ({
  context: 'The user started a review of code, and it failed.',
  results: `None: ${why}`,
});

export interface UserShellCommandText {
  readonly command: string;
  /** Absent: it did not exit by itself. */
  readonly exitCode?: number;
  readonly isStopped?: true;
  readonly seconds: number;
  readonly output: string;
}

export const stoppedExitCodeText = 'none (stopped by the user)';
/** Tags that end a part of the text. Capstan escapes them in a command and its output. */
export const shellCommandPartEnds = ['</command>', '</result>'] as const;

/** A command that the user ran, in the form that other programs write. */
export const userShellCommandFragment = defineFragment<UserShellCommandText>({
  id: 'user-shell-command',
  purpose: 'A command that the user ran beside the conversation, and its output.',
  role: 'user',
  capTokens: 5000,
  separate: true,
  body: ({ command, exitCode, isStopped, seconds, output }) =>
    `\n<command>\n${shortened(command, 1000)}\n</command>\n<result>\nExit code: ${exitCode ?? (isStopped === true ? stoppedExitCodeText : 'none')}\nDuration: ${seconds.toFixed(4)} seconds\nOutput:\n${shortened(output, 3500)}\n</result>\n`,
});

/** Cuts to the tokens, escapes end tags, and removes colours, cursor sequences and overwritten text. */
const shortened = (text: string, tokens: number): string =>
  truncateMiddle(shellCommandPartEnds.reduce(escapeEndMarker, withoutControls(text)), {
    mode: 'tokens',
    limit: tokens,
  });

/** CSI; OSC and similar up to their terminators; two-character sequences. */
const sequences = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

/** Removes colour and cursor sequences and overwritten text, because a model reads no screen. Linear time. */
function withoutControls(text: string): string {
  const lines = text.replaceAll(sequences, '').split('\n');
  return lines
    .map(lastWritten)
    .join('\n')
    .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '');
}

/** The line's final content: a carriage return restarts it. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}

export interface RealtimeDelegationText {
  readonly source?: string;
  readonly input: string;
  /** The transcript since the last event. */
  readonly transcriptDelta?: string;
}

const fieldBytes = 4096;

export const realtimeDelegationFragment = defineFragment<RealtimeDelegationText>({
  id: 'realtime-delegation',
  purpose: 'Work that a spoken conversation hands to the model.',
  role: 'user',
  capTokens: 3200,
  separate: true,
  body({ source, input, transcriptDelta }) {
    const lines = [
      ...(source === undefined ? [] : [`  <source>${head(escapeMarkup(source))}</source>`]),
      `  <input>${head(escapeText(input))}</input>`,
      ...(transcriptDelta === undefined
        ? []
        : [`  <transcript_delta>${tail(escapeText(transcriptDelta))}</transcript_delta>`]),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

/** The beginning of a request matters most; the cut never splits an entity. */
function head(text: string): string {
  if (byteLength(text) <= fieldBytes) return text;
  return `${firstBytes(text, fieldBytes - byteLength('…')).replace(/&[^;]*$/, '')}…`;
}

/** The newest words of a conversation matter most. */
function tail(text: string): string {
  if (byteLength(text) <= fieldBytes) return text;
  return `…${lastBytes(text, fieldBytes - byteLength('…')).replace(/^[#\w]{0,6};/, '')}`;
}
