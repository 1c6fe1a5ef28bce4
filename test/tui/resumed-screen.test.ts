import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  answer,
  callTool,
  cutAfter,
  httpError,
  type ItemDraft,
  reason,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { openIn, type TuiScene } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });
const patch = (...lines: readonly string[]): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n'),
});
const run = (cmd: string, more = {}): ItemDraft => callTool('exec_command', { cmd, ...more });
const planned = (...statuses: readonly string[]): ItemDraft =>
  callTool('update_plan', { plan: statuses.map((status, at) => ({ step: `Step ${at + 1}`, status })) });
const escalated = { sandbox_permissions: 'require_escalated', justification: 'It has to leave.' };
const colour = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  options: ['First', 'Second'].map((label) => ({ label, description: `the ${label}` })),
};
const review = {
  findings: [
    {
      title: 'Off by one',
      body: 'The **last** line is lost.',
      priority: 1,
      code_location: { absolute_file_path: '/w/a.txt', line_range: { start: 2, end: 3 } },
    },
    { title: '[P3] A wish', body: '' },
  ],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'Two & <no> more.',
};
const [esc, ctrlT] = ['\u001B', '\u0014'];

/** Cells that stand only on the screen where they came up, because no file has them. */
const liveOnly = {
  'what a command of the terminal answers': /^• The next turn uses /,
  'a warning about how things stand': /^⚠ Capstan does not know the model /,
};

/** The blocks of the conversation, from the first words of the user on. */
const blocksOf = (rows: readonly string[]): readonly string[] => {
  const from = rows.findIndex((row) => row.startsWith('› Go.'));
  const to = rows.findLastIndex((row) => /^ {2}r tries again|^ {2}q closes/.test(row));
  return rows
    .slice(from, to)
    .join('\n')
    .split(/\n{2,}/)
    .map((block) => block.trimEnd())
    .filter((block) => block !== '' && !Object.values(liveOnly).some((words) => words.test(block)));
};

const whole = async ({ terminal, sees }: TuiScene): Promise<readonly string[]> => {
  terminal.type(ctrlT);
  // It is drawn in parts.
  await sees(/Transcript[^]*› Go\./);
  const rows = await terminal.screen();
  terminal.type('q');
  await sees('r tries again');
  return rows;
};

