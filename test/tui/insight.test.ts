import { describe, expect, it } from 'vitest';
import { formatCount } from '../../src/engine/wording.ts';
import { answer, callTool, cutAfter, say, type Script } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { tuiScene } from './tui-scene.ts';

const altO = '\u001Bo';
const plainCheckpoints = 'approval_policy = "on-request"\ncompaction.strategy = "plain"';
const hostile = String.raw`printf '\033]0;owned\007\033[2Jshown\n'`;

/** Answers the conversation in order, and every request for a checkpoint with a summary. */
function talk(...steps: Extract<Script, readonly unknown[]>): Script {
  const left = [...steps];
  return (request) => {
    if (isCompaction(request)) return answer({ items: [say('The files were counted. RESUME_AT: nothing.')] });
    const next = left.shift();
    if (next === undefined || typeof next === 'function') throw new Error('The model was asked too often.');
    return next;
  };
}

const said = (text: string) => answer({ items: [say(text)], deltas: true });

describe('what the model is sent, in the terminal', () => {
  it('/context has the figures of `capstan context`; each part opens to its items and texts; a card stays', async () => {
    const scene = await tuiScene(talk(answer({ items: [callTool('exec_command', { cmd: hostile })] }), said('Done.')));
    const { sees, say: tell, terminal, place } = scene;
    await sees('Context 100% left');
    tell('/context');
    const fresh = (await sees('Enter opens')).join('\n');
    expect(fresh).toMatch(/\w tools +\d[\d,]* /);
    terminal.type('q');
    tell('Run it.');
    await sees('Worked for');
    const { stdout } = await place.run('context', '--last', '--json');
    const { total, families } = JSON.parse(stdout) as {
      total: number;
      families: readonly { family: string; tokens: number }[];
    };
    tell('/context');
    const rows = (await sees('Enter opens')).join('\n');
    expect(rows).toContain(`100 % left: ${formatCount(total)} of 258,400 tokens; Capstan compacts at 232,560.`);
    const names: Readonly<Record<string, string>> = { instructions: 'system', user: 'you', tool: 'command output' };
    for (const { family, tokens } of families.filter((each) => Object.hasOwn(names, each.family)))
      expect(rows).toMatch(new RegExp(String.raw`\w ${names[family]} +${formatCount(tokens)} `));
    // The last group is the output of the command.
    for (const key of ['\u001B[F', '\u001B[A', '\u001B[A', '\r']) terminal.type(key);
    await sees('Context › command output');
    terminal.type('\r');
    const text = (await sees('Answer to: printf')).join('\n');
    expect(text).toContain('shown');
    terminal.type('q');
    await sees(`Context  100 % left: ${formatCount(total)} of 258,400 tokens, compacts at 232,560`);
    expect(terminal.written).not.toContain('\u001B]0;owned');
  });

  it('/changes, /envelope and /replay show each turn', async () => {
    const { sees, say: tell, terminal } = await tuiScene(talk(said('One.'), said('Two.')));
    await sees('Context');
    tell('First.');
    await sees('• One.');
    await sees('Worked for');
    tell('/plan Second.');
    await sees('• Two.');
    tell('/changes');
    const changes = (await sees('Enter opens')).join('\n');
    expect(changes).toMatch(/› turn 2 {2}change: /);
    expect(changes).toContain('turn 1  full bundle: the thread began');
    terminal.type('\r');
    terminal.type('\u001B[F');
    await sees('</collaboration_mode>');
    terminal.type('q');
    tell('/envelope 1');
    await sees(/modes\.collaboration\S* {2}\S*(?:default|none).* → .*plan/);
    terminal.type('q');
    tell('/envelope 9');
    await sees('no turn "9". Name one from 1 to 2.');
    tell('/replay 1');
    await sees('1 of 1 request rebuilt byte for byte.');
    terminal.type('\r');
    await sees('Rebuilt from the file: the same bytes.');
    terminal.type('q');
  });

  it('/compact works while a turn runs, a pin outlives it, and the checkpoint can be taken back', async () => {
    const scene = await tuiScene(
      talk(
        answer({ items: [callTool('exec_command', { cmd: 'seq 1 4000; sleep 1' })] }),
        said('Counted.'),
        said('After the checkpoint.'),
      ),
      plainCheckpoints,
    );
    const { sees, say: tell, terminal, model } = scene;
    await sees('Context');
    tell('Count.');
    await sees('Running seq');
    tell('/compact the numbers');
    await sees('• Counted.');
    await sees('Checkpoint 1: about');
    terminal.type(altO);
    await sees('you asked for it');
    terminal.type('q');
    await sees('Worked for');
    tell('/pin Never touch the lock file.');
    await sees('Pinned as note 1: Never touch the lock file.');
    tell('Go on.');
    await sees('• After the checkpoint.');
    const all = model.requests.map((_, at) => textsOf(inputOf(model, at)).join('\n'));
    expect(all.filter((texts) => texts.includes('/compact'))).toEqual([]);
    expect(all.at(-1)).toContain('Never touch the lock file.');
    tell('/checkpoint');
    await sees('› Checkpoint 1');
    terminal.type('\r');
    await sees('left to the summary');
    terminal.type('u');
    await sees('No, keep the checkpoint');
    terminal.type('j');
    terminal.type('\r');
    await sees(/continues from before checkpoint\s+1\./);
    tell('/checkpoint undo');
    await sees('The rollback is undone');
    tell('/pin');
    await sees('› 1. Never touch the lock file.');
    terminal.type('x');
    await sees('The note is removed.');
  });

  it('a retry is one quiet line, which opens', async () => {
    const cut = cutAfter({ bytes: 300, of: said('never') });
    const { sees, say: tell, terminal } = await tuiScene(talk(said('One.'), cut, said('Two.')));
    await sees('Context');
    tell('First.');
    await sees('• One.');
    await sees('Worked for');
    tell('Second.');
    await sees('• Two.');
    const rows = (await sees(/Worked for[\s\S]*Worked for/)).join('\n');
    expect(rows).toMatch(/⚠ Sent again, about \d+ tokens: The connection ended/);
    terminal.type(altO);
    await sees(/Details[\s\S]*└ after /);
    terminal.type('q');
  });
});
