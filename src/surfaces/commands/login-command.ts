import { type Command, flag, option } from './command.ts';
import { jsonOption } from './shared-options.ts';

const ways = ['withApiKey', 'withAccessToken', 'deviceAuth'] as const;
const otherWays = (own: (typeof ways)[number]) => ({ without: ways.filter((way) => way !== own) });

export const loginCommand = {
  name: 'login',
  does: 'sign in to ChatGPT, or keep an API key',
  summary: 'Signs in to ChatGPT, or keeps an API key, for this home folder. Codex uses the same login.',
  forms: [
    ['[options]', 'sign in with the browser, or as an option says'],
    ['status [--json]', 'show how you are signed in; exit code 1 if you are not'],
  ],
  examples: [
    ['capstan login --device-auth', 'Sign in with a code, on a machine without a browser'],
    ['capstan login status', 'How you are signed in'],
  ],
  words: [],
  variants: { status: [] },
  options: {
    deviceAuth: flag('--device-auth', 'sign in by a code that you type on another device', otherWays('deviceAuth')),
    withApiKey: flag('--with-api-key', 'read an API key from standard input and keep it', otherWays('withApiKey')),
    withAccessToken: flag(
      '--with-access-token',
      'read a personal access token from standard input and keep it',
      otherWays('withAccessToken'),
    ),
    json: { ...jsonOption, only: ['status'] },
    issuer: option('--experimental_issuer URL', 'another place to sign in', { hidden: true }),
    clientId: option('--experimental_client-id ID', 'another name for this program', { hidden: true }),
  },
  refuses: {
    '--api-key': {
      message: 'A key on the command line can be read by other users of this machine.',
      next: 'Pipe it in: `printenv OPENAI_API_KEY | capstan login --with-api-key`.',
    },
  },
  notes:
    'Pipe a key in, so that no other user can read it: `printenv OPENAI_API_KEY | capstan login --with-api-key`.\n' +
    'cli_auth_credentials_store in config.toml says where the login is kept: in the file auth.json (default) or in the keyring of the system.\n' +
    'OPENAI_API_KEY and CODEX_API_KEY go before the login. docs/login.md has the details.',
} as const satisfies Command;

export const logoutCommand = {
  name: 'logout',
  does: 'forget the login',
  summary: 'Forgets the login of this home folder. Codex shares it and is signed out as well.',
  forms: [''],
  examples: [['capstan logout', 'Forget the login']],
  words: [],
  options: {},
} as const satisfies Command;
