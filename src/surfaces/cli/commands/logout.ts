import { withEngine } from '../../views/command-line/command-engine.ts';
import { printNote } from '../../views/terminal/print.ts';
import type { logoutCommand } from '../table/settings-commands.ts';

export const run = withEngine<typeof logoutCommand>(async (_, { engine }) => {
  const logins = await engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return was;
  printNote(was ? 'Signed out. The login is forgotten.' : 'You were not signed in.');
  if (logins.variables.length > 0)
    printNote(`${logins.variables.join(', ')} still applies: unset it to use no key at all.`);
  return 0;
});
