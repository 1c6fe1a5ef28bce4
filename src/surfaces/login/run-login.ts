import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { loginCommand } from '../commands/login-command.ts';
import type { Logins, LoginStatus, SignedIn } from '../engine/logins.ts';
import { endOnSignal } from '../terminal/end-on-signal.ts';
import { print, printNote } from '../terminal/print.ts';
import { keySavedWords } from '../wording/key-saved-words.ts';
import { snakeCased } from '../wording/snake-cased.ts';
import { readSecret } from './read-secret.ts';

type Options = CommandArguments<typeof loginCommand>['options'];

/** `capstan login`. 0: signed in; 1: not; 2: wrong usage. */
export async function run(given: CommandArguments<typeof loginCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const logins = await loaded.engine.user.logins();
  if (given.variant === 'status') return showStatus(logins, given.options);
  const { signal, over } = endOnSignal({});
  const done = await signIn(logins, given.options, signal).finally(() => over());
  if ('code' in done) return done;
  const who = done.email === undefined ? '' : ` as ${done.email}`;
  printNote(
    given.options.withApiKey ? keySavedWords(done.where) : `Signed in${who}. The login is kept in ${done.where}.`,
  );
  const first = logins.variables;
  if (first.length > 0)
    printNote(`${first.join(' and ')} ${first.length === 1 ? 'is' : 'are'} set and will be used instead.`);
  return 0;
}

async function signIn(logins: Logins, options: Options, signal: AbortSignal): Promise<SignedIn | Outcome> {
  if (options.withApiKey) {
    const key = await readSecret('API key', signal);
    return typeof key === 'string' ? logins.withKey(key) : key;
  }
  if (options.withAccessToken) {
    const token = await readSecret('access token', signal);
    return typeof token === 'string' ? logins.withAccessToken(token, signal) : token;
  }
  const way = { signal, ...defined({ issuer: options.issuer?.replace(/\/+$/, ''), clientId: options.clientId }) };
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

async function showStatus(logins: Logins, { json }: Options): Promise<number> {
  const status = await logins.status();
  const { variables } = logins;
  const isSignedIn = status.kind !== 'none' && status.kind !== 'unusable';
  if (json) print(`${JSON.stringify({ ...snakeCased(status), variables })}\n`, 'json');
  else {
    print(`${statusWords(status)}\n`, 'text');
    if (variables.length > 0) print(`Set and used instead: ${variables.join(', ')}.\n`, 'text');
  }
  return isSignedIn ? 0 : 1;
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