async function everything(): Promise<Scene> {
  const steps: ScriptStep[] = [
    answer({
      items: [reason('**Look** around first.'), say('I look.'), planned('in_progress', 'pending'), run('cat old.txt')],
      deltas: true,
    }),
    answer({ items: [reason('**Once** more.'), run('head -1 old.txt')], deltas: true }),
    // Those that run at once stand in the order in which they ended.
    answer({
      items: [run('ls'), run('sleep 0.3; echo slow'), run('cat old.txt'), run('cat missing.txt'), run('ls old.txt')],
      deltas: true,
    }),
    answer({ items: [run('echo one; exit 3')] }),
    answer({
      items: [
        patch('*** Add File: new.txt', '+hello', '*** Update File: old.txt', '@@', ' a', '-b', '+c', '+d'),
        patch('*** Update File: old.txt', '@@', '-nothing of this', '+x'),
        run(
          "cd . && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: new.txt\n@@\n-hello\n+bye\n*** End Patch\nEOF\n",
        ),
      ],
    }),
    answer({ items: [callTool('mcp__docs__look', { far: true }), planned('completed', 'in_progress')] }),
    done('Half of it.'),
    answer({ items: [say(JSON.stringify(review))] }),
    answer({ items: [run('echo out', escalated)] }),
    answer({ items: [run('echo never', escalated)] }),
    done('As you like.'),
    answer({ items: [callTool('request_user_input', { questions: [colour] })] }),
    done('Thanks.'),
    done('Another model.'),
    answer({ items: [run('sleep 1.2')] }),
    done('Steered.'),
    answer({ items: [run('echo begun; sleep 20')] }),
    httpError({ status: 401, body: JSON.stringify({ error: { message: 'Incorrect API key.' } }) }),
    done('At last.'),
  ];
  const summary = answer({ items: [say('All of it is done. RESUME_AT: nothing.')] });
  const built = await scene((request) => (isCompaction(request) ? summary : steps.shift()!));
  const { home, workspace } = built.place;
  const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
  writeFileSync(join(home, 'plan.json'), JSON.stringify({ tools: [tool] }));
  const program = join(import.meta.dirname, '../mcp/start-scripted-server.mjs');
  const args = [program, join(home, 'plan.json'), join(home, 'server.log')];
  const server = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`;
  writeFileSync(join(home, 'config.toml'), `\nrequest_max_retries = 0\n[mcp_servers.docs]\n${server}`, { flag: 'a' });
  writeFileSync(join(workspace, 'old.txt'), 'x\na\nb\nz\n');
  return built;
}

/** Says and does everything that has a cell. */
async function live({ sees, say: tell, terminal }: TuiScene): Promise<void> {
  await sees('Context');
  tell('Go.');
  await sees('May this tool be called?');
  terminal.type('y');
  await sees(/Half of it\.\n\n {2}Worked/);
  tell('!printf "one\\ntwo\\n"; sleep 1');
  await sees('You ran printf');
  tell('!echo broken; false');
  await sees('Your command failed (exit 1): echo broken');
  tell('!sleep 20');
  await sees('Running your command');
  terminal.type(esc);
  await sees('Your command was interrupted: sleep 20');
  tell('/review Look at <old> & new.');
  await sees(/2 findings, patch is incorrect[^]*Two & <no> more\.[^]*:2-3[^]*Worked for/);
  tell('Leave.');
  await sees(/May this command run\?[^]*echo out/);
  terminal.type('y');
  await sees(/May this command run\?[^]*echo never/);
  terminal.type('n');
  await sees(/As you like\.\n\n {2}Worked/);
  tell('/plan Which one?');
  await sees('Which colour?');
  terminal.type('2');
  await sees(/Thanks\.\n\n {2}Worked/);
  tell('/model gpt-9 high');
  await sees('gpt-9 high');
  tell('Who are you?');
  await sees(/Another model\.\n\n {2}Worked/);
  tell('/compact');
  await sees('Checkpoint 1:');
  tell('Wait.');
  await sees('Running sleep 1.2');
  tell('And hurry.');
  await sees(/Steered\.\n\n {2}Worked/);
  tell('Hang.');
  await sees('begun');
  terminal.type(esc);
  await sees('The turn was interrupted.');
  tell('Fail.');
  await sees('r tries again');
}

describe('a conversation that is resumed', () => {
  it('stands on the screen as it stood, and its transcript too', async () => {
    const built = await everything();
    const screen = () => ({ rows: 400 });
    const first = await openIn(built, { kind: 'new' }, 100, {}, screen());
    await live(first);
    const seen = blocksOf(await first.terminal.all());
    const all = blocksOf(await whole(first));
    expect(seen.filter((block) => block.startsWith('• Explored') && block.includes('List '))).toHaveLength(1);
    const thought = all.findIndex((block) => block.includes('Look around first.'));
    expect(all[thought + 1]).toBe('• I look.');
    await first.leave();
    const second = await openIn(built, { kind: 'last' }, 100, {}, screen());
    await second.sees('r tries again');
    expect(blocksOf(await second.terminal.all())).toEqual(seen);
    expect(blocksOf(await whole(second))).toEqual(all);
    second.terminal.type('r');
    await second.sees('At last.');
  });
  it('stands on the screen as it stood: with how long turns took, and plans where they were made', async () => {
    const planned = (...statuses: readonly string[]) =>
      answer({
        items: [callTool('update_plan', { plan: statuses.map((status, at) => ({ step: `Step ${at + 1}`, status })) })],
      });
    const built = await scene([
      planned('in_progress', 'pending'),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1.1' })] }),
      planned('completed', 'in_progress'),
      done('Half.'),
      planned('completed', 'completed'),
      done('All.'),
    ]);
    const first = await openIn(built, { kind: 'new' });
    await first.sees('Context');
    first.say('Go.');
    await first.sees(/Half\.\n\n {2}Worked for/);
    first.say('On.');
    // A moment passes between an event and its line.
    const said = (rows: readonly string[]): string =>
      /› Go\.[^]*All\.\n\n {2}Worked for .*/
        .exec(rows.join('\n'))![0]
        .replaceAll(/Worked for (?:[1-9]s|<1s) · \d\d:\d\d/g, 'Worked');
    const live = said(await first.sees(/All\.\n\n {2}Worked for/));
    await first.leave();
    const second = await openIn(built, { kind: 'last' });
    const again = said(await second.sees(/All\.\n\n {2}Worked for[^]*Context/));
    expect(again).toBe(live);
    expect(live).toMatch(/Step 1[^]*Ran sleep[^]*Step 1[^]*Half\.\n\n {2}Worked\n[^]*Step 1[^]*All\.\n\n {2}Worked$/);
  });

  it('does not say that it reconnects, and has the retry as one quiet line', async () => {
    const built = await scene([cutAfter({ bytes: 100, of: answer({ items: [say('never')] }) }), done('Recovered.')]);
    const first = await openIn(built, { kind: 'new' });
    await first.sees('Context');
    first.say('Go.');
    await first.sees(/Recovered\.\n\n {2}Worked/);
    await first.leave();
    const second = await openIn(built, { kind: 'last' });
    const rows = (await second.sees(/Recovered\.[^]*Context/)).join('\n');
    expect(rows).not.toContain('Reconnecting');
    expect(second.terminal.written).not.toContain('Reconnecting');
  });

  it('shows commands that were refused, cut or explained to the model as they stood', async () => {
    const steps: ((text: string) => ScriptStep)[] = [
      () => answer({ items: [run('forbidden one')] }),
      () => answer({ items: [run('echo bad', { yield_time_ms: -1 })] }),
      () => answer({ items: [run('printf "0%.0s\\n" {1..30000}')] }),
      () => answer({ items: [run('echo more', { bogus: 1 })] }),
      () => answer({ items: [run('read word; echo "got $word"', { tty: true, yield_time_ms: 250 })] }),
      (text) => {
        const later = Number(/session ID (\d+)/.exec(text)![1]);
        return answer({
          items: [callTool('write_stdin', { session_id: later, chars: 'it\n', yield_time_ms: 30_000 })],
        });
      },
      () => done('Done.'),
    ];
    const built = await scene(({ body }) => steps.shift()!(JSON.stringify(body['input'])));
    const { home } = built.place;
    mkdirSync(join(home, 'rules'), { recursive: true });
    const rule = 'prefix_rule(pattern=["forbidden"], decision="forbidden", justification="Never.")\n';
    writeFileSync(join(home, 'rules', 'default.rules'), rule);
    const first = await openIn(built, { kind: 'new' }, 100, {}, { rows: 400 });
    await first.sees('Context');
    first.say('Go.');
    const shown = (rows: readonly string[]): readonly string[] =>
      blocksOf([...rows, '  r tries again']).filter((block) => /^[•✗]/.test(block));
    const live = shown(await first.sees(/Done\.\n\n {2}Worked/));
    expect(live.join('\n')).toMatch(/Not run: forbidden one[^]*Not run: echo bad[^]*\+[\d,]+ lines/);
    await first.leave();
    const second = await openIn(built, { kind: 'last' }, 100, {}, { rows: 400 });
    const again = shown(await second.sees(/Done\.\n\n {2}Worked[^]*Context/));
    // The file has less of a long output than the screen had, and that of a session only where the model read it.
    const recorded = live.map((block) =>
      block
        .replace('shows all', 'shows some')
        .replace(/^(• Ran read word[^\n]*\n {2}└ )[^]*/, '$1(output no longer available)'),
    );
    expect(again).toEqual(recorded);
  });
});
