import { sentence } from '../../protocol/outcome.ts';
import { truncateMiddle } from '../text/truncate.ts';

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

const mostOfCall = 1000;

/** Stands before the result: what ran is not what the model wrote. `ran`: the command, or the arguments. */
export function changedByHook(ran: string): string {
  const shown = truncateMiddle(ran, { mode: 'bytes', limit: mostOfCall });
  return `A hook of the user changed this call before it ran. What ran: ${shown}`;
}

/** A hook changed a call into something that is no call. */
export function brokenByHook(problem: string): string {
  return `Not run: a hook of the user changed this call, and what it made of it cannot run. ${problem}`;
}

/** In place of the result of a call that a hook turned down. `exitCode`: of a command. */
export function stoppedByHook(reason: string, exitCode?: number): string {
  const ran = `The call ran${exitCode === undefined ? '' : ` and exited with code ${exitCode}`}.`;
  return reason === ''
    ? `${ran} A PostToolUse hook of the user withholds its result, and gave no reason.`
    : `${ran} A PostToolUse hook of the user withholds its result and says: ${reason}`;
}

/** Before words of a hook about a command that ran on beyond its call. */
export function aboutEndedCommand(command: string, words: string): string {
  const shown = truncateMiddle(command, { mode: 'bytes', limit: mostOfCall });
  return `About the command that has now ended, ${JSON.stringify(shown)}:\n${words}`;
}
