import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import { printNote } from '../../views/terminal/print.ts';

export async function run(): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const logins = await loaded.engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return was;
  printNote(was ? 'Signed out. The login is forgotten.' : 'You were not signed in.');
  if (logins.variables.length > 0)
    printNote(`${logins.variables.join(', ')} still applies: unset it to use no key at all.`);
  return 0;
}
