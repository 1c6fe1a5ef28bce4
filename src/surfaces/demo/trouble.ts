import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { version } from '../../protocol/version.ts';
import type { Stage, TurnSeen } from './play-turn.ts';
import { isCallOutput, sentItems } from './scripted-answers.ts';

/** Something did not go as the story has it. */
export type Trouble = Outcome<'demo-no-place' | 'demo-no-sandbox' | 'demo-turn-failed' | 'demo-unexpected'>;

const report = 'This should not happen. Please report it, with everything above.';

export function unexpectedTrouble(message: string): Trouble {
  return { code: 'demo-unexpected', message, next: report };
}

/** Why a turn is not the one that the story needs, if it is not: no sandbox, or no end. */
export function turnTrouble(stage: Stage, { completed, commands, end }: TurnSeen): Trouble | undefined {
  if (commands.some(({ status }) => status === 'declined')) return sandboxTrouble(stage);
  if (completed) return undefined;
  const said = end.stderr.split('\n').filter((line) => !line.startsWith(`capstan ${version} `));
  const how = end.signal === null ? `exit code ${end.code}` : end.signal;
  return {
    code: 'demo-turn-failed',
    message: `The turn did not come to its end (${how}). ${said.join(' ')}`,
    next: report,
  };
}

/** The event says that the command was declined; what the model was told says why, and what helps. */
function sandboxTrouble({ model, env }: Stage): Trouble {
  const answered = model.requests.flatMap(sentItems).findLast(isCallOutput);
  const message = ((answered && stringAt(answered, 'output')) ?? '').replace(/^Not run: /, '');
  const install = /bubblewrap.* was not found/.test(message) ? installCommand(env['PATH'] ?? '') : undefined;
  const next = install === undefined ? 'Then run this again.' : `To install it: ${install}`;
  return { code: 'demo-no-sandbox', message, next };
}

const installCommands = [
  ['apt-get', 'sudo apt-get install bubblewrap'],
  ['dnf', 'sudo dnf install bubblewrap'],
  ['pacman', 'sudo pacman -S bubblewrap'],
  ['zypper', 'sudo zypper install bubblewrap'],
  ['apk', 'sudo apk add bubblewrap'],
] as const;

/** How to install the sandbox's program on this system, if its package manager is one that we know. */
function installCommand(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return installCommands.find(([manager]) => folders.some((folder) => existsSync(join(folder, manager))))?.[1];
}
