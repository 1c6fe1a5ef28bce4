import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scene } from '../harness/scene.ts';

test('servers are added, listed, shown and removed, and the rest of the file stays to the letter', async () => {
  const { place } = await scene([]);
  const file = join(place.home, 'config.toml');
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\n# my servers\n[mcp_servers.old]  # first\ncommand = "x"\n\n[undo]\nenabled = false # why not\n`,
  );
  const before = readFileSync(file, 'utf8');
  const added = await place.run(
    'mcp',
    'add',
    'files',
    '--env',
    'API_TOKEN=hunter2',
    '--',
    'npx',
    '-y',
    'files',
    '--root',
    '.',
  );
  expect(added.code).toBe(0);
  expect(readFileSync(file, 'utf8').startsWith(before.trimEnd())).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(
    '[mcp_servers.files]\ncommand = "npx"\nargs = ["-y", "files", "--root", "."]',
  );
  expect((await place.run('mcp', 'add', 'docs', '--url', 'https://a.org/mcp')).code).toBe(0);
  const listed = await place.run('mcp', 'list');
  expect(listed.stdout.split('\n').filter(Boolean)).toEqual([
    'docs   https://a.org/mcp      tools not known yet',
    'files  npx -y files --root .  tools not known yet',
    'old    x                      tools not known yet',
  ]);
  const again = await place.run('mcp', 'add', 'docs', '--url', 'https://b.org/mcp');
  expect(again.stderr).toContain('Replaced docs, and all of its earlier settings.');
  const noAddress = await place.run('mcp', 'add', 'x', '--url', 'notaurl');
  expect([noAddress.code, noAddress.stderr]).toEqual([2, expect.stringContaining('--url notaurl is no address')]);
  const noPair = await place.run('mcp', 'add', 'x', '--env', 'hunter2', '--', 'y');
  expect(noPair.stderr).not.toContain('hunter2');
  expect(noPair.stderr).toContain('Write --env NAME=VALUE, for example --env PORT=80.');
  const got = await place.run('mcp', 'get', 'files');
  expect(got.stdout).toContain('API_TOKEN = "<hidden>"');
  expect(got.stdout).not.toContain('hunter2');
  for (const name of ['files', 'docs']) expect((await place.run('mcp', 'remove', name)).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(before);
  const gone = await place.run('mcp', 'remove', 'files');
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/There is no MCP server "files"\.\s/)]);
});

test.each(['bad name', 'a.b', 'é', ''])('no server is added under the name %j', async (name) => {
  const { place } = await scene([]);
  const before = readFileSync(join(place.home, 'config.toml'), 'utf8');
  const { code, stderr } = await place.run('mcp', 'add', name, '--', 'node');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be the name of a server|needs the name/)]);
  expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toBe(before);
});

