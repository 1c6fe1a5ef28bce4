import type { Outcome } from '../../../protocol/outcome.ts';
import { defined } from '../../../protocol/defined.ts';
import type { Logins, SignedIn } from '../../engine/logins.ts';
import type { GateDesk, GateExit } from './gate-desk.ts';

export type SignInWay = 'key' | 'browser' | 'device';

/** Signs the user in, in one of the ways. */
export async function signIn(desk: GateDesk, logins: Logins, way: SignInWay): Promise<SignedIn | Outcome | GateExit> {
  if (way === 'key') return withKey(desk, logins);
  return desk.during<SignedIn | Outcome>((signal, show) =>
    way === 'browser'
      ? logins.withBrowser({ signal }, (page, opened) =>
          show({
            title: opened
              ? 'Sign in on the page that your browser shows'
              : 'Open this page in a browser of this machine',
            text: [...(opened ? ['If it shows none, open this page on this machine:'] : []), page],
            choices: [{ label: 'Go back' }],
          }),
        )
      : logins.withDeviceCode({ signal }, (page, code) =>
          show({
            title: `Open ${page} on any device, sign in, and type the code ${code}`,
            text: [
              'The code expires in 15 minutes. Continue only if you started this sign-in yourself: if a website or a person gave you the code, stop.',
            ],
            choices: [{ label: 'Go back' }],
          }),
        ),
  );
}

/** Asked until it is a key, or the user goes back. */
async function withKey(desk: GateDesk, logins: Logins): Promise<SignedIn | Outcome | GateExit> {
  let problem: string | undefined;
  for (;;) {
    const given = await desk.askSecret({ title: 'Your OpenAI API key', ...defined({ problem }) });
    if (typeof given === 'string') return given;
    const kept = await logins.withKey(given.secret);
    if (!('code' in kept) || kept.code !== 'login-unfit') return kept;
    problem = 'This cannot be a key: it has spaces or characters that no key has.';
  }
}
