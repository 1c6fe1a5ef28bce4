import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { quoteShellCommand } from '../../src/protocol/shell.ts';
import { answer, callTool, say, startScriptedModel } from '../../src/testing/index.ts';
import { DemoStage } from '../demo/demo-stage.ts';
import { type Container, containers, withoutLandlock } from '../harness/container.ts';
import { capstanScript, Place } from '../harness/run-capstan.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { findLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/adapters/sandbox/sandbox-route.ts';

const found = findLandlock(join(import.meta.dirname, '../../node_modules/koffi/index.cjs'));
const noLandlock =
  found.kind === 'refused' ? found.message : found.abi < leastLandlockAbi ? `Landlock ${found.abi}` : undefined;

const agreed = ['--sandbox-fallback', 'landlock'];

/** Outside of temporary folders, as a user's home and workspace are. */
function aPlace(modelUrl = 'http://127.0.0.1:9/', more = ''): Place {
  const root = mkdtempSync('/var/tmp/capstan-container-');
  const place = new Place(modelUrl, more, { root, home: 'home', workspace: 'workspace' });
  whenTestEnds(() => place.remove());
  writeFileSync(join(place.home, 'auth.json'), '{"secret":1}');
  return place;
}

function suite(container: Container, tests: (container: Container) => void): void {
  const problem = container.problem ?? (container === withoutLandlock ? undefined : noLandlock);
  const why = problem === undefined ? '' : ` (cannot be made here: ${problem})`;
  describe.skipIf(problem !== undefined)(`${container.name}${why}`, () => {
    tests(container);
  });
}

function runIn({ prefix }: Container, place: Place, ...words: readonly string[]) {
  return place.start(words, { prefix }).finished;
}

