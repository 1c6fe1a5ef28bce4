import { defined } from '../../../base/objects.ts';
import { unescapeEndMarker, unescapeText } from '../text/escape-markup.ts';
import { stoppedExitCodeText, shellCommandPartEnds, type UserShellCommandText } from './user-actions.ts';

const head = '<user_shell_command>\n<command>\n';
const between = '\n</command>\n<result>\nExit code: ';
const end = '\n</result>\n</user_shell_command>';
const facts = /^([^\n]{1,80})\nDuration: (\d{1,12}(?:\.\d{1,12})?) seconds\nOutput:\n/;

/** Parses a text in the form of `userShellCommandFragment`, by any program. Undefined if it is something else. */
export function parseUserShellCommand(text: string): UserShellCommandText | undefined {
  const said = text.trim();
  const middle = said.indexOf(between);
  if (!said.startsWith(head) || !said.endsWith(end) || middle < head.length) return undefined;
  const result = said.slice(middle + between.length);
  const [about, exit = '', seconds] = facts.exec(result) ?? [];
  if (about === undefined) return undefined;
  const exitCode = /^-?\d{1,9}$/.test(exit) ? Number(exit) : undefined;
  return {
    command: asTyped(said.slice(head.length, middle)),
    seconds: Number(seconds),
    // If the command printed nothing, one line break both ends the heading and begins the end mark.
    output: asTyped(result.slice(about.length, Math.max(about.length, result.length - end.length))),
    ...defined({ exitCode, isStopped: exit === stoppedExitCodeText ? (true as const) : undefined }),
  };
}

const asTyped = (text: string): string => shellCommandPartEnds.reduce(unescapeEndMarker, text);
const form =
  /^<user_action>\s*<context>[^]*?<\/context>\s*<action>(\w{1,40})<\/action>\s*<results>\n?([^]*?)\n?\s*<\/results>\s*<\/user_action>$/;

/** Parses a text of `userActionFragment`. Undefined if the text is something else. */
export function parseUserAction(text: string): { readonly action: string; readonly results: string } | undefined {
  const [, action, results] = form.exec(text.trim()) ?? [];
  return action === undefined || results === undefined ? undefined : { action, results: unescapeText(results) };
}
