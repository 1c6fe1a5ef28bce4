import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { callTool } from '../../src/testing/index.ts';
import { command, toldScene } from '../harness/told-scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { needsNamespaces } from '../harness/namespaces.ts';

needsNamespaces();

const open = 'approval_policy = "on-request"\n';
const listed = `approval_policy = "on-request"
default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.network]
enabled = true
domains = { "listed.invalid" = "allow" }
`;
const denies = 'network_rule("denied.test", "http", "deny")\n';

async function site(): Promise<number> {
  const server = createServer((_, response) => response.end('SERVED\n'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const both = (port: number) => `curl -sS -m 9 http://127.0.0.1:${port}/; curl -sS -m 9 http://localhost:${port}/`;
/** The output of both commands. */
const twice = 'SERVED\nSERVED\n';
const printed = (output: string): string => output.slice(output.indexOf('\nOutput:\n') + 9);

test('a rule that denies a host leaves this machine as it was, and the text says so', async () => {
  const port = await site();
  const scene = await toldScene({
    config: `${open}[sandbox_workspace_write]\nnetwork_access = true\n`,
    rules: denies,
    answers: [],
  });
  const [output = ''] = await scene.calls(both(port));
  expect(scene.told()).toMatch(
    /\nNetwork: limited\. Commands reach the hosts listed here through a proxy\. This machine and private networks count as hosts like any other: .*\nHosts: "\*"\nBut not: "denied\.test"\n/,
  );
  expect(printed(output)).toBe(twice);
});

test('a machine with more servers than a command gets is no silent limit', async () => {
  await Promise.all(Array.from({ length: 513 }, site));
  const scene = await toldScene({
    config: `${open}[sandbox_workspace_write]\nnetwork_access = true\n`,
    rules: denies,
    answers: [],
  });
  const [output = ''] = await scene.calls('echo done');
  expect(output).toMatch(/\nThis machine has too many servers for the loopback of one command: \d+ servers? of it /);
  expect(output).toContain('done');
});

test('the network that a call asks for has this machine in it, as the question says', async () => {
  const port = await site();
  const scene = await toldScene({ config: open, rules: denies, answers: [{ kind: 'allowed' }] });
  const network = { enabled: true };
  const [output = ''] = await scene.calls(
    command(both(port), {
      sandbox_permissions: 'with_additional_permissions',
      additional_permissions: { network },
      justification: 'May I?',
    }),
  );
  expect(scene.asked[0]?.reason).toContain('including this machine');
  expect(printed(output)).toBe(twice);
});

test('a command reaches its own servers where this machine is closed, as the text says', async () => {
  const scene = await toldScene({ config: listed, answers: [] });
  const script = `
    const server = require('node:http').createServer((q, r) => r.end('OWN')).listen(0, '127.0.0.1', async () => {
      console.log(await (await fetch('http://localhost:' + server.address().port)).text());
      process.exit();
    });`;
  const [output = ''] = await scene.calls(`node -e "${script.replaceAll('\n', ' ')}"`);
  expect(scene.told()).toContain(
    'Servers that a command starts itself answer on its own loopback, whatever the lists say.',
  );
  expect(output).toMatch(/Output:\nOWN\n$/);
});

test('a name that leads nowhere is not called blocked', async () => {
  const scene = await toldScene({ config: listed, answers: [{ kind: 'allowed' }] });
  const outputs = await scene.calls('curl -sS http://listed.invalid/', 'curl -sS https://asked.invalid/');
  expect(scene.asked).toHaveLength(1);
  expect(outputs[0]).toContain('\nAllowed by the policy, but the name cannot be resolved: listed.invalid:80\n');
  expect(outputs[1]).toContain('\nAllowed by the policy, but the name cannot be resolved: asked.invalid:443\n');
  for (const output of outputs) expect(output).not.toContain('blocked');
});

test('a network that was granted for the session keeps what rules hold back, and the text names it', async () => {
  const port = await site();
  const scene = await toldScene({
    config: open,
    rules: `network_rule("127.0.0.1", "http", "deny")\nnetwork_rule("asked.invalid", "http", "prompt")\n`,
    answers: [{ kind: 'allowed', scope: 'session' }],
  });
  const wanted = callTool('request_permissions', { permissions: { network: { enabled: true } } });
  const outputs = await scene.calls(wanted, both(port), 'curl -sS http://asked.invalid/', 'curl -sS http://x.invalid/');
  expect(scene.told()).toContain('\nAsked about, because of a rule: "asked.invalid"\nBut not: "127.0.0.1"\n');
  expect(scene.told()).toContain('beyond the limits of the sandbox: the network, as described above.\n');
  expect(outputs[1]).not.toContain('SERVED');
  expect(scene.asked.map(({ host }) => host?.name)).toEqual([undefined, 'asked.invalid']);
  expect(outputs[3]).toContain('Allowed by the policy');
});
