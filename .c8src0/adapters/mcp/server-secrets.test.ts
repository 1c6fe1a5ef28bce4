import { expect, it } from 'vitest';
import { readMcpServers } from '../../core/config/servers/mcp-servers.ts';
import { serverSecretHider } from './credential-store.ts';

const { servers } = readMcpServers(
  {
    h: {
      url: 'http://ann:pass%20word1@127.0.0.1:9/x?key=s3cr3t-key&v=1',
      httpHeaders: { Authorization: 'Bearer token-in-file' },
      envHttpHeaders: { 'X-Key': 'X_KEY' },
    },
    p: { command: 'sh', env: { API: 's3cr3t-value', ROOT: '/home/ann', MODE: 'production' }, envVars: ['PASSED'] },
  } as never,
  undefined,
);
const words = (text: string, name = 'h'): string =>
  serverSecretHider(
    servers.find((each) => each.name === name)!,
    { env: { X_KEY: 'key-of-variable', PASSED: 'passed-1' }, credentials: { tokens: { access_token: 'kept-token' } } },
  )(text);

it('an address is named without the user and the query', () => {
  const said = 'Request cannot be constructed from a URL that includes credentials: ';
  expect(words(`${said}http://ann:pass%20word1@127.0.0.1:9/x?key=s3cr3t-key&v=1`)).toBe(
    `${said}http://<hidden>@127.0.0.1:9/x?<hidden>`,
  );
});

it('nor are its parts and the headers repeated by themselves', () => {
  expect(words('no s3cr3t-key, pass word1, pass%20word1, token-in-file or key-of-variable; v=1')).toBe(
    'no <hidden>, <hidden>, <hidden>, <hidden> or <hidden>; v=1',
  );
});

it('nor a login that is kept', () => {
  expect(words('who is kept-token?')).toBe('who is <hidden>?');
});

it('a program does not repeat its variables, but words and paths among them stay', () => {
  expect(words('token-in-file s3cr3t-value passed-1 /home/ann/x in production', 'p')).toBe(
    'token-in-file <hidden> <hidden> /home/ann/x in production',
  );
});
