import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { certify } from './certificate.ts';
import { ask, clientAt, fileWith, startModel, type Variables } from './client.ts';
import { startTls } from './servers.ts';

const server = certify('localhost');

async function secureUrl(): Promise<string> {
  const { port, at } = await startModel();
  return at(`https://localhost:${await startTls(server, port)}`);
}

describe('a server with a certificate of its own authority', () => {
  it('is trusted by the file that a variable names', async () => {
    const url = await secureUrl();
    const file = fileWith(`# ours\n${certify('other.invalid').certificate}\n${server.certificate}`);
    const environments: readonly Variables[] = [
      { CODEX_CA_CERTIFICATE: file },
      { SSL_CERT_FILE: file },
      { CODEX_CA_CERTIFICATE: ' ', SSL_CERT_FILE: file },
      { CODEX_CA_CERTIFICATE: file, SSL_CERT_FILE: '/nowhere/at/all.pem' },
    ];
    const answers = await Promise.all(environments.map((environment) => ask(clientAt(url, environment))));
    expect(answers).toEqual(environments.map(() => 'answered'));
  });

  it('is not trusted without one, and the next step names the variable', async () => {
    const url = await secureUrl();
    const failure = {
      code: 'connection-failed',
      message: `The certificate of ${new URL(url).origin} is not from an authority that is trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`,
      next: 'Check the base URL of the provider. For a private certificate authority, set CODEX_CA_CERTIFICATE to the file with its certificate.',
      retry: 'never',
      cause: 'refused',
    };
    const other = fileWith(certify('localhost').certificate);
    expect([await ask(clientAt(url, {})), await ask(clientAt(url, { SSL_CERT_FILE: other }))]).toEqual([
      failure,
      failure,
    ]);
  });
});

describe('a file of certificates', () => {
  const unusable = (message: string) => ({
    code: 'connection-failed',
    message,
    next: 'Set SSL_CERT_FILE to a file with certificates in PEM format, or unset it.',
    retry: 'never',
    cause: 'refused',
  });
  const damaged = server.certificate.replace(/\n.{64}\n/, '\nAAAA\n');

  it('that cannot be used ends the request before it is sent', async () => {
    const folder = dirname(fileWith(''));
    const cases = [
      [join(folder, 'missing.pem'), 'does not exist.'],
      [folder, 'is not a file.'],
      [join(fileWith(''), 'below'), 'cannot be read (ENOTDIR).'],
      [fileWith(''), 'contains no certificate in PEM format.'],
      [
        fileWith(Buffer.from(server.certificate.split('\n').slice(1, -2).join(''), 'base64')),
        'contains no certificate in PEM format.',
      ],
      [fileWith(`${server.certificate}${damaged}`), 'cannot be used: certificate 2 of 2 is damaged.'],
    ] as const;
    const answers = await Promise.all(
      // Nothing listens there: a connection would be refused.
      cases.map(([SSL_CERT_FILE]) => ask(clientAt('https://127.0.0.1:1/v1', { SSL_CERT_FILE }))),
    );
    expect(answers).toEqual(cases.map(([file, what]) => unusable(`The file in SSL_CERT_FILE, ${file}, ${what}`)));
  });

  it('is looked at again when it could not be used, and is not looked at without TLS', async () => {
    const url = await secureUrl();
    const { model } = await startModel();
    const file = fileWith('');
    rmSync(file);
    const client = clientAt(url, { SSL_CERT_FILE: file });
    expect(await ask(client)).toEqual(unusable(`The file in SSL_CERT_FILE, ${file}, does not exist.`));
    expect(await ask(clientAt(model.url, { SSL_CERT_FILE: file }))).toBe('answered');
    writeFileSync(file, server.certificate);
    expect(await ask(client)).toBe('answered');
  });
});
