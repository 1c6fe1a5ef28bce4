import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { InstructedThread } from '../harness/instructed-thread.ts';
import { withoutSandbox } from '../harness/scene.ts';

const replaces = 'These take the place of all AGENTS.md instructions given before.\n\n';
const withdrawn =
  '# AGENTS.md instructions\n\n<INSTRUCTIONS>\n' +
  'The AGENTS.md instructions given before no longer apply; there are none now.\n</INSTRUCTIONS>';
const yes = () => answer({ items: [say('Yes.')] });
const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

describe('between the turns of a thread', () => {
  it('an edit is told as a change, once; no edit is not told', async () => {
    const live = await InstructedThread.in(yes);
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('one');
    await live.turn('two');
    live.write('AGENTS.md', 'Use dots.');
    await live.turn('three');
    await live.turn('four');
    expect(live.told()).toEqual([[live.message('Use tabs.')], [], [live.message('Use dots.', replaces)], []]);
    expect(live.added(2).slice(-2)).toEqual([live.message('Use dots.', replaces), 'three']);
  });

  it('the same holds when another process continues', async () => {
    const live = await InstructedThread.in(yes);
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('one');
    await live.open();
    await live.turn('two');
    await live.close();
    live.write('AGENTS.md', 'Use dots.');
    await live.open();
    await live.turn('three');
    expect(live.told()).toEqual([[live.message('Use tabs.')], [], [live.message('Use dots.', replaces)]]);
  });

  it('a file that goes is withdrawn, and one that comes back is told like a new one', async () => {
    const live = await InstructedThread.in(yes);
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('one');
    live.remove('AGENTS.md');
    await live.turn('two');
    await live.turn('three');
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('four');
    expect(live.told()).toEqual([[live.message('Use tabs.')], [withdrawn], [], [live.message('Use tabs.')]]);
  });

  it('a decision about trust takes the project files away and brings them back; the personal file stays', async () => {
    const live = await InstructedThread.in(yes);
    writeFileSync(join(live.place.home, 'AGENTS.md'), 'Be kind.');
    live.write('AGENTS.md', 'Use tabs.');
    const trust = (level: string) => ({
      config: [`projects.${JSON.stringify(live.place.workspace)}.trust_level=${level}`],
    });
    const both = 'Be kind.\n\n--- project-doc ---\n\nUse tabs.';
    await live.turn('one');
    await live.open(trust('untrusted'));
    await live.turn('two');
    await live.open(trust('trusted'));
    await live.turn('three');
    expect(live.told()).toEqual([
      [live.message(both)],
      [`# AGENTS.md instructions\n\n<INSTRUCTIONS>\n${replaces}Be kind.\n</INSTRUCTIONS>`],
      [live.message(both, replaces)],
    ]);
  });
});

describe('between the steps of a turn', () => {
  it('an edit by a command of the model is told after its output', async () => {
    const live = await InstructedThread.in(
      [command('printf "Use dots." > AGENTS.md; echo edited'), command('true'), yes()],
      withoutSandbox,
    );
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('go');
    expect(live.told()).toEqual([[live.message('Use tabs.')], [live.message('Use dots.', replaces)], []]);
    expect(live.added(1)).toEqual([undefined, expect.stringContaining('edited'), live.message('Use dots.', replaces)]);
  });

  it('an edit of the same length within the same moment is told', async () => {
    const edits = ['1', '2', '3', '4'].map((digit) => command(`printf "Use ${digit}." > AGENTS.md`));
    const live = await InstructedThread.in([...edits, yes()], withoutSandbox);
    live.write('AGENTS.md', 'Use 0.');
    await live.turn('go');
    expect(live.told()).toEqual([
      [live.message('Use 0.')],
      ...['1', '2', '3', '4'].map((digit) => [live.message(`Use ${digit}.`, replaces)]),
    ]);
  });

  it('an override that appears takes over, and gives back when it goes', async () => {
    const live = await InstructedThread.in(
      [
        command('printf "Use dots." > AGENTS.override.md'),
        command('rm AGENTS.override.md'),
        command('rm AGENTS.md'),
        yes(),
      ],
      withoutSandbox,
    );
    live.write('AGENTS.md', 'Use tabs.');
    await live.turn('go');
    expect(live.told()).toEqual([
      [live.message('Use tabs.')],
      [live.message('Use dots.', replaces)],
      [live.message('Use tabs.', replaces)],
      [withdrawn],
    ]);
  });
});

describe('what the model reads', () => {
  it('names what was cut, of which file', async () => {
    const live = await InstructedThread.in(yes, 'project_doc_max_bytes = 20');
    live.write('AGENTS.md', 'Use tabs.\nÜberall. Niemals Punkte.\n');
    await live.turn('one');
    live.write('AGENTS.md', 'Überall Tabulatoren.');
    await live.turn('two');
    const cut = (text: string, bytes: number) =>
      `${text}\n\n[Cut here to 20 bytes. Left out: ${bytes} bytes of ${join(live.place.workspace, 'AGENTS.md')}. ` +
      'Read the files for the rest.]';
    expect(live.told()).toEqual([
      [live.message(cut('Use tabs.\n', 26))],
      [live.message(cut('Überall Tabulatoren', 1), replaces)],
    ]);
  });

  it('is never held up by what is odd about the files', async () => {
    const live = await InstructedThread.in(yes);
    const { workspace, home } = live.place;
    execFileSync('mkfifo', [join(workspace, 'AGENTS.override.md')]);
    live.write('AGENTS.md', 'Use tabs.');
    symlinkSync('AGENTS.md', join(home, 'AGENTS.md'));
    mkdirSync(join(home, 'AGENTS.override.md'));
    await live.turn('one');
    live.write('AGENTS.md', '\0\0\0');
    await live.turn('two');
    expect(live.told()).toEqual([[live.message('Use tabs.')], [withdrawn]]);
  });
});
