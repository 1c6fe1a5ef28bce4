import { expect, it } from 'vitest';
import { readMcpServers } from '../config/mcp-servers.ts';
import { withoutServerSecrets } from './without-server-secrets.ts';

const { servers } = readMcpServers(
  {
    h: {
      url: 'http://ann:pass%20word1@127.0.0.1:9/x?key=s3cr3t-key&v=1',
      httpHeaders: { Authorization: 'Bearer token-in-file' },
      envHttpHeaders: { 'X-Key': 'X_KEY' },
    },
    p: { command: 'sh' },
  } as never,
  undefined,
);
const words = (text: string, name = 'h'): string =>
  withoutServerSecrets(
    text,
    servers.find((each) => each.name === name)!,
    { X_KEY: 'key-of-variable' },
  );

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

it('what a program says stays as it is', () => {
  expect(words('token-in-file', 'p')).toBe('token-in-file');
});
