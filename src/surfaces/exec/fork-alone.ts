import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';

/** What needs a turn, and why. */
const wants = [
  ['image', 'A picture goes with a prompt'],
  ['outputSchema', 'An output schema is for the answer to a prompt'],
  ['lastMessageFile', 'The answer to a prompt is what -o writes'],
  ['cyberAccessProgram', 'An access program is for a turn'],
] as const;

/** Why a fork without a prompt would be without what was asked for. */
export function forkProblem({ options }: ExecArguments): Outcome<'no-prompt'> | undefined {
  const want = wants.find(([key]) => (options[key]?.length ?? 0) > 0)?.[1];
  const reason = want ?? (options.ephemeral ? 'Of a fork with --ephemeral nothing is left' : undefined);
  if (reason === undefined) return undefined;
  return {
    code: 'no-prompt',
    message: `${reason}, and there is no prompt.`,
    next: 'Give the prompt behind the thread, or "-" to read it from standard input; or leave the option out.',
  };
}
