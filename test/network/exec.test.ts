import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { certify } from './certificate.ts';
import { far, type Variables } from './client.ts';
import { startProxy, startTls } from './servers.ts';

const user = 'user-0123456789';
const password = 'password-0123456789';
const header = Buffer.from(`${user}:${password}`).toString('base64');
const who = `${user}:${password}@`;

/** A developer's own network must not have a say. */
const unset = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .concat('SSL_CERT_FILE')
    .map((name) => [name, '']),
);

async function place(script: Script) {
  const { model, place } = await scene(script);
  const { port, pathname } = new URL(model.url);
  const run = async (origin: string, env: Variables, ...words: readonly string[]) => {
    const options = ['request_max_retries=0', 'stream_max_retries=0', `base_url="${origin}${pathname}"`];
    const flags = options.flatMap((option) => ['-c', `model_providers.scripted.${option}`]);
    const { code, stdout, stderr } = await place.start(['exec', ...flags, ...words, 'hi'], {
      env: { ...unset, ...env },
    }).finished;
    expect(secretsIn(place, stdout, stderr)).toEqual([]);
    return { code, stdout, stderr };
  };
  return { model, place, run, port: Number(port), path: pathname };
}

/** The places, in output and in files that the program left, where a user name or password of a proxy can be read. */
function secretsIn({ root }: Place, ...shown: readonly string[]): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((name) => statSync(name).isFile())
    .map((name) => `${name}\n${readFileSync(name, 'latin1')}`);
  return [...shown, ...files].filter((text) => [user, password, header].some((secret) => text.includes(secret)));
}

describe('a turn', () => {
  it('goes through the proxies of the environment, and what identifies us there is seen nowhere', async () => {
    const {
      model,
      place: folders,
      run,
      port,
      path,
    } = await place([
      answer({ items: [say('Forwarded.')] }),
      answer({ items: [callTool('exec_command', { cmd: 'true' })] }),
      answer({ items: [say('Tunnelled.')] }),
    ]);
    const server = certify(far);
    writeFileSync(join(folders.workspace, 'ours.pem'), certify('other.invalid').certificate + server.certificate);
    const forwarding = await startProxy({ to: port });
    const tunnelling = await startProxy({ to: await startTls(server, port) });
    const env = {
      http_proxy: `http://${who}127.0.0.1:${forwarding.port}`,
      HTTPS_PROXY: `http://${who}127.0.0.1:${tunnelling.port}`,
      CODEX_CA_CERTIFICATE: join(folders.workspace, 'ours.pem'),
    };
    const forwarded = await run(`http://${far}`, env);
    expect([forwarded.code, forwarded.stdout]).toEqual([0, 'Forwarded.\n']);
    const tunnelled = await run(`https://${far}`, env);
    expect([tunnelled.code, tunnelled.stdout]).toEqual([0, 'Tunnelled.\n']);
    expect([forwarding.asked, tunnelling.asked]).toEqual([
      [`POST http://${far}${path}/responses Basic ${header}`],
      [`CONNECT ${far}:443 Basic ${header}`],
    ]);
    expect(model.requests.length).toBe(3);
  });

  it('trusts further certificates besides those that Node trusts', async () => {
    const { place: folders, run, port } = await place([answer({ items: [say('Trusted.')] })]);
    const server = certify('localhost');
    const file = (name: string, { certificate }: typeof server): string => {
      writeFileSync(join(folders.root, name), certificate);
      return join(folders.root, name);
    };
    const NODE_EXTRA_CA_CERTS = file('of-node.pem', server);
    const CODEX_CA_CERTIFICATE = file('ours.pem', certify('other.invalid'));
    const origin = `https://localhost:${await startTls(server, port)}`;
    const { code, stdout } = await run(origin, { NODE_EXTRA_CA_CERTS, CODEX_CA_CERTIFICATE });
    expect([code, stdout]).toEqual([0, 'Trusted.\n']);
  });

  it('whose model is on this machine needs no proxy', async () => {
    const { run, port } = await place([answer({ items: [say('Here.')] })]);
    const { code, stdout } = await run(`http://127.0.0.1:${port}`, { HTTP_PROXY: `http://${who}127.0.0.1:1` });
    expect([code, stdout]).toEqual([0, 'Here.\n']);
  });

  it('that cannot get out says which variable is in the way', async () => {
    const { run } = await place([]);
    const proxy = await startProxy({ to: 1, refuses: 407 });
    const texts = [
      await run(`https://${far}`, { HTTPS_PROXY: `http://${who}127.0.0.1:${proxy.port}` }),
      await run(`https://${far}`, { HTTPS_PROXY: `socks5://${who}127.0.0.1:1` }),
      await run('https://127.0.0.1:1', { CODEX_CA_CERTIFICATE: '/nowhere/at/all.pem' }),
    ].map(({ code, stdout, stderr }) => [code, stdout, stderr.split('\n').at(-3)]);
    expect(texts).toEqual([
      [
        1,
        '',
        `The proxy in HTTPS_PROXY (http://127.0.0.1:${proxy.port}) does not accept the user name and password (status 407). Correct the user name and password in HTTPS_PROXY.`,
      ],
      [1, '', expect.stringMatching(/^HTTPS_PROXY is a SOCKS proxy, which Capstan does not support\. Set HTTPS_PROXY/)],
      [
        1,
        '',
        'The file in CODEX_CA_CERTIFICATE, /nowhere/at/all.pem, does not exist. Set CODEX_CA_CERTIFICATE to a file with certificates in PEM format, or unset it.',
      ],
    ]);
  });

  it('can be interrupted while a proxy says nothing', async () => {
    const { place: folders } = await place([]);
    const proxy = await startProxy({ to: 1, refuses: 'silence' });
    const env = { ...unset, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const words = ['exec', '--json', '-c', `model_providers.scripted.base_url="https://${far}/v1"`, 'hi'];
    const running = folders.start(words, { env });
    while (proxy.asked.length === 0) await new Promise((look) => setTimeout(look, 20));
    running.child.kill('SIGINT');
    expect((await running.finished).signal).toBe('SIGINT');
  });
});
