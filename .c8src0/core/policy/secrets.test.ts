import { expect, test } from 'vitest';
import { expectLinear } from '../../testing/test-inputs.ts';
import {
  configuredSecrets,
  hiddenMark,
  hideSecrets,
  hideValues,
  isSecretVariable,
  isVariableName,
  mayNameSecret,
  redactSecrets,
  repeatedSecretForms,
  secretsAmong,
  urlForMessage,
} from './secrets.ts';

test('tokens, and what looks like one, are not shown', () => {
  expect(
    hideSecrets({
      model: 'gpt-5.5',
      instructions: 'Token budgets matter',
      model_providers: {
        mine: {
          base_url: 'https://me:pass@host.example/v1?api-version=2&api_key=abc#x',
          env_key: 'MY_API_KEY',
          experimental_bearer_token: 'plain',
          http_headers: {
            Authorization: 'whatever',
            'X-Api-Key': 'short',
            Accept: 'application/json',
            'X-Trace': 'a1b2c3d4e5f6a1b2c3d4e5f6',
            'X-Odd': 'Bearer abc',
            'X-Team': 'search',
          },
          env_http_headers: { Authorization: 'MY_HEADER_VARIABLE' },
          query_params: { 'api-version': '2026-01-01', token: 'x' },
        },
      },
      shell_environment_policy: { set: { PATH: '/usr/bin', DB_PASSWORD: 'x' }, exclude: ['AWS_*'] },
      mcp_servers: {
        a: { args: ['--key', 'sk-abcdefgh1234'], env: { TOKEN: 'x' }, bearer_token_env_var: 'MCP_TOKEN' },
      },
      notify: ['send', 'ghp_0123456789abcdef'],
      tool_output_token_limit: 100,
      cli_auth_credentials_store: 'file',
    }),
  ).toEqual({
    model: 'gpt-5.5',
    instructions: 'Token budgets matter',
    model_providers: {
      mine: {
        base_url: 'https://<hidden>@host.example/v1?api-version=2&api_key=<hidden>#x',
        env_key: 'MY_API_KEY',
        experimental_bearer_token: '<hidden>',
        http_headers: {
          Authorization: '<hidden>',
          'X-Api-Key': '<hidden>',
          Accept: '<hidden>',
          'X-Trace': '<hidden>',
          'X-Odd': '<hidden>',
          'X-Team': '<hidden>',
        },
        env_http_headers: { Authorization: 'MY_HEADER_VARIABLE' },
        query_params: { 'api-version': '2026-01-01', token: '<hidden>' },
      },
    },
    shell_environment_policy: { set: { PATH: '/usr/bin', DB_PASSWORD: '<hidden>' }, exclude: ['AWS_*'] },
    mcp_servers: { a: { args: ['--key', '<hidden>'], env: { TOKEN: '<hidden>' }, bearer_token_env_var: 'MCP_TOKEN' } },
    notify: ['send', '<hidden>'],
    tool_output_token_limit: 100,
    cli_auth_credentials_store: 'file',
  });
});

test.each([
  `AIza${'SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'}`,
  'ASIAABCDEFGHIJKLMNOP',
  'AKIAABCDEFGHIJKLMNOP',
  'ghp_0123456789abcdef',
  '-----BEGIN EC PRIVATE KEY-----\nabc',
  `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxIn0'}.abcdef`,
  'Bearer 0123456789abcdef',
])('the shape %s is a secret as a value and in a text', (value) => {
  expect(hideSecrets({ model: value })).toEqual({ model: hiddenMark });
  expect(redactSecrets(`It is ${value}`)).not.toContain(value.slice(-6));
});

test.each([
  ['Authorization: Zm9vYmFyYmF6cXV4MTIz', 'Authorization: <hidden>'],
  ['-H "Authorization: Token Zm9vYmFy"', '-H "Authorization: Token <hidden>"'],
  ['Cookie: sid=Zm9vYmFy; theme=dark\nnext', 'Cookie: <hidden>\nnext'],
  ['Set-Cookie: id=a1b2; Secure; Path=/', 'Set-Cookie: <hidden>'],
  ['access_key = wJalrXUtnFEMI', 'access_key = <hidden>'],
  ['Cookie: a small file', 'Cookie: a small file'],
])('a name in a text says secret: %j', (text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
});

