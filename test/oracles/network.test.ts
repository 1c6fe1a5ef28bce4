import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { Running } from '../harness/run-capstan.ts';
import { certify } from '../network/certificate.ts';
import { startProxy, startTls } from '../network/servers.ts';
import { codexCommand } from './codex.ts';
import { scene } from './scene.ts';

const far = 'models.example.invalid';

/** The requests of each program to a proxy, apart from those that have nothing to do with the model. */
async function asked(scheme: 'http' | 'https', host: string, variables: (port: number) => Record<string, string>) {
  const { model, place } = await scene(() => answer({ items: [say('Hello.')] }));
  const { port, pathname } = new URL(model.url);
  const server = certify(far);
  writeFileSync(join(place.root, 'ours.pem'), server.certificate);
  const to = scheme === 'https' ? await startTls(server, Number(port)) : Number(port);
  const origin = host === far ? `${scheme}://${far}:8123` : `${scheme}://${host}:${to}`;
  const words = [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '-c',
    `model_providers.scripted.base_url="${origin}${pathname}"`,
  ];
  const { program, script, cwd, env } = codexCommand(place);
  const plain = Object.fromEntries(Object.entries(env).filter(([name]) => !/_proxy$/i.test(name)));
  const run = async (start: (all: Record<string, string>) => Running) => {
    const proxy = await startProxy({ to });
    const files = Object.entries(variables(proxy.port)).map(([name, value]) => [
      name,
      value.replace('HERE', place.root),
    ]);
    const { code } = await start(Object.fromEntries(files)).finished;
    return { code, lines: proxy.asked.filter((line) => line.includes(`//${host}`) || line.includes(` ${host}`)) };
  };
  const codex = await run(
    (all) =>
      new Running(
        spawn(program, [script, ...words, 'hi'], { cwd, env: { ...plain, ...all }, stdio: ['ignore', 'pipe', 'pipe'] }),
      ),
  );
  const capstan = await run((all) => place.start([...words, 'hi'], { env: all }));
  expect(model.requests.length).toBe(2);
  return { codex, capstan };
}

it.each([
  ['HTTP_PROXY with a user', 'http', (port: number) => ({ HTTP_PROXY: `http://anna:p%40ss@127.0.0.1:${port}` })],
  ['http_proxy', 'http', (port: number) => ({ http_proxy: `http://127.0.0.1:${port}` })],
  ['both', 'http', (port: number) => ({ HTTP_PROXY: `http://127.0.0.1:${port}`, http_proxy: 'http://127.0.0.1:1' })],
  ['ALL_PROXY', 'http', (port: number) => ({ all_proxy: `http://127.0.0.1:${port}` })],
  ['no scheme', 'http', (port: number) => ({ HTTP_PROXY: `127.0.0.1:${port}` })],
  [
    'a tunnel, trusted by CODEX_CA_CERTIFICATE',
    'https',
    (port: number) => ({ HTTPS_PROXY: `http://anna:p%40ss@127.0.0.1:${port}`, CODEX_CA_CERTIFICATE: 'HERE/ours.pem' }),
  ],
  [
    'a tunnel, trusted by SSL_CERT_FILE',
    'https',
    (port: number) => ({ https_proxy: `http://127.0.0.1:${port}`, SSL_CERT_FILE: 'HERE/ours.pem' }),
  ],
] as const)('%s: both programs ask the proxy for the same', async (_, scheme, variables) => {
  const { codex, capstan } = await asked(scheme, far, variables);
  expect(capstan).toEqual(codex);
  expect([codex.code, codex.lines.length]).toEqual([0, 1]);
});

it('a model on this machine is asked through the proxy by Codex alone', async () => {
  const { codex, capstan } = await asked('http', '127.0.0.1', (port) => ({ HTTP_PROXY: `http://127.0.0.1:${port}` }));
  expect([codex.lines.length, capstan.lines]).toEqual([1, []]);
});
