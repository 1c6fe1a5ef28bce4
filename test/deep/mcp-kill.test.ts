import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../../src/adapters/disk/processes.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

const server = join(import.meta.dirname, '../mcp/scripted-server.ts');

test('a server dies with the process that started it, and its call has an unknown outcome and is not repeated', async () => {
  const { model, place } = await scene([
    answer({ items: [callTool('mcp__s__x', {})] }),
    answer({ items: [say('Done.')] }),
  ]);
  const [planFile, logFile] = [join(place.root, 'plan.json'), join(place.root, 'log')];
  const tools = [
    { name: 'x', inputSchema: { type: 'object' }, annotations: { destructiveHint: false, openWorldHint: false } },
  ];
  writeFileSync(planFile, JSON.stringify({ tools, calls: { x: { silent: true } } }));
  const table = `\n[mcp_servers.s]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([server, planFile, logFile])}\n`;
  appendFileSync(join(place.home, 'config.toml'), table);
  const log = (): readonly JsonObject[] =>
    existsSync(logFile)
      ? readFileSync(logFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonObject)
      : [];
  const calls = (): number => log().filter(({ got }) => got === 'tools/call').length;
  const running = place.start(['exec', '--json', 'go']);
  await expect.poll(calls, { timeout: 60_000 }).toBe(1);
  const pid = Number(log()[0]!['started']);
  expect(isAlive(pid)).toBe(true);
  running.child.kill('SIGKILL');
  await running.finished;
  await expect.poll(() => isAlive(pid)).toBe(false);

  const resumed = await place.run('exec', '--json', 'resume', '--last', 'more');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(calls()).toBe(1);
  expect(JSON.stringify(model.requests.at(-1)!.body['input'])).toMatch(/outcome|unknown|interrupted/i);
});
