import type { CommandSessionFate } from '../../../ports/commands.ts';

const became: Readonly<Record<CommandSessionFate, string>> = {
  exited: 'has ended, and an answer before said so',
  'timed-out': 'was killed at its time limit, and an answer before said so',
  stopped: 'was ended by the user',
  pruned: 'was ended to make space: 64 sessions can run at once',
  narrowed: 'was ended, because it had more permissions than you have now',
  closed: 'was ended when the conversation was closed',
  gone: 'ended, at the latest with the program that ran this conversation before',
};

export function noSuchSessionText(id: number, fate: CommandSessionFate | undefined): string {
  const what = fate === undefined ? `There is no session ${id}.` : `Session ${id} ${became[fate]}.`;
  return `Nothing was written: ${what} Start the command again with exec_command if you need it.`;
}

export const inputClosedText = (id: number): string =>
  `Nothing was written: the input of session ${id} is closed. It runs on. To write to a command, start it with stdin or tty set to true.`;
export const currentTimeText = (epochMs: number): string =>
  `It is ${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC.`;

/** `isWhole`: no message or interruption ended it early. */
export function sleepEndedText(milliseconds: number, { isWhole }: { readonly isWhole: boolean }): string {
  const seconds = (milliseconds / 1000).toFixed(1);
  return `Wall time: ${seconds} seconds\n${isWhole ? 'Sleep completed.' : 'Sleep interrupted by new input.'}`;
}