test('a file that cannot be changed safely is left alone, and the user is told what to write', async () => {
  const { place } = await scene([], 'mcp_servers = { old = { command = "x" } }');
  const file = join(place.home, 'config.toml');
  const before = readFileSync(file, 'utf8');
  const added = await place.run('mcp', 'add', 'docs', '--url', 'https://a.org/mcp');
  expect([added.code, added.stderr]).toEqual([
    1,
    expect.stringMatching(/In the braces on line \d+, write: docs\.url = "https:\/\/a\.org\/mcp"/),
  ]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('servers of the .mcp.json of a project are shown with what they get, imported by their names, and only where the project is trusted', async () => {
  const { place } = await scene([]);
  const servers = {
    db: { command: 'db-server', args: ['-v'], env: { DB_KEY: '${DB_KEY}', MODE: 'ro' } },
    odd: { type: 'x' },
    'a\nAdded b': { url: 'https://x.org/', headers: { Authorization: 'Bearer ${OPENAI_API_KEY}' } },
    old: { type: 'sse', url: 'https://a.org' },
    mine: { command: 'other' },
    home: { command: 'x', args: ['${HOME}'] },
  };
  writeFileSync(join(place.workspace, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  const refused = await place.run('mcp', 'import');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not trusted')]);
  const file = join(place.home, 'config.toml');
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\n[mcp_servers.mine]\ncommand = "x"\n[projects.${JSON.stringify(place.workspace)}]\ntrust_level = "trusted"\n`,
  );
  const before = readFileSync(file, 'utf8');
  const shown = await place.run('mcp', 'import');
  expect(shown.stderr).toBe(
    [
      'db: db-server -v\n  gets your variables: DB_KEY',
      'a␊Added b: https://x.org/\n  gets your variables: OPENAI_API_KEY',
      'odd: cannot be added. It must have either a command or a url.',
      'old: cannot be added. It uses the old transport sse, which Capstan does not have.',
      'mine: cannot be added. Your configuration has a server of that name.',
      'home: cannot be added. Its args names a variable as ${NAME}, which config.toml cannot: write the value.',
      'To add servers, give their names to this command.\n',
    ].join('\n'),
  );
  expect((await place.run('mcp', 'import', 'odd')).code).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(before);
  const imported = await place.run('mcp', 'import', 'db');
  expect([imported.code, imported.stderr]).toEqual([0, 'Added db: db-server -v\n  gets your variables: DB_KEY\n']);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain('x.org');
  expect(text).toContain('[mcp_servers.db]\ncommand = "db-server"\nargs = ["-v"]\nenv_vars = ["DB_KEY"]');
  expect(text).toContain('MODE = "ro"');
});

test('no command shows a value of env or of headers', async () => {
  const { place } = await scene([]);
  appendFileSync(
    join(place.home, 'config.toml'),
    `
[mcp_servers.program]
command = "npx"
args = ["--header", "Authorization: Bearer hunter", "--api-key", "hunter"]
env = { PLAIN = "hunter", PORT = "hunter" }
environ = { PLAIN = "hunter" }
[mcp_servers.address]
url = "https://me:hunter@a.org/mcp?code=1&token=hunter&k=hunter2"
http_headers = { X-Plain = "hunter", Accept = "hunter" }
auth = "hunter"
`,
  );
  const commands = [
    ['mcp', 'list'],
    ['mcp', 'list', '--json'],
    ...['program', 'address'].flatMap((name) => [
      ['mcp', 'get', name],
      ['mcp', 'get', name, '--json'],
    ]),
    ['config', 'show'],
    ['config', 'show', '--json', '--origin'],
    ['config', 'explain', 'mcp_servers.program.env'],
    ['config', 'explain', 'mcp_servers.address.http_headers.Accept'],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await place.run(...command);
    expect([command.join(' '), code, /hunter/.test(`${stdout}${stderr}`)]).toEqual([command.join(' '), 0, false]);
  }
});

test('no command shows a value of a configuration that cannot be read', async () => {
  const { place } = await scene([]);
  const file = join(place.home, 'config.toml');
  const before = readFileSync(file, 'utf8');
  const run = async (...command: string[]) => {
    const { code, stdout, stderr } = await place.run(...command);
    return { code, isShown: /hunter/.test(`${stdout}${stderr}`) };
  };
  for (const env of ['PAT = "hunter', 'PAT = hunter', 'PAT = "hunter" x', 'PAT = """\nhunter=""" x']) {
    writeFileSync(file, `${before}\n[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\n${env}\n`);
    for (const words of [
      ['mcp', 'list'],
      ['mcp', 'get', 'a', '--json'],
      ['config', 'show'],
    ])
      expect(await run(...words)).toEqual({ code: 1, isShown: false });
  }
  writeFileSync(file, before);
  expect(await run('config', 'show', '-c', 'mcp_servers.a={command="x",env={PAT="hunter"}')).toEqual({
    code: 1,
    isShown: false,
  });
  expect(await run('config', 'show', '-c', 'mcp_servers.a.env.PAT:hunter')).toEqual({ code: 2, isShown: false });
});
