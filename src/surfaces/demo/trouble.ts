import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { refusalReason } from '../../fragments/answers/call-answers.ts';
import { refusalSentences } from '../../ports/sandbox.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { TurnSeen } from './play-turn.ts';

/** Something did not go as planned. */
export type Trouble = Outcome<'demo-no-place' | 'demo-no-sandbox' | 'demo-turn-failed' | 'demo-unexpected'>;

const report = 'This should not happen. Please report it, with everything above.';

export function unexpectedTrouble(message: string): Trouble {
  return { code: 'demo-unexpected', message, next: report };
}

/** Why a turn is not the one that the story needs, if it is not: no sandbox, or no end. */
export function turnTrouble({ reports, end }: TurnSeen): Trouble | undefined {
  const refused = reports.find((report) => report.output.startsWith('Not run: '));
  if (refused !== undefined) return sandboxTrouble(refused.output);
  if (end.code === 0) return undefined;
  const how = end.signal ?? `exit code ${end.code}`;
  return { code: 'demo-turn-failed', message: `The demo's turn did not finish (${how}).`, next: report };
}

/** What the model was told says why nothing runs, and what helps. */
function sandboxTrouble(answer: string): Trouble {
  // The demo does not take this option. Landlock it uses without a question.
  const message = refusalReason(answer).replace(` ${refusalSentences.withoutSandbox}`, '');
  const isMissing = message.includes(refusalSentences.noBubblewrap);
  const install = isMissing ? installCommand(process.env['PATH'] ?? '') : undefined;
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
