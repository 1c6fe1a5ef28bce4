import { expect, test } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

const tries = (count: number) => Array.from({ length: count }, () => answer({ items: [say('Done.')] }));

const waited = 'did not start: it did not answer within 0.3 s';
const remembered = 'did not start in an earlier run: it did not answer within 0.3 s. Capstan tries it again, but';

/** `sleep` reads nothing and answers nothing. */
async function slowScene(runs: number) {
  const { place } = await scene(tries(runs));
  const file = join(place.home, 'config.toml');
  const before = readFileSync(file, 'utf8');
  const configure = (seconds: number): void =>
    writeFileSync(
      file,
      `${before}\n[mcp_servers.slow]\ncommand = "sleep"\nargs = ["60"]\nstartup_timeout_sec = ${seconds}\n`,
    );
  configure(0.3);
  return { place, configure, run: async () => (await place.run('exec', 'hi')).stderr };
}

test('a server that never starts is waited for once, until its configuration is another', async () => {
  const { run, configure } = await slowScene(4);
  expect(await run()).toContain(waited);
  expect(await run()).toContain(remembered);
  expect(await run()).toContain(remembered);
  configure(0.4);
  expect(await run()).toContain('did not start: it did not answer within 0.4 s');
});

test.each([['list'], ['get']])(
  'the next run waits again after `capstan mcp %s`, which says why it did not start',
  async (command) => {
    const { place, run } = await slowScene(3);
    await run();
    const words = command === 'list' ? ['mcp', 'list'] : ['mcp', 'get', 'slow'];
    expect((await place.run(...words)).stdout).toContain(`${waited}; Capstan waits for it again in the next run`);
    expect((await place.run(...words)).stdout).toContain(waited);
    expect(await run()).toContain(waited);
    expect(await run()).toContain(remembered);
  },
);

test('one that fails at once is waited for again, and lists say why it did not start', async () => {
  const { place } = await scene(tries(2), '\n[mcp_servers.gone]\ncommand = "/nonexistent/server"\n');
  const why = /did not start: .*\/nonexistent\/server[^.]*[^.]\.(?!\.)/;
  expect((await place.run('mcp', 'list')).stdout).toContain('tools not known yet');
  expect((await place.run('exec', 'hi')).stderr).toMatch(why);
  expect((await place.run('mcp', 'list')).stdout).toContain('did not start: ');
  expect((await place.run('exec', 'hi')).stderr).toMatch(why);
});
