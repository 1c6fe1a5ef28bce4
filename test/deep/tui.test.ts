import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

const asks = 'approval_policy = "on-request"';

/** The shell waits for a line. */
const prompt = /\n?\S*[$#]$/;

/** True if the shell has its terminal back: it prints typed text, line by line. */
async function givesBack(shell: TmuxShell): Promise<string> {
  await shell.sees(prompt, 'screen');
  shell.type('stty -a | grep -oE "[ -](icanon|echo)\\b" | tr -d "\\n"; echo .');
  shell.press('Enter');
  return shell.sees(/^ ?(?: icanon echo| echo icanon)\.$/m);
}

describe('the program on a real terminal', () => {
  beforeAll(requireTmux);

  it('a conversation: steering, a question, a resize, the way back, and all that was there before', async () => {
    const escalated = { cmd: 'echo out', sandbox_permissions: 'require_escalated', justification: 'Why not.' };
    const { place } = await scene(
      [
        answer({ items: [say('# Title\n\nFirst **answer**.')], deltas: true }),
        answer({ items: [callTool('exec_command', { cmd: 'sleep 2; echo slept' })] }),
        answer({ items: [callTool('exec_command', escalated)] }),
        answer({ items: [say('All done.')], deltas: true }),
      ],
      asks,
    );
    const shell = new TmuxShell(place);
    shell.type('echo stood-before');
    shell.press('Enter');
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Hello.');
    shell.press('Enter');
    await shell.sees('First answer.');
    shell.type('Work.');
    shell.press('Enter');
    await shell.sees('Running sleep 2');
    shell.type('And hurry.');
    shell.press('Enter');
    await shell.sees('↳ And hurry.');
    await shell.sees('May this command run?');
    shell.resize(70, 26);
    shell.resize(110, 30);
    await shell.sees('› 1. yes, once (y)', 'screen');
    await shell.answer('y');
    await shell.sees(/All done\.\n\n {2}Worked for/);
    shell.press('C-d');
    const rows = await shell.sees(/To continue: capstan resume [\w-]{36}\n/);
    expect(rows).toMatch(/\nstood-before\n/);
    expect(rows.match(/First answer\./g)).toHaveLength(1);
    expect(rows.match(/All done\./g)).toHaveLength(1);
    expect(rows).not.toContain('esc to interrupt');
    expect(rows).not.toContain('Ask Capstan');
    await givesBack(shell);
  });

  it('an interrupt, a suspension by Ctrl+Z, a full screen, and a resume', async () => {
    const { place, model } = await scene([
      hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
      answer({ items: [say('After the rest.')], deltas: true }),
    ]);
    const shell = new TmuxShell(place);
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Hang.');
    shell.press('Enter');
    await model.request(0);
    shell.press('Escape');
    await shell.sees('The turn was interrupted.');
    shell.press('C-z');
    await shell.sees(/Stopped/);
    await givesBack(shell);
    shell.type('fg');
    shell.press('Enter');
    await shell.sees(/fg\n[\s\S]*› Ask Capstan/);
    shell.type('/tui');
    shell.press('Enter');
    await shell.sees(/^\n?>_ Capstan/, 'screen');
    shell.press('C-d');
    await shell.sees(prompt, 'screen');
    shell.start('resume', '--last');
    await shell.sees('› Hang.', 'screen');
    shell.type('Go on.');
    shell.press('Enter');
    const rows = await shell.sees(/After the rest\.\n\n {2}Worked for/);
    expect(rows.match(/After the rest\./g)).toHaveLength(1);
    // Ctrl+C may still be for the turn.
    shell.press('C-d');
    await givesBack(shell);
  });

  it('letters that were typed for the shell answer no question after fg', async () => {
    const escalated = { cmd: 'touch ran', sandbox_permissions: 'require_escalated', justification: 'Why not.' };
    const { place } = await scene(
      [answer({ items: [callTool('exec_command', escalated)] }), answer({ items: [say('Done.')] })],
      asks,
    );
    const shell = new TmuxShell(place);
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Go.');
    shell.press('Enter');
    await shell.sees('yes, once');
    await new Promise((read) => setTimeout(read, 1500));
    shell.press('C-z');
    await shell.sees(/Stopped/);
    shell.run('sleep 2; fg');
    await new Promise((begun) => setTimeout(begun, 700));
    shell.type('why');
    await shell.sees(/sleep 2; fg[\s\S]*yes, once/, 'screen');
    await new Promise((read) => setTimeout(read, 2000));
    expect(existsSync(join(place.workspace, 'ran'))).toBe(false);
    // The letters are gone, and the question can be answered.
    expect(shell.screen()).not.toContain('A key came before');
    await shell.answer('y');
    await shell.sees('Done.');
    expect(existsSync(join(place.workspace, 'ran'))).toBe(true);
    shell.press('C-d');
    await givesBack(shell);
  });

  it('a storm of resizes leaves alone what the shell had printed, also on the smallest screens', async () => {
    const { place } = await scene([answer({ items: [say('Word. '.repeat(200))], deltas: true })]);
    const shell = new TmuxShell(place);
    shell.type('echo marker-before-the-start');
    shell.press('Enter');
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Talk.');
    shell.press('Enter');
    for (let at = 0; at < 20; at++) shell.resize(20 + ((at * 37) % 90), 4 + ((at * 7) % 30));
    for (const [columns, rows] of [
      [5, 4],
      [5, 1],
      [1, 1],
    ] as const)
      shell.resize(columns, rows);
    shell.resize(90, 28);
    await shell.sees(/Worked for[\s\S]*Context/);
    shell.type('a draft');
    await shell.sees('› a draft', 'screen');
    expect(shell.rows()).toMatch(/^marker-before-the-start$/m);
    // A frame that was on its way when the size changed again may stand above the last one, which is whole.
    expect(shell.screen()).toMatch(/› a draft\n\n.*Context \d+% left.*$/);
    shell.press('C-c');
    shell.press('C-d');
    await givesBack(shell);
  });

  it.each(['TERM', 'HUP', 'INT'])('SIG%s gives the terminal back, and the thread can be resumed', async (signal) => {
    const { place, model } = await scene([hang({ afterBytes: 0, of: answer({ items: [say('never')] }) })]);
    const shell = new TmuxShell(place);
    shell.start();
    await shell.sees('Context 100% left');
    shell.type('Hang.');
    shell.press('Enter');
    await model.request(0);
    process.kill(shell.child(), `SIG${signal}`);
    await givesBack(shell);
    const listed = await place.run('threads', 'list');
    expect(listed.stdout).toContain('Hang.');
  });

  it('a first run without a model goes on from one screen, by way of the demo', async () => {
    const { place } = await scene([]);
    spawnSync('rm', [`${place.home}/config.toml`]);
    const shell = new TmuxShell(place);
    shell.type('unset OPENAI_API_KEY; clear');
    shell.press('Enter');
    shell.start();
    const rows = await shell.sees('No model is set up yet.');
    expect(rows).toContain('1. Paste an OpenAI API key');
    await shell.answer('4');
    await shell.sees('Capstan 0.1.0 demo');
    await shell.sees(/Next: use a real model[\s\S]*1\. Paste an OpenAI API key/);
    await shell.answer('Escape');
    await shell.sees('Do you trust the project');
    await shell.answer('3');
    await shell.sees('Context 100% left');
    shell.press('C-c');
    await givesBack(shell);
  });
});
