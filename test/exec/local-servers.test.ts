import { expect, it } from 'vitest';
import { localProviders, providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import { startLocalServer, startOtherServer } from '../harness/local-server.ts';
import { findOnlyServer, type LocalCandidate } from '../../src/engine/models/local-servers.ts';

/** Ollama and LM Studio at these ports. */
function at(...ports: readonly number[]): readonly LocalCandidate[] {
  return localProviders.map((local, i) => ({
    local,
    provider: { ...providerDefaults, id: local.id, name: local.id, baseUrl: `http://127.0.0.1:${ports[i]}/v1` },
  }));
}

it('the only server that answers is taken', async () => {
  const [{ port }, other] = [await startLocalServer(['a']), await startOtherServer(404, 'not found')];
  const ollama = at(port, other.port);
  expect(await findOnlyServer(ollama)).toEqual({ ...ollama[0], models: ['a'] });
  const lmstudio = at(other.port, port);
  expect(await findOnlyServer(lmstudio)).toEqual({ ...lmstudio[1], models: ['a'] });
});

it('both or none is no choice', async () => {
  const [one, two] = [await startLocalServer(['a']), await startLocalServer(['b'])];
  expect(await findOnlyServer(at(one.port, two.port))).toEqual({
    code: 'local-provider-unclear',
    message: `More than one local server answers: ollama at http://127.0.0.1:${one.port}/v1, lmstudio at http://127.0.0.1:${two.port}/v1.`,
    next: 'Choose with --local-provider ollama|lmstudio, or set oss_provider in config.toml.',
  });
  const other = await startOtherServer(200, 'hello');
  const where = `http://127.0.0.1:${other.port}/v1`;
  expect(await findOnlyServer(at(other.port, other.port))).toEqual({
    code: 'local-server-missing',
    message: `No server with models answers on this machine: ollama at ${where}, lmstudio at ${where}.`,
    next: 'Start one with `ollama serve` or `lms server start`. Choose with --local-provider ollama|lmstudio, or set oss_provider in config.toml.',
  });
});
