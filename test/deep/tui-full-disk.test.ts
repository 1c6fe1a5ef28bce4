import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const done = (text: string) => answer({ items: [say(text)], deltas: true });

/** A conversation whose home is a disk of its own, which the user's own commands fill and empty. */
async function onSmallDisk(script: readonly ScriptStep[]) {
  const { place, model } = await scene(script);
  const shell = new TmuxShell(place, 120, 36, 'unshare -rm bash --norc --noprofile');
  shell.run(
    `cp $CAPSTAN_HOME/config.toml . && mount -t tmpfs -o size=2m tmpfs $CAPSTAN_HOME && mv config.toml $CAPSTAN_HOME`,
  );
  shell.start();
  await shell.sees('Context 100% left', 'screen');
  const send = async (words: string): Promise<void> => {
    shell.type(words);
    await shell.sees(words.replace(/^!/, '! '), 'screen');
    shell.press('Enter');
  };
  const fill = async (): Promise<void> => {
    await send('!cat /dev/zero > $CAPSTAN_HOME/filler');
    await shell.sees('No space left on device');
  };
  const empty = async (): Promise<void> => {
    await send('!rm $CAPSTAN_HOME/filler; echo there is room');
    await shell.sees(/^ +└ there is room/m);
  };
  return { shell, model, send, fill, empty };
}

describe.runIf(canMount)('a full disk', () => {
  beforeAll(requireTmux);

  it('gives the words back with the reason, and the conversation goes on when there is room', async () => {
    const { shell, model, send, fill, empty } = await onSmallDisk([done('One.'), done('Two.')]);
    await send('First.');
    await shell.sees(/One\.\n\n {2}Worked for/);
    await fill();
    await send('Second.');
    await shell.sees(/Cannot save the thread file[^]*ENOSPC[^]*Free some space[^]*› Second\.\n/);
    expect(model.requests).toHaveLength(1);
    shell.press('C-c');
    await shell.sees('› Ask Capstan', 'screen');
    await empty();
    shell.press('Up');
    shell.press('Up');
    await shell.sees(/› Second\.\n\n {2}gpt/, 'screen');
    shell.press('Enter');
    await shell.sees(/Two\.\n\n {2}Worked for/);
    const said = textsOf(inputOf(model, 1)).filter((text) => text === 'First.' || text === 'Second.');
    expect(said).toEqual(['First.', 'Second.']);
    shell.press('C-d');
    await shell.sees(/capstan resume [\w-]{36}/);
  });

  it('in the middle of a turn ends the turn with the reason, and the next one knows of it', async () => {
    const { shell, model, send, fill, empty } = await onSmallDisk([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 3; seq 5000' })] }),
      done('Two.'),
    ]);
    await send('First.');
    await shell.sees('Running sleep');
    await fill();
    await shell.sees(/Cannot save the thread file[^]*ENOSPC[^]*Free some space/);
    await shell.sees('› Ask Capstan', 'screen');
    await empty();
    await send('Second.');
    const rows = await shell.sees(/Two\.\n\n {2}Worked for/);
    expect(rows).toContain('Interrupted: sleep 3');
    expect(rows).not.toContain('Running sleep');
    // It was said: it does not come back to be said again.
    expect(rows.match(/› First\./g)).toHaveLength(1);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('Second.');
    expect(JSON.stringify(inputOf(model, 1))).toContain('unknown');
  });
});