test('in an address, parameters that are named like secrets or look like keys are not shown, and others are', () => {
  const url = 'https://host.example/v1?a?auth=x&session_id=y&X-Amz-Signature=z&page=2&key&k=hunter2&v=2026-01-01';
  expect(hideSecrets({ url })).toEqual({
    url: 'https://host.example/v1?a?auth=<hidden>&session_id=<hidden>&X-Amz-Signature=<hidden>&page=2&key&k=<hidden>&v=2026-01-01',
  });
});

test('of a script among the arguments, of a login and of a fragment no secret is shown', () => {
  const list = (...args: string[]) => (hideSecrets({ args }) as { args: string[] }).args;
  expect(list('-c', 'export TOKEN=abc; run --port=80')).toEqual(['-c', 'export TOKEN=<hidden>; run --port=80']);
  expect(list('-c', 'env MY_KEY="a b" run')).toEqual(['-c', 'env MY_KEY=<hidden> run']);
  expect(list('-c', "curl -u me:PASS -H 'Authorization: x' https://a.org/x")).toEqual([
    '-c',
    "curl -u me:<hidden> -H 'Authorization: <hidden>' https://a.org/x",
  ]);
  expect(list('curl', '-u', 'me:PASS')).toEqual(['curl', '-u', 'me:<hidden>']);
  expect(list('curl', '--user=me:PASS', '-ume:PASS')).toEqual(['curl', '--user=me:<hidden>', '-ume:<hidden>']);
  expect(list('docker', '-u', '1000:1000', 'a=b')).toEqual(['docker', '-u', '1000:1000', 'a=b']);
  expect(hideSecrets({ url: 'https://a.org/x#k3y-of-mine' })).toEqual({ url: 'https://a.org/x#<hidden>' });
  expect(hideSecrets({ url: 'https://a.org/x#top' })).toEqual({ url: 'https://a.org/x#top' });
});

test.each([
  ['https://me:p@ss@a.org/x@y?k=v#f', 'https://<hidden>@a.org/x@y?<hidden>'],
  ['https://a.org/x#key', 'https://a.org/x#<hidden>'],
  ['https://a.org/x?a=b@c', 'https://a.org/x?<hidden>'],
  ['me:pass@a.org', '<hidden>@a.org'],
  ['a.org', 'a.org'],
])('a message names %s as %s', (address, shown) => {
  expect(urlForMessage(address)).toBe(shown);
});

test('of collectors neither a header nor a query is shown', () => {
  const exporter = {
    'otlp-http': { endpoint: 'https://u:p@c.org/v1?k=short', protocol: 'json', headers: { team: 'short', x: 'y' } },
  };
  expect(hideSecrets({ otel: { environment: 'dev', trace_exporter: exporter, metrics_exporter: 'none' } })).toEqual({
    otel: {
      environment: 'dev',
      trace_exporter: {
        'otlp-http': {
          endpoint: 'https://<hidden>@c.org/v1?<hidden>',
          protocol: 'json',
          headers: { team: '<hidden>', x: '<hidden>' },
        },
      },
      metrics_exporter: 'none',
    },
  });
});

test.each([
  ['OPENAI_API_KEY', true, true],
  ['DB_PASSWD', true, true],
  ['GH_TOKEN', true, true],
  ['GITHUB_PAT', true, true],
  ['--pat', true, true],
  ['PATH', false, false],
  ['PATCH_LEVEL', false, false],
  ['Authorization', false, true],
  ['Set-Cookie', false, true],
  ['XDG_SESSION_DESKTOP', false, true],
  ['SSH_AUTH_SOCK', false, true],
  ['Accept', false, false],
])('%s: of a variable %s, of a header %s', (name, ofVariable, ofHeader) => {
  expect([isSecretVariable(name), mayNameSecret(name)]).toEqual([ofVariable, ofHeader]);
});

