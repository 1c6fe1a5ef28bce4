import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { noUsage } from '../../src/protocol/usage.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { scene } from '../harness/scene.ts';
import { openIn, type TuiScene, tuiScene } from './tui-scene.ts';

const counted = (input: number) => ({ ...noUsage, input, output: 10, total: input + 10 });
const said = (text: string, input = 4000) => answer({ items: [say(text)], deltas: true, usage: counted(input) });

type Shown = Pick<TuiScene, 'sees' | 'terminal'> & { readonly tell: TuiScene['say'] };

/** Checks that `/status` and `/context` say the same about the window. */
async function sameFigures({ sees, tell, terminal }: Shown, left: string): Promise<string> {
  const cards = (rows: readonly string[]): readonly string[] =>
    [...rows.join('\n').matchAll(/\bContext {2,}(\d+ % left: (?:about )?[\d,]+ of [\d,]+ tokens)\b/g)].map(
      ([, words]) => words!,
    );
  const known = cards(await terminal.all()).length;
  const more = async (count: number): Promise<string> => {
    await vi.waitUntil(async () => cards(await terminal.all()).length >= known + count, { timeout: 30_000 });
    return cards(await terminal.all()).at(-1)!;
  };
  tell('/status');
  const status = await more(1);
  expect(status.startsWith(left)).toBe(true);
  tell('/context');
  await sees(status);
  await sees('q closes');
  terminal.type('q');
  expect(await more(2)).toBe(status);
  return status;
}

describe('the figures and words of the terminal', () => {
  it('/status and /context say the same: before a turn, after one, after a checkpoint and after a resume', async () => {
    const cmd = { cmd: 'seq 1 9000', max_output_tokens: 30_000 };
    const left = [answer({ items: [callTool('exec_command', cmd)], usage: counted(4000) }), said('Counted.', 60_000)];
    const built = await scene(
      (request) => (isCompaction(request) ? answer({ items: [say('All. RESUME_AT: nothing.')] }) : left.shift()!),
      'compaction.strategy = "plain"',
    );
    writeFileSync(join(built.place.workspace, 'AGENTS.md'), 'Mind the gap. '.repeat(400));
    const first = await openIn(built, { kind: 'new' }, 100);
    const { sees, terminal, say: tell } = first;
    await sees('Context 100% left');
    const seen = [await sameFigures({ sees, tell, terminal }, '')];
    tell('Go.');
    await sees('Worked for');
    await sees('Context 81% left');
    seen.push(await sameFigures({ sees, tell, terminal }, '81 % left: 60,010 of'));
    tell('/compact');
    await sees('Checkpoint 1: about');
    seen.push(await sameFigures({ sees, tell, terminal }, ''));
    await first.leave();
    const second = await openIn(built, { kind: 'last' }, 100);
    await second.sees('Checkpoint 1: about');
    await second.sees('% left');
    expect(await sameFigures({ ...second, tell: second.say }, '')).toBe(seen.at(-1));
    // The context of the next turn is counted before it is sent.
    expect(seen[0]).toMatch(/^100 % left: about \d,\d{3} of/);
  });

  it('while a turn runs, the status line has its model and permissions, and what was chosen for the next beside them', async () => {
    const { sees, say: tell } = await tuiScene([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 3' })] }),
      said('One.'),
    ]);
    await sees('Context 100% left');
    tell('Wait.');
    await sees('Running sleep 3');
    tell('/permissions Read only');
    await sees('Ask (next: Read only)');
    tell('/model gpt-9 high');
    await sees(/gpt-\S+( \w+)? \(next: gpt-9 high\)/);
    await sees('Worked for');
    const after = (await sees(/gpt-9 high · Context.* {2}Read only/)).join('\n');
    expect(after).not.toContain('next:');
  });

  it('after a checkpoint is taken back, the status line, /status and /context say the same; so do question and result', async () => {
    const cmd = { cmd: 'seq 1 9000', max_output_tokens: 30_000 };
    const left = [answer({ items: [callTool('exec_command', cmd)], usage: counted(4000) }), said('Counted.', 32_000)];
    const {
      sees,
      say: tell,
      terminal,
    } = await tuiScene(
      (request) =>
        isCompaction(request)
          ? answer({ items: [say('Counted. RESUME_AT: nothing.')] })
          : (left.shift() ?? said('Done.')),
      'compaction.strategy = "plain"',
    );
    await sees('Context 100% left');
    tell('Count.');
    const before = /Context (\d+)% left/.exec((await sees(/Worked for[\s\S]*Context \d\d% left/)).join('\n'))?.[1];
    tell('/compact');
    await sees('Checkpoint 1: about');
    tell('Go on.');
    await sees(/Worked for[\s\S]*Worked for/);
    tell('/checkpoint');
    await sees('› Checkpoint 1');
    for (const key of ['\r', 'u']) terminal.type(key);
    await sees('with 1 turn.');
    for (const key of ['j', '\r']) terminal.type(key);
    await sees('One turn rolled back.');
    await sees(new RegExp(String.raw`Context ${before}% left`));
    await sameFigures({ sees, tell, terminal }, `${before} % left`);
    tell('Once more.');
    await sees(/Once more[\s\S]*Worked for/);
    tell('/checkpoint undo');
    await sees('Add --force to do so');
    tell('/checkpoint undo --force');
    expect((await sees('The rollback is undone')).join('\n')).not.toContain('Use /checkpoint');
  });

  it('estimated money and tokens say so, an interrupted turn has its cost, and the last line counts what was asked beside', async () => {
    const {
      sees,
      say: tell,
      terminal,
      leave,
    } = await tuiScene(
      [
        said('One.', 1000),
        hang({ afterBytes: 2500, of: said('Two words. '.repeat(300)) }),
        said('Beside.', 3000),
        said('Three.', 5000),
      ],
      'model_prices = { "scripted/gpt-5.5" = { input = 2, output = 10 } }',
    );
    await sees('Context');
    tell('First.');
    await sees('Worked for');
    tell('Second.');
    await sees('Two');
    terminal.type('\u001B');
    await sees('The turn was interrupted.');
    await sees(/Worked for \S+ · \S+ · about \$0\.\d+/);
    await sees(/left · about \$0\.\d+ · .* about [\d.]+K tokens/);
    tell('/status');
    const card = (await sees(/Cost +about \$/)).join('\n');
    expect(card).toMatch(/Tokens +about [\d,]+ used: 1,000 input \(0 cached\), 10 output, about [\d,]+\s+that/);
    tell('/side What is it?');
    await sees('• Beside.');
    // It has no file.
    tell('/status');
    await sees(/Status[^]*Context +\d+ % left: /);
    terminal.type('\u0003');
    await sees('about $');
    const used = /Tokens +about ([\d,]+) used/.exec(card)?.[1]?.replace(',', '');
    const rows = (await leave()).join('\n');
    expect(rows).toContain(`about ${(Number(used) + 3010).toLocaleString('en')} tokens used, about $`);
    expect(rows).toMatch(/asked beside\s+it\./);
  });
});
