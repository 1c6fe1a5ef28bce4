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
  const message = `${subject} not run, because you have not trusted ${hooks.length === 1 ? 'it' : 'them'}: ${named.join(', ')}${more}.`;
  const next = 'Read them with `capstan hooks list`, then trust them with `capstan hooks trust`.';
  return [{ code: 'hooks-untrusted', message, next, severity: 'warning', source: first.source.path }];
}