for (const each of containers) {
  suite(each, (container) => {
    it('refuses commands until the user agrees, and says how', async () => {
      const { code, stdout, stderr } = await runIn(container, aPlace(), 'sandbox', '--', 'echo', 'ran');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('--sandbox-fallback landlock');
      expect(stderr).toMatch({ ENOSPC: /ENOSPC/, EPERM: /not permitted|No permissions/ }[container.answer]);
    });

    it('gives the model the whole reason once per thread', async () => {
      const model = await startScriptedModel((request) => {
        const items = (request.body['input'] as readonly JsonObject[]).filter(isJsonObject);
        const done = items.filter(({ type }) => String(type).endsWith('_output')).length;
        return answer({ items: [done === 3 ? say('Done.') : callTool('exec_command', { cmd: `echo ${done}` })] });
      });
      whenTestEnds(() => model.close());
      const { stderr } = await runIn(container, aPlace(model.url), 'exec', 'Go.');
      const outputs = (model.requests.at(-1)!.body['input'] as readonly JsonObject[])
        .filter(({ type }) => String(type).endsWith('_output'))
        .map(({ output }) => String(output));
      const again =
        'Not run: commands cannot be sandboxed here, as an earlier answer explains. Others would be refused too.';
      expect(outputs.slice(1)).toEqual([again, again]);
      expect(outputs[0]).toMatch(/^Not run: "[^"]*bwrap" cannot create the namespaces[^]*--sandbox-fallback landlock/);
      expect(stderr.split('--sandbox-fallback landlock')).toHaveLength(2);
    });

    it('gives advice that works when it is pasted', async () => {
      const place = aPlace();
      const { stderr } = await runIn(container, place, 'sandbox', '--', 'echo', 'ran');
      expect(stderr).not.toContain('sysctl');
      expect(stderr).toMatch(/says what is lost\. Or [a-z]/);
      const [fallback = '', explain = '', full = ''] = [...stderr.matchAll(/`([^`]+)`/g)].map(([, words]) => words!);
      const ran = { code: 0, stdout: 'ran\n' };
      const run = (...words: readonly string[]) => runIn(container, place, 'sandbox', ...words, '--', 'echo', 'ran');
      expect(await run(...fallback.split(' '))).toMatchObject(ran);
      expect(await run(...full.split(' '))).toMatchObject(ran);
      const shown = await runIn(container, place, ...explain.split(' ').slice(1));
      expect(shown.stdout).toMatch(/Linux, bubblewrap +refused\n +Not on this machine: /);
      expect(shown.stdout).toMatch(/Linux, Landlock +limited\n[^]*can change what is otherwise read-only/);
    });

    it('shows no notice of Landlock where a command is refused', async () => {
      const place = aPlace();
      const words = ['-P', ':workspace', '-C', place.root, '--', 'true'];
      const around = await runIn(container, place, 'sandbox', ...agreed, ...words);
      expect(around.code).toBe(1);
      expect(around.stderr).not.toContain('Commands run under Landlock here');
    });

    it('runs them under Landlock after that: by the option, or by the own configuration', async () => {
      const place = aPlace();
      const script = 'echo x > made; cat ../home/auth.json; touch ../outside; cat ../home/config.toml | head -1';
      const words = ['-P', ':workspace', '--', 'sh', '-c', script];
      const { code, stdout, stderr } = await runIn(container, place, 'sandbox', ...agreed, ...words);
      expect([code, stdout]).toEqual([0, 'model = "gpt-5.5"\n']);
      expect(stderr).toContain('capstan: Commands run under Landlock here');
      expect([existsSync(join(place.workspace, 'made')), existsSync(join(place.root, 'outside'))]).toEqual([
        true,
        false,
      ]);
      const configured = aPlace(undefined, 'sandbox_fallback = "landlock"');
      expect(await runIn(container, configured, 'sandbox', '--', 'echo', 'ran')).toMatchObject({ stdout: 'ran\n' });
    });

    it('does not agree because a project says so', async () => {
      const place = aPlace(undefined, `[projects."${'WORKSPACE'}"]\ntrust_level = "trusted"`);
      const config = join(place.home, 'config.toml');
      writeFileSync(config, readFileSync(config, 'utf8').replace('WORKSPACE', place.workspace));
      mkdirSync(join(place.workspace, '.codex'));
      writeFileSync(join(place.workspace, '.codex/config.toml'), 'sandbox_fallback = "landlock"\n');
      const { code, stderr } = await runIn(container, place, 'sandbox', '--', 'true');
      expect(code).toBe(1);
      expect(stderr).toContain('sandbox_fallback cannot be set by a project');
    });

    /** A place whose workspace is trusted, and what runs outside the container take from it. */
    function trustedPlace(modelUrl?: string) {
      const place = aPlace(modelUrl);
      const config = join(place.home, 'config.toml');
      const trusted = `[projects."${place.workspace}"]\ntrust_level = "trusted"\n`;
      writeFileSync(config, `${readFileSync(config, 'utf8')}\n${trusted}`);
      mkdirSync(join(place.workspace, '.codex'));
      writeFileSync(join(place.workspace, '.codex/config.toml'), 'model = "of-the-project"\n');
      const outside = async () => (await place.start(['config', 'show']).finished).stdout;
      const run = (script: string) =>
        runIn(container, place, 'sandbox', ...agreed, '-P', ':workspace', '--', 'sh', '-c', script);
      return { place, outside, run };
    }

    it('leaves out what a command changed in the configuration of a trusted project, in later runs too', async () => {
      const { place, outside, run } = trustedPlace();
      const server = '[mcp_servers.x]\ncommand = "/bin/false"\n';
      expect(await run('touch made')).toMatchObject({ code: 0 });
      expect(await outside()).toContain('model = "of-the-project"');
      expect(await run(`printf '${server}' >> .codex/config.toml`)).toMatchObject({ code: 0 });
      const after = await outside();
      expect(after).not.toContain('of-the-project');
      expect(after).not.toContain('/bin/false');
      const { stderr } = await place.start(['sandbox', '--', 'true']).finished;
      expect(stderr).toContain('commands that ran under Landlock could change it');
    });

    it('takes the configuration of a trusted project that no command changed in every run', async () => {
      const model = await startScriptedModel((request) => {
        const input = request.body['input'] as readonly JsonObject[];
        const isDone = String(input.at(-1)?.['type']).endsWith('_output');
        return answer({ items: [isDone ? say('Done.') : callTool('exec_command', { cmd: 'date >> made' })] });
      });
      whenTestEnds(() => model.close());
      const { place } = trustedPlace(model.url);
      for (let runs = 0; runs < 3; runs += 1) {
        const { code, stderr } = await runIn(container, place, 'exec', ...agreed, '-s', 'workspace-write', 'Go.');
        expect([code, stderr.includes('Landlock could change it')], stderr).toEqual([0, false]);
      }
      expect(model.requests.map(({ body }) => body['model'])).toEqual(Array(6).fill('of-the-project'));
    });

    it('takes nothing from a project while a process that a command left behind may change it', async () => {
      const { place, outside, run } = trustedPlace();
      const lower = 'prlimit --msgqueue=0:0 --pid $$ 2> /dev/null; ulimit -R 1 2> /dev/null';
      for (const attempt of ['true', lower]) {
        const left = await run(`${attempt}; env -i setsid sleep 600 > /dev/null 2>&1 < /dev/null & echo $!`);
        expect(left.code, left.stderr).toBe(0);
        const pid = Number(left.stdout);
        try {
          expect(await outside()).not.toContain('of-the-project');
          const { stderr } = await place.start(['sandbox', '--', 'true']).finished;
          expect(stderr).toContain(`process ${pid} runs under Landlock and may write there`);
        } finally {
          process.kill(pid, 'SIGKILL');
        }
        await vi.waitFor(async () => expect(await outside()).toContain('of-the-project'), { timeout: 20_000 });
      }
    });

    it('holds in every probe but those that Landlock loses', async () => {
      const { code, stdout } = await runIn(container, aPlace(), 'sandbox', 'check', '--json', ...agreed);
      const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string }[] };
      const odd = findings.filter(({ state }) => state !== 'holds').map(({ name, state }) => `${name} ${state}`);
      expect([code, odd]).toEqual([
        0,
        ['make-protected lost', 'change-protected lost', 'move-protected lost', 'parent-descriptors lost'],
      ]);
    });

    it('tells the model of a turn what holds, and takes it back with the agreement', async () => {
      const cmd = 'echo x > made && mkdir -p .git/hooks && cat ../home/auth.json';
      const model = await startScriptedModel((request) => {
        const items = (request.body['input'] as readonly JsonObject[]).filter(isJsonObject);
        const isAnswered = String(items.at(-1)?.['type']).endsWith('_output');
        return answer({ items: [isAnswered ? say('Done.') : callTool('exec_command', { cmd })] });
      });
      whenTestEnds(() => model.close());
      const place = aPlace(model.url);
      const first = await runIn(container, place, 'exec', ...agreed, 'Go.');
      expect(first).toMatchObject({ code: 0 });
      expect(first.stderr).toContain('Commands run under Landlock here');
      const told = (at: number): string => JSON.stringify(model.requests.at(at)!.body['input']);
      expect(told(0)).toContain('Landlock enforces this in place of the usual sandbox.');
      expect(told(0)).toContain(`${place.workspace}/.git`);
      expect(told(1)).toContain('Permission denied');
      expect(existsSync(join(place.workspace, 'made'))).toBe(true);
      const second = await runIn(container, place, 'exec', ...agreed, 'resume', '--last', 'Go on.');
      expect(second.stderr).not.toContain('Commands run under Landlock here');
      const before = told(2).split('<permissions instructions>').length;
      const third = await runIn(container, place, 'exec', 'resume', '--last', 'Again.');
      expect(third.stderr).toContain('--sandbox-fallback landlock');
      expect(told(-1).split('<permissions instructions>')).toHaveLength(before + 1);
      const newest = told(-1).split('<permissions instructions>').at(-1)!.split('</permissions')[0];
      expect(newest).not.toContain('Landlock');
      expect(told(-1)).toContain('Not run: ');
    });

    it('asks in the terminal, once, what the user wants', async () => {
      requireTmux();
      const place = aPlace();
      const start = quoteShellCommand([...container.prefix, process.execPath, capstanScript]);
      const open = (): TmuxShell => {
        const shell = new TmuxShell(place, 100, 40);
        shell.run(start);
        return shell;
      };
      const refused = open();
      await refused.sees('Run commands under Landlock instead?');
      await refused.answer('3');
      await refused.sees('Context 100% left');
      expect(refused.rows().replaceAll(/\s+/g, ' ')).toContain(
        'Commands cannot be sandboxed here, so Capstan refuses them. `capstan sandbox -- true` says why. To run them under Landlock, start `capstan --sandbox-fallback landlock`.',
      );
      refused.close();
      const config = join(place.home, 'config.toml');
      expect(readFileSync(config, 'utf8')).not.toContain('sandbox_fallback');
      const always = open();
      await always.sees('Run commands under Landlock instead?');
      await always.answer('2');
      await always.sees('Context 100% left');
      always.close();
      expect(readFileSync(config, 'utf8')).toContain('sandbox_fallback = "landlock"');
      const again = open();
      await again.sees('Context 100% left');
      expect(again.rows()).not.toContain('Landlock instead?');
    });

    it('plays the demo under Landlock without a question', async () => {
      const { code, stdout } = await new DemoStage().start(['demo'], { prefix: container.prefix }).finished;
      expect(code, stdout).toBe(0);
      expect(stdout.split('Commands run under Landlock here')).toHaveLength(2);
      expect(stdout.match(/exec --sandbox-fallback landlock (--oss )?-s workspace-write/g)).toHaveLength(2);
      expect(stdout).toContain('Each step was done once.');
      expect(stdout).toMatch(/^(\d+) of \1 requests rebuilt/m);
    });
  });
}

suite(withoutLandlock, (container) => {
  it('says what to do where use_legacy_landlock asks for it', async () => {
    const legacy = ['-c', 'features.use_legacy_landlock=true'];
    const { code, stderr } = await runIn(container, aPlace(), 'sandbox', ...legacy, '--', 'true');
    expect(code).toBe(1);
    expect(stderr).toContain('Leave out use_legacy_landlock');
    expect(stderr).not.toContain('Commands run under Landlock here');
  });

  it('refuses commands, whatever the user agreed to, and names both', async () => {
    for (const words of [[], agreed]) {
      const { code, stderr } = await runIn(container, aPlace(), 'sandbox', ...words, '--', 'true');
      expect(code).toBe(1);
      expect(stderr).toMatch(/bwrap|bubblewrap/);
      expect(stderr).toContain('Landlock cannot be used here: the kernel has no Landlock.');
      expect(stderr).not.toContain('--sandbox-fallback');
    }
  });

  it('shows every command of the demo as refused, says why, and ends well', async () => {
    const { code, stdout } = await new DemoStage().start(['demo'], { prefix: container.prefix }).finished;
    expect(code, stdout).toBe(0);
    expect(stdout.match(/\[refused\]/g)).toHaveLength(3);
    expect(stdout).toMatch(
      /Every command was refused\n[^]*Landlock\s+cannot\s+be used here: the\s+kernel has no Landlock/,
    );
    expect(stdout).toMatch(/^(\d+) of \1 requests rebuilt/m);
  });
});
