import type { ConfigProblem } from '../config/config-problem.ts';
import type { KnownHook } from './hook-definition.ts';

const mostNamed = 3;
const longest = 80;

/** One warning for all hooks that do not run because the user has not trusted them. */
export function untrustedHooks(hooks: readonly KnownHook[]): readonly ConfigProblem[] {
  const [first] = hooks;
  if (first === undefined) return [];
  const named = hooks.slice(0, mostNamed).map(({ command, event, trust }) => {
    const shown = command.length > longest ? `${command.slice(0, longest)}…` : command;
    return `${JSON.stringify(shown)} (${event}${trust === 'modified' ? ', changed since you trusted it' : ''})`;
  });
  const more = hooks.length > mostNamed ? ` and ${hooks.length - mostNamed} more` : '';
  const subject = hooks.length === 1 ? 'A hook does' : `${hooks.length} hooks do`;
  const message = `${subject} not run, because ${hooks.length === 1 ? 'it was' : 'they were'} not trusted when Capstan started: ${named.join(', ')}${more}.`;
  const it = hooks.length === 1 ? 'it' : 'them';
  const next = `Read ${it} with \`capstan hooks list\` and trust ${it} with \`capstan hooks trust\`, or do both with /hooks in the terminal. That counts from the next start.`;
  return [{ code: 'hooks-untrusted', message, next, severity: 'warning', source: first.source.path }];
}
