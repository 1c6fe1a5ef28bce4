import { unescapeText } from '../text/markup.ts';

const form =
  /^<user_action>\s*<context>[^]*?<\/context>\s*<action>(\w{1,40})<\/action>\s*<results>\n?([^]*?)\n?\s*<\/results>\s*<\/user_action>$/;

/** What a text of `userActionFragment` says. Undefined: it is none. */
export function readUserAction(text: string): { readonly action: string; readonly results: string } | undefined {
  const [, action, results] = form.exec(text.trim()) ?? [];
  return action === undefined || results === undefined ? undefined : { action, results: unescapeText(results) };
}