test.each(['OPENAI_API_KEY', 'my_token', 'KEY2', '_x', 'A_VERY_LONG_NAME_OF_2026_WITH_4_OR_5_WORDS', 'AZUREOPENAIKEY'])(
  '%s is a name',
  (text) => {
    expect(isVariableName(text)).toBe(true);
  },
);

test.each([
  'sk-abcdef1234567890abcdef',
  'gsk_4f9k2l8x1m7p3q5r6s0t',
  'qWcVbNmRtYuPaSdFgHjKlZx7vxQwErTz',
  'AIzaSyDdIxhCZtExvySjMmWEfRqaCPzqKqqs3HI',
  'A1B2C3D4E5F60718293A4B5C6D7E8F90',
  '2KEY',
  'A B',
  '',
])('%s is none', (text) => {
  expect(isVariableName(text)).toBe(false);
});

test.each([
  ['key sk-abcdefgh12345678 end', 'key <hidden> end'],
  ['AKIAABCDEFGHIJKLMNOP', '<hidden>'],
  ['Authorization: Bearer abcdefgh.ijkl', 'Authorization: Bearer <hidden>'],
  ['postgres://me:hunter2@host/db', 'postgres://me:<hidden>@host/db'],
  ['API_KEY="abc123def456"', 'API_KEY="<hidden>"'],
  ['"password": "correct horse"', '"password": "<hidden> horse"'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc', '<hidden>'],
  ['id=x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.a_b-c.end', 'id=x-<hidden>.end'],
  ['a.eyJhbGciOiJIUzI1NiJ9.eyJz, eyJ.eyJhb', 'a.<hidden>, eyJ.eyJhb'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----', '<hidden>'],
  ['const token = readToken(file);', 'const token = readToken(file);'],
  ['the token: ${TOKEN}', 'the token: ${TOKEN}'],
  ['tokens are counted', 'tokens are counted'],
  ['it says MYSECRETVALUE twice', 'it says <hidden> twice'],
])('%s', (text, shown) => {
  expect(redactSecrets(text, ['MYSECRETVALUE', 'short'])).toBe(shown);
});

test.each(['-----BEGIN ', 'eyJ', '-eyJ', 'secret', ':// ', 'cookie', 'Cookie: a=', 'a=b;'])(
  'a text of nothing but %s is read in one pass',
  (piece) => {
    expectLinear(20_000, (count) => redactSecrets(piece.repeat(count)));
  },
);

test.each(['a', 'a-', 'a="', '-u a', '-H a', '-a ', ' -H "'])(
  'an address or an argument of nothing but %s is read in one pass',
  (piece) => {
    expectLinear(20_000, (count) => {
      const text = piece.repeat(count);
      urlForMessage(text);
      hideSecrets({ args: [text], url: `https://${text}` });
    });
  },
);

test('of a server neither a variable nor a header is shown, and of a command no key', () => {
  const server = {
    command: 'npx',
    args: ['mcp-remote', '--api-key', 'plain', '--token=plain', '--header', 'Authorization: plain', '--port', '80'],
    env: { PORT: '80', NODE_ENV: 'production' },
    http_headers: { Accept: 'text/plain' },
    env_vars: ['HOME'],
    env_http_headers: { 'X-Key': 'MY_KEY' },
  };
  expect(hideSecrets({ mcp_servers: { a: server } })).toEqual({
    mcp_servers: {
      a: {
        ...server,
        args: [
          'mcp-remote',
          '--api-key',
          '<hidden>',
          '--token=<hidden>',
          '--header',
          'Authorization: <hidden>',
          '--port',
          '80',
        ],
        env: { PORT: '<hidden>', NODE_ENV: '<hidden>' },
        http_headers: { Accept: '<hidden>' },
      },
    },
  });
});

test('of a server no value of an unknown key is shown', () => {
  const server = { url: 'https://a.org', scopes: ['read'], startup_timeout_sec: 5 };
  const unknown = {
    http_header: { 'X-Org': 'plain' },
    environ: { PAT: 'plain', MY_env_var: 'PLAIN' },
    authorization: 'plain',
    headerList: ['-u', 'plain', 5, true],
  };
  expect(
    hideSecrets({
      mcp_servers: {
        a: { ...server, ...unknown, oauth: { client_id: 'me', secre: 'plain' }, tools: { t: { approval: 'plain' } } },
        b: 'plain',
      },
    }),
  ).toEqual({
    mcp_servers: {
      a: {
        ...server,
        http_header: { 'X-Org': '<hidden>' },
        environ: { PAT: '<hidden>', MY_env_var: '<hidden>' },
        authorization: '<hidden>',
        headerList: ['<hidden>', '<hidden>', '<hidden>', '<hidden>'],
        oauth: { client_id: 'me', secre: '<hidden>' },
        tools: { t: { approval: '<hidden>' } },
      },
      b: '<hidden>',
    },
  });
});

test.each([
  [
    ['--header', 'X-Foo: plain'],
    ['--header', 'X-Foo: <hidden>'],
  ],
  [
    ['--header', 'plain'],
    ['--header', '<hidden>'],
  ],
  [
    ['--headers', '{"X-Foo": "plain"}'],
    ['--headers', '<hidden>'],
  ],
  [['--header=X-Foo:plain'], ['--header=X-Foo:<hidden>']],
  [
    ['-H', 'X-Foo: 1234'],
    ['-H', 'X-Foo: <hidden>'],
  ],
  [
    ['-HX-Foo: plain', '-H=X: plain'],
    ['-HX-Foo: <hidden>', '-H=X: <hidden>'],
  ],
  [
    ['-H', 'localhost:8080', '-H', 'tcp://host:1', '-H'],
    ['-H', 'localhost:8080', '-H', 'tcp://host:1', '-H'],
  ],
  [
    ['--pat', 'plain', '--github-pat=plain', 'PAT=plain'],
    ['--pat', '<hidden>', '--github-pat=<hidden>', 'PAT=<hidden>'],
  ],
  [
    ['--path', 'plain', '--pattern=plain'],
    ['--path', 'plain', '--pattern=plain'],
  ],
  [
    ['-c', 'curl -H "X-Foo: a b" x'],
    ['-c', 'curl -H "X-Foo: <hidden>" x'],
  ],
  [
    ['-c', 'serve --pat plain --port 80'],
    ['-c', 'serve --pat <hidden> --port 80'],
  ],
  [
    ['-c', "serve --token 'a b' --keep -x"],
    ['-c', 'serve --token <hidden> --keep -x'],
  ],
])('of the arguments %j no header and no token is shown', (args, shown) => {
  expect(hideSecrets({ args })).toEqual({ args: shown });
});

test('known values are hidden in every form in which a server may repeat them, and at a cut', () => {
  const secrets = repeatedSecretForms(
    secretsAmong({ 'X-Key': 'a "b" c/d', Authorization: 'Bearer abcdefgh', 'X-Team': 'search', Age: '1234567' }),
  );
  expect(hideValues('a "b" c/d a%20%22b%22%20c%2Fd a+%22b%22+c%2Fd a \\"b\\" c/d abcdefgh', secrets)).toBe(
    Array.from({ length: 5 }, () => hiddenMark).join(' '),
  );
  expect(hideValues('search 1234567 Bearer abcde…', secrets)).toBe('search 1234567 <hidden>…');
});

test('the secrets of a configuration are what is hidden in it, but for plain words, numbers and paths', () => {
  const a = {
    command: 'npx',
    args: ['server', '--token=argument-1', '--port', '80'],
    env: { DB_PASSWORD: 'secret', PLAIN: 'variable-2', HOME_FOLDER: '/srv/data', LEVEL: 'debug' },
  };
  const b = {
    url: 'https://me:password-3@tools.example/mcp',
    http_headers: { 'X-Thing': 'header-4', Authorization: 'Bearer bearer-5' },
    bearer_token_env_var: 'MY_TOKEN',
  };
  const found = new Set(configuredSecrets({ model: 'gpt', mcp_servers: { a, b } }));
  expect(found).toEqual(
    new Set(['argument-1', 'secret', 'variable-2', 'me:password-3', 'header-4', 'Bearer bearer-5', 'bearer-5']),
  );
});
