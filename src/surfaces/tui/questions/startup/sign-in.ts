import type { Logins, SignedIn } from '../../../../engine/home/logins.ts';
import { fullText, type Outcome } from '../../../../protocol/outcome.ts';
import type { TuiSession } from '../../session/session.ts';
import type { StartupQuestionDesk, StartupQuestionExit } from './startup-question-desk.ts';

export type SignInWay = 'key' | 'browser' | 'device';

export async function signIn(
  desk: StartupQuestionDesk,
  logins: Logins,
  way: SignInWay,
): Promise<SignedIn | Outcome | StartupQuestionExit> {
  if (way === 'key') return withKey(desk, logins);
  return desk.during<SignedIn | Outcome>((signal, showGate) => {
    const show = (title: string, ...text: readonly string[]): void =>
      showGate({ title, text, choices: [{ label: 'Go back' }] });
    if (way === 'device') {
      return logins.withDeviceCode({ signal }, (page, code) =>
        show(
          `Open ${page} on any device, sign in, and type the code ${code}`,
          'The code expires in 15 minutes. Continue only if you started this sign-in yourself: if a website or a person gave you the code, stop.',
        ),
      );
    }
    return logins.withBrowser({ signal }, (page, opened) => {
      if (!opened) return show('Open this page in a browser of this machine', page);
      show('Sign in on the page that your browser shows', 'If it shows none, open this page on this machine:', page);
    });
  });
}

/** Repeats the question until the text is a key or the user goes back. */
async function withKey(desk: StartupQuestionDesk, logins: Logins): Promise<SignedIn | Outcome | StartupQuestionExit> {
  let problem: string | undefined;
  for (;;) {
    const given = await desk.askSecret({ title: 'Your OpenAI API key', problem });
    if (typeof given === 'string') return given;
    const kept = await logins.withKey(given.secret);
    if (!('code' in kept) || kept.code !== 'login-unfit') return kept;
    problem = 'This cannot be a key: it has spaces or characters that no key has.';
  }
}

export async function logout(session: TuiSession): Promise<void> {
  const logins = await session.parts.engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return session.notice(fullText(was), 'error');
  session.notice(
    was ? 'Signed out: the login is forgotten. To sign in again, use `capstan login`.' : 'You were not signed in.',
  );
  const { variables } = logins;
  if (variables.length > 0) session.notice(`${variables.join(', ')} still applies: unset it to use no key at all.`);
}
