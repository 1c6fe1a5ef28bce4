import type { Environment } from '../../envelope/environment.ts';
import { boundedList } from '../text/bounded-list.ts';
import { defineFamily } from '../text/define.ts';
import { escapeMarkup } from '../text/markup.ts';

/** What to say about the environment; a member that is absent is not mentioned, an empty list is. */
export type EnvironmentText = Partial<Environment>;

export const environmentFragment = defineFamily<EnvironmentText>({
  id: 'environment',
  purpose: 'The folder, the date and the limits that the model works with; only what changed.',
  role: 'user',
  markers: ['<environment_context>', '</environment_context>'],
  capTokens: 4000,
  section: 'environments',
  matches: (text) => /^\s*<environment_context(?:\s[^>]*)?>[\s\S]*<\/environment_context>\s*$/i.test(text),
  body(told) {
    const lines = [
      ...field('cwd', told.cwd),
      ...field('shell', told.shell),
      ...field('current_date', told.date),
      ...field('timezone', told.timezone),
      ...field('approval_policy', told.approvalPolicy),
      ...field('sandbox_mode', told.sandboxMode),
      ...field('network_access', told.networkAccess),
      ...list('writable_roots', 'root', told.writableRoots),
      ...list('workspace_roots', 'root', told.workspaceRoots),
      ...list('denied_paths', 'path', told.deniedPaths),
      ...list('reopened_paths', 'path', told.reopenedPaths),
      ...list('allowed_domains', 'domain', told.allowedDomains),
      ...list('denied_domains', 'domain', told.deniedDomains),
    ];
    return `\n${lines.map((line) => `  ${line}\n`).join('')}`;
  },
  withdrawn: '\n  <withdrawn />\n',
});

function field(tag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`<${tag}>${escapeMarkup(value)}</${tag}>`];
}

/** An empty list is told too: otherwise the last entry could never be taken away. */
function list(tag: string, entryTag: string, values: readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  if (values.length === 0) return [`<${tag} />`];
  const { kept, left } = boundedList(
    values.flatMap((value) => field(entryTag, value)),
    { count: 100, characters: 2000 },
  );
  return [`<${tag}>${kept.join('')}${left === 0 ? '' : `<omitted count="${left}" />`}</${tag}>`];
}
