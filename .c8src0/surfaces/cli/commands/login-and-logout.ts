import { BoundedBuffer } from '../../../base/bounded-buffer.ts';
import type { Logins, LoginStatus, SignedIn } from '../../../engine/home/logins.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { printNote } from '../../views/terminal/print.ts';
import { endOnSignal } from '../../views/terminal/process.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { snakeCased } from '../../views/wording/json-fields.ts';
import { signedInWords } from '../../views/wording/settings-text.ts';
import type { loginCommand, logoutCommand } from '../table/settings-commands.ts';

type Options = CommandArguments<typeof loginCommand>['options'];

/** Exit codes: 0: signed in; 1: not; 2: wrong usage. */
export const runLogin = withEngine<typeof loginCommand>(async ({ variant, options }, { engine }) => {
  const logins = await engine.user.logins();
  if (variant === 'status') return showStatus(logins, options);
  const { signal, over } = endOnSignal({});
  const done = await signIn(logins, options, signal).finally(over);
  if ('code' in done) return done;
  printNote(signedInWords(done, { isKey: options.withApiKey }));
  const first = logins.variables;
  if (first.length > 0)
    printNote(`${first.join(' and ')} ${first.length === 1 ? 'is' : 'are'} set and will be used instead.`);
  return 0;
});

async function signIn(logins: Logins, options: Options, signal: AbortSignal): Promise<SignedIn | Outcome> {
  if (options.withApiKey) {
    const key = await readSecret('API key', signal);
    return typeof key === 'string' ? logins.withKey(key) : key;
  }
  if (options.withAccessToken) {
    const token = await readSecret('access token', signal);
    return typeof token === 'string' ? logins.withAccessToken(token, signal) : token;
  }
  const way = { signal, issuer: options.issuer?.replace(/\/+$/, ''), clientId: options.clientId };
  if (options.deviceAuth) {
    return logins.withDeviceCode(way, (page, code) =>
      printNote(
        `Open this page on any device and sign in:\n  ${page}\nThen type this code, which expires in 15 minutes:\n  ${code}\n` +
          'Continue only if you started this sign-in yourself. If a website or a person gave you the code, stop.',
      ),
    );
  }
  return logins.withBrowser(way, (page, opened) =>
    printNote(
      `${opened ? 'Your browser should show this page. If it does not, open it there:' : 'Open this page in a browser on this machine:'}\n  ${page}\n` +
        'On a machine without a browser, use `capstan login --device-auth`.',
    ),
  );
}

async function showStatus(logins: Logins, options: Options): Promise<number> {
  const [status, { variables }] = [await logins.status(), logins];
  const instead = variables.length === 0 ? '' : `Set and used instead: ${variables.join(', ')}.\n`;
  printResult({ ...snakeCased(status), variables }, options, () => `${statusWords(status)}\n${instead}`);
  return status.kind !== 'none' && status.kind !== 'unusable' ? 0 : 1;
}

function statusWords(status: LoginStatus): string {
  switch (status.kind) {
    case 'none':
      return status.unkept === undefined
        ? 'Not signed in. Sign in with `capstan login`.'
        : `Not signed in: ${status.unkept}. Set OPENAI_API_KEY or CODEX_ACCESS_TOKEN, or set cli_auth_credentials_store to "file".`;
    case 'api-key':
      return 'Signed in with an API key.';
    case 'access-token':
      return 'Signed in with a personal access token.';
    case 'chatgpt': {
      const { email, plan } = status;
      return `Signed in with ChatGPT${email === undefined ? '' : ` as ${email}`}${plan === undefined ? '' : ` (${plan})`}.`;
    }
    case 'unusable':
      return `${status.message}\n${status.next}`;
  }
}

const mostBytes = 64 * 1024;

/** Reads piped input only: at a terminal the secret would be visible on the screen. */
async function readSecret(what: 'API key' | 'access token', signal: AbortSignal): Promise<string | Outcome> {
  const option = what === 'API key' ? '--with-api-key' : '--with-access-token';
  if (process.getBuiltinModule('node:tty').isatty(0)) {
    const name = what === 'API key' ? 'OPENAI_API_KEY' : 'CODEX_ACCESS_TOKEN';
    const next = `Pipe it in: \`printenv ${name} | capstan login ${option}\`.`;
    return { code: 'usage', message: `${option} reads the ${what} from standard input.`, next };
  }
  printNote(`Reading the ${what} from standard input.`);
  const held = new BoundedBuffer(mostBytes);
  const onAbort = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of process.stdin) {
      if (!held.add(chunk as Buffer)) return tooLong(what);
    }
  } catch {
    // The input was closed or stopped: use what has arrived.
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return held.take().toString('utf8');
}

function tooLong(what: string): Outcome {
  const message = `Standard input is longer than any ${what}.`;
  return { code: 'login-unfit', message, next: `Pipe in the ${what} and nothing else.` };
}

export const runLogout = withEngine<typeof logoutCommand>(async (_, { engine }) => {
  const logins = await engine.user.logins();
  const was = await logins.signOut();
  if (typeof was !== 'boolean') return was;
  printNote(was ? 'Signed out. The login is forgotten.' : 'You were not signed in.');
  if (logins.variables.length > 0)
    printNote(`${logins.variables.join(', ')} still applies: unset it to use no key at all.`);
  return 0;
});
