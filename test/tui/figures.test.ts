import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/protocol/usage.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { tuiScene } from './tui-scene.ts';

const counted = (input: number) => ({ ...noUsage, input, output: 10, total: input + 10 });
const said = (text: string, input = 4000) => answer({ items: [say(text)], deltas: true, usage: counted(input) });

describe('the figures and words of the terminal', () => {
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
    tell('/status');
    const tokens = /left: (?:about )?([\d,]+) of/.exec((await sees(/% left: [\s\S]* tokens/)).join('\n'))?.[1];
    tell('/context');
    await sees(new RegExp(String.raw`${tokens} of [\d,]+ tokens \(`));
    terminal.type('q');
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
    terminal.type('\u0003');
    await sees('about $');
    const used = /Tokens +about ([\d,]+) used/.exec(card)?.[1]?.replace(',', '');
    const rows = (await leave()).join('\n');
    expect(rows).toContain(`about ${(Number(used) + 3010).toLocaleString('en')} tokens used, about $`);
    expect(rows).toMatch(/asked beside\s+it\./);
  });
});
