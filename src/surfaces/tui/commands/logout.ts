import { fullText } from '../../../protocol/outcome.ts';
import type { CommandSession } from './command-session.ts';

/** `/logout`: the login of the home is forgotten. */
export async function logout(session: CommandSession): Promise<void> {
  const logins = await session.parts.engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return session.notice(fullText(was), 'error');
  session.notice(
    was ? 'Signed out: the login is forgotten. To sign in again, use `capstan login`.' : 'You were not signed in.',
  );
  const { variables } = logins;
  if (variables.length > 0) session.notice(`${variables.join(', ')} still applies: unset it to use no key at all.`);
}
