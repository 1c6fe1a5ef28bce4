import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, httpError, type RecordedRequest, say, type Script } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { inputOf, type Scene, scene, textsOf } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

const asks = 'approval_policy = "on-request"';
const done = (text: string) => answer({ items: [say(text)], deltas: true });
const run = (cmd: string, more: object = {}) => answer({ items: [callTool('exec_command', { cmd, ...more })] });

interface Session extends Scene {
  readonly shell: TmuxShell;
  /** Types a message and sends it. */
  tell(words: string): void;
}

/** The program in a window of tmux, ready for a message. */
async function session(script: Script, config = asks, prepare: (built: Scene) => void = () => {}): Promise<Session> {
  const built = await scene(script, config);
  prepare(built);
  const shell = new TmuxShell(built.place, 90, 32);
  shell.start();
  await shell.sees('Context 100% left');
  return {
    ...built,
    shell,
    tell(words) {
      shell.type(words);
      shell.press('Enter');
    },
  };
}

describe('whole sessions on a real terminal', () => {
  beforeAll(requireTmux);

  it('a test is fixed: it fails, a patch, a question, and it passes', async () => {
    const lines = ['*** Begin Patch', '*** Update File: sum.mjs', '@@', '-export const sum = (a, b) => a - b;'];
    const patch = [...lines, '+export const sum = (a, b) => a + b;', '*** End Patch'].join('\n');
    const outside = { sandbox_permissions: 'require_escalated', justification: 'The test opens a port.' };
    const { shell, tell, place } = await session(
      [
        run('node test.mjs'),
        answer({ items: [callTool('apply_patch', { input: patch })] }),
        run('node test.mjs', outside),
        done('The sign was wrong. The test passes.'),
      ],
      asks,
      (built) => {
        writeFileSync(join(built.place.workspace, 'sum.mjs'), 'export const sum = (a, b) => a - b;\n');
        const test = "import { sum } from './sum.mjs';\nif (sum(2, 2) !== 4) throw new Error('not 4');\n";
        writeFileSync(join(built.place.workspace, 'test.mjs'), test);
      },
    );
    tell('The test fails. Fix it.');
    const asked = await shell.sees('yes, once', 'screen');
    expect(asked).toContain('The model says: The test opens a port.');
    await shell.answer('y');
    const rows = await shell.sees(/• The sign was wrong\. The test passes\.\n\n {2}Worked for/);
    expect(rows).toMatch(
      /Failed \(exit 1\) node test\.mjs[^]*Edited sum\.mjs \(\+1 -1\)[^]*Ran \[outside the sandbox\] node test\.mjs/,
    );
    expect(readFileSync(join(place.workspace, 'sum.mjs'), 'utf8')).toContain('a + b');
  });

  it('a message steers a turn that runs: the next request has it', async () => {
    const { shell, tell, model } = await session([run('sleep 2; echo slept'), done('In French, then: oui.')]);
    tell('Answer me.');
    await shell.sees('Running sleep 2');
    tell('In French, please.');
    await shell.sees('↳ In French, please.', 'screen');
    const rows = await shell.sees(/• In French, then: oui\.\n\n {2}Worked for/);
    expect(rows).toMatch(/› Answer me\.[^]*› In French, please\./);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('In French, please.');
  });

  it('a compaction while a command runs: the turn goes on with the checkpoint', async () => {
    const steps = [run('seq 1 4000; sleep 2'), done('Counted.'), done('Onwards.')];
    const script = (request: RecordedRequest) =>
      isCompaction(request) ? answer({ items: [say('Counted to 4000. RESUME_AT: nothing.')] }) : steps.shift()!;
    const { shell, tell } = await session(script, `${asks}\ncompaction.strategy = "plain"`);
    tell('Count.');
    await shell.sees('Running seq');
    tell('/compact the numbers');
    const rows = await shell.sees(/• Counted\.\n\n {2}Worked for/);
    expect(rows).toMatch(/Checkpoint 1: about [\d,]+ → [\d,]+ tokens[^]*• Counted\./);
    tell('Go on.');
    await shell.sees(/• Onwards\.\n\n {2}Worked for/);
  });

  it('another model takes over, and one line says what that costs', async () => {
    const { shell, tell, model } = await session([done('I am the first.'), done('I am the second.')]);
    tell('Who are you?');
    await shell.sees(/• I am the first\.\n\n {2}Worked for/);
    tell('/model gpt-5.4 high');
    await shell.sees('The next turn uses gpt-5.4 (high).');
    tell('And you?');
    const rows = await shell.sees(/• I am the second\.\n\n {2}Worked for/);
    expect(model.requests[1]!.body['model']).toBe('gpt-5.4');
    expect(rows).toMatch(/gpt-5\.5[^\n]*gpt-5\.4/);
    await shell.sees(/\n {2}gpt-5\.4 high · Context/, 'screen');
  });

  it('a tool of an MCP server asks, runs and answers', async () => {
    const { shell, tell, model } = await session(
      [answer({ items: [callTool('mcp__docs__look', { at: 'the door' })] }), done('It is closed.')],
      asks,
      ({ place: { home } }) => {
        const schema = { type: 'object', properties: { at: { type: 'string' } } };
        const tools = [{ name: 'look', description: 'Looks at something.', inputSchema: schema }];
        const calls = { look: { result: { content: [{ type: 'text', text: 'The door is closed.' }] } } };
        writeFileSync(join(home, 'plan.json'), JSON.stringify({ tools, calls }));
        const program = join(import.meta.dirname, '../mcp/start-scripted-server.mjs');
        const args = JSON.stringify([program, join(home, 'plan.json'), join(home, 'server.log')]);
        const table = `\n[mcp_servers.docs]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
        appendFileSync(join(home, 'config.toml'), table);
      },
    );
    tell('Look at the door.');
    await shell.sees('yes, once', 'screen');
    await shell.answer('y');
    const rows = await shell.sees(/• It is closed\.\n\n {2}Worked for/);
    expect(rows).toContain('The door is closed.');
    expect(textsOf(inputOf(model, 1)).join('\n')).toContain('The door is closed.');
  });

  it('an agent works for the conversation, and its answer comes back', async () => {
    let asked = 0;
    const script = ({ body }: RecordedRequest) => {
      const texts = textsOf(body['input'] as unknown as readonly JsonObject[]).map(String);
      if (texts.some((text) => text.startsWith('TASK brew'))) return done('Brewed two cups.');
      asked += 1;
      const spawn = callTool('spawn_agent', { name: 'brew', message: 'TASK brew: two cups of tea' });
      if (asked === 1) return answer({ items: [spawn] });
      const wait = callTool('wait_agent', { targets: ['/root/brew'], until: 'all' });
      return asked === 2 ? answer({ items: [wait] }) : done('The tea is ready.');
    };
    const { shell, tell } = await session(script, `${asks}\n[features]\nmulti_agent = true`);
    tell('Make tea.');
    const rows = await shell.sees(/• The tea is ready\.\n\n {2}Worked for/);
    expect(rows).toContain('Brewed two cups.');
    tell('/agents');
    await shell.sees(/1\. brew {2,}completed/, 'screen');
    shell.type('1');
    await shell.sees(/Agent brew \(1 of 1, completed\)[^]*• Brewed two cups\./, 'screen');
  });

  it('a conversation is resumed in another window, with all that was said', async () => {
    const { shell, tell, place, model } = await session([run('echo kept'), done('First.'), done('Second.')]);
    tell('Begin.');
    await shell.sees(/• First\.\n\n {2}Worked for/);
    shell.press('C-d');
    await shell.sees(/To continue: capstan resume [\w-]{36}\n/);
    const other = new TmuxShell(place, 70, 28);
    other.start('resume', '--last');
    await other.sees('Context', 'screen');
    other.type('Go on.');
    other.press('Enter');
    const rows = await other.sees(/• Second\.\n\n {2}Worked for/);
    expect(rows).toMatch(/› Begin\.[^]*Ran echo kept[^]*• First\.[^]*› Go on\.[^]*• Second\./);
    expect(textsOf(inputOf(model, 2))).toContain('Begin.');
  });

  it('without a login a message says what is missing, and what to do', async () => {
    const { place } = await scene([], asks);
    writeFileSync(join(place.home, 'config.toml'), 'model = "gpt-5.5"\nsandbox_mode = "read-only"\n');
    rmSync(join(place.home, 'auth.json'), { force: true });
    const shell = new TmuxShell(place, 90, 32);
    shell.run('unset OPENAI_API_KEY CODEX_API_KEY; clear');
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Hello.');
    shell.press('Enter');
    const rows = await shell.sees(/■[^]*OPENAI_API_KEY/);
    expect(rows).toMatch(/capstan login/);
  });

  it('a provider that is down is tried again, then the turn says so, and r goes on', async () => {
    const down = httpError({ status: 503, body: { error: { message: 'Down for a while.' } } });
    const { shell, tell, model } = await session([down, down, down, done('Back again.')], asks, ({ place: { home } }) =>
      appendFileSync(join(home, 'config.toml'), 'request_max_retries = 2\nstream_max_retries = 0\n'),
    );
    tell('Hello.');
    await shell.sees('r tries again', 'screen');
    expect(await shell.sees(/■[^\n]*503/)).toContain('Down for a while.');
    shell.type('r');
    const rows = await shell.sees(/• Back again\.\n\n {2}Worked for/);
    expect(rows.match(/› Hello\./g)).toHaveLength(1);
    expect(textsOf(inputOf(model, 3)).filter((text) => text === 'Hello.')).toHaveLength(1);
  });
});
