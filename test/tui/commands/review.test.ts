import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, hang, say, type ScriptStep } from '../../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../../harness/scene.ts';
import { openIn, type TuiScene } from '../tui-scene.ts';
import { makeRepository } from './repository.ts';

const findings = JSON.stringify({
  findings: [
    {
      title: 'Off by one',
      body: 'The last line is lost.',
      priority: 1,
      code_location: { absolute_file_path: '/w/a.txt', line_range: { start: 2, end: 3 } },
    },
  ],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'One fault.',
});
const reviewed = answer({ items: [say(findings)] });

async function inRepository(...script: readonly ScriptStep[]): Promise<TuiScene> {
  const built = await scene(script, 'approval_policy = "on-request"');
  makeRepository(built.place);
  const opened = await openIn(built, { kind: 'new' });
  await opened.sees('Context 100% left');
  return opened;
}

describe('/review', () => {
  it('of what is not committed: shows what the reviewer does and finds, and the next turn reads it', async () => {
    const looks = answer({ items: [callTool('exec_command', { cmd: 'git status' })] });
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await inRepository(looks, reviewed, answer({ items: [say('Fixed.')] }));
    tell('/review');
    const rows = (await sees('What should be reviewed?')).join('\n');
    expect(rows).toMatch(
      /1\. Against a base branch[^]*2\. Uncommitted changes[^]*3\. A commit[^]*4\. In your own words/,
    );
    terminal.type('2');
    await sees('Code review started: changes that are not committed');
    const found = (await sees('Worked for')).join('\n');
    expect(found).toMatch(/Ran git status[^]*Code review: 1 finding, patch is incorrect[^]*One fault\./);
    expect(found).toContain('[P1] Off by one /w/a.txt:2-3');
    expect(found).not.toMatch(/overall_explanation|attached_diff|› Review/);
    expect(textsOf(inputOf(model, 0)).join('\n')).toContain('+not committed');
    tell('Fix it.');
    await sees('• Fixed.');
    expect(textsOf(inputOf(model, 2)).join('\n')).toContain('The last line is lost.');
  });

  it('counts in the line at the end, though no turn followed it', async () => {
    const { sees, say: tell, terminal } = await inRepository(reviewed);
    tell('/review Look at the store.');
    await sees('Worked for');
    terminal.type('\u0004');
    expect((await sees('To continue:')).join('\n')).toMatch(/[1-9][\d,]* tokens used/);
  });

  it('of a branch and of a commit, from lists that are searched', async () => {
    const { sees, say: tell, terminal, model } = await inRepository(reviewed, reviewed);
    tell('/review');
    await sees('What should be reviewed?');
    terminal.type('1');
    await sees('Base branch for topic');
    await sees('topic -> main');
    terminal.type('ma');
    await sees('› ma');
    terminal.type('\r');
    await sees('Code review started: changes against main');
    await sees('Worked for');
    expect(textsOf(inputOf(model, 0)).join('\n')).toContain('+topic');
    tell('/review');
    await sees('What should be reviewed?');
    terminal.type('3');
    await sees('Commit to review');
    terminal.type('go on');
    await sees(/› [0-9a-f]{9} +Go on/);
    terminal.type('\r');
    await sees(/Code review started: commit [0-9a-f]{12} Go on/);
  });

  it('takes no words while it runs: they wait for its end. Esc ends it and gives them back', async () => {
    const never = hang({ afterBytes: 0, of: reviewed });
    const { sees, say: tell, terminal, model } = await inRepository(never, answer({ items: [say('Later.')] }));
    tell('/review Look at the store.');
    await sees('Code review started: Look at the store.');
    await sees('Reviewing (');
    await model.request(0);
    tell('And now?');
    await sees('↳ And now?');
    tell('/new');
    await sees('/new has to wait until the turn ends.');
    terminal.type('\u0003');
    await sees('Ask Capstan');
    terminal.type('\u001B');
    await sees(/The review was interrupted\.[^]*› And now\?/);
    terminal.type('\r');
    const rows = (await sees('• Later.')).join('\n');
    expect(rows).toMatch(/The review was interrupted\.[^]*› And now\?/);
    expect(textsOf(inputOf(model, 1)).join('\n')).toContain('interrupted it');
  });

  it.each([
    ['Esc', '\u001B'],
    ['Ctrl+C', '\u0003'],
  ])('chosen from the list: %s gives back what waits, and sends none of it', async (_, key) => {
    const never = hang({ afterBytes: 0, of: reviewed });
    const { sees, say: tell, terminal, model } = await inRepository(never, answer({ items: [say('Later.')] }));
    tell('/review');
    await sees('What should be reviewed?');
    terminal.type('2');
    await sees('Reviewing (');
    await model.request(0);
    tell('And now?');
    await sees('↳ And now?');
    terminal.type('Then this.');
    terminal.type('\t');
    await sees('↳ Then this.');
    terminal.type(key);
    await sees(/The review was interrupted\.[^]*› And now\?\n {2}Then this\./);
    expect(model.requests).toHaveLength(1);
    terminal.type('\r');
    await sees('• Later.');
    expect(model.requests).toHaveLength(2);
  });

  it('comes before what is queued behind it, also when its target is chosen from lists', async () => {
    const slow = answer({ items: [callTool('exec_command', { cmd: 'sleep 1.5' })] });
    const done = (text: string) => answer({ items: [say(text)] });
    const { sees, say: tell, terminal, model } = await inRepository(slow, done('First.'), reviewed, done('Last.'));
    tell('Go.');
    await sees('Running sleep');
    for (const words of ['/review', 'The end.']) {
      terminal.type(`${words}${words === '/review' ? '\t' : ''}`);
      terminal.type('\t');
      await sees(`↳ ${words}`);
    }
    await sees('What should be reviewed?');
    terminal.type('1');
    await sees('topic -> main');
    terminal.type('\r');
    const rows = (await sees('• Last.')).join('\n');
    expect(rows).toMatch(/Code review started[^]*› The end\.[^]*• Last\./);
    expect(textsOf(inputOf(model, 3)).at(-1)).toBe('The end.');
  });

  it('asks for words: without a repository by a notice, otherwise behind the command', async () => {
    const { sees, say: tell, terminal, place } = await inRepository();
    tell('/review');
    await sees('What should be reviewed?');
    terminal.type('4');
    await sees('› /review');
    terminal.type('\u0003');
    rmSync(join(place.workspace, '.git'), { recursive: true });
    tell('/review');
    expect((await sees('Say what to review: /review WORDS.')).join('\n')).not.toContain('What should be reviewed?');
  });
});
