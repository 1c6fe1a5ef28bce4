import { sentence } from '../../protocol/outcome.ts';

/** What the model reads of a call that a hook did not let run. `command`: of a call that would have started one. */
export function blockedByHook(
  reason: string,
  { tool, command }: { readonly tool: string; readonly command?: string },
): string {
  return command === undefined
    ? `Tool call blocked by PreToolUse hook: ${sentence(reason)} Tool: ${tool}`
    : `Command blocked by PreToolUse hook: ${sentence(reason)} Command: ${command}`;
}

/** A hook answered the question about a call. */
export function declinedByHook(note: string | undefined): string {
  return note === undefined || note === ''
    ? 'Not run: a hook of the user declined it.'
    : `Not run: a hook of the user declined it: ${sentence(note)}`;
}

/** Stands before the result: what ran is not what the model wrote. */
export const changedByHook = 'A hook of the user changed this call before it ran.';

/** A hook changed a call into something that is no call. */
export function brokenByHook(problem: string): string {
  return `Not run: a hook of the user changed this call, and what it made of it cannot run. ${problem}`;
}

/** The result of a call that a hook turned down. */
export function stoppedByHook(reason: string): string {
  return reason === '' ? 'A hook of the user replaced the result of this call, and gave no reason.' : reason;
}
