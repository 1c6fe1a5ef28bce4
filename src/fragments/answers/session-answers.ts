import type { SessionFate } from '../../ports/sessions.ts';

const became: Readonly<Record<SessionFate, string>> = {
  exited: 'has ended, and an answer before said so',
  'timed-out': 'was killed at its time limit, and an answer before said so',
  stopped: 'was ended by the user',
  pruned: 'was ended to make space: 64 sessions can run at once',
  narrowed: 'was ended, because it had more permissions than you have now',
  closed: 'was ended when the conversation was closed',
  gone: 'ended, at the latest with the program that ran this conversation before',
};

/** A call that names a session which cannot be reached. */
export function noSuchSession(id: number, fate: SessionFate | undefined): string {
  const what = fate === undefined ? `There is no session ${id}.` : `Session ${id} ${became[fate]}.`;
  return `Nothing was written: ${what} Start the command again with exec_command if you need it.`;
}

/** A session whose command reads nothing. */
export function inputIsClosed(id: number): string {
  return `Nothing was written: the input of session ${id} is closed. It runs on. To write to a command, start it with stdin or tty set to true.`;
}
