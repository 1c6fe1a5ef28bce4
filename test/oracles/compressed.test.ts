import { zstdCompressSync } from 'node:zlib';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { codexInput, inputOf, storedItems, withoutNullContent } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

describe('a compressed thread', () => {
  it('that Capstan has packed continues in Codex, which unpacks it', async () => {
    const { model, place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo ours' })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [say('Two.')] }),
    ]);
    const id = threadOf(await runCapstan(place, 'first words'));
    const ours = storedItems(place);
    const [path = ''] = place.rollouts();
    const bytes = readFileSync(path);
    const packed = await place.run('threads', 'compress', id);
    expect([packed.code, place.rollouts()], packed.stderr).toEqual([0, []]);

    const codex = await runCodex(place, 'resume', id, 'second words');
    expect([codex.code, threadOf(codex)], codex.stderr).toEqual([0, id]);
    const { history } = codexInput(model, 2);
    expect(history.slice(0, ours.length).map(withoutNullContent)).toEqual(ours.map(withoutNullContent));
    expect(place.rollouts()).toEqual([path]);
    expect(readFileSync(path).subarray(0, bytes.length)).toEqual(bytes);
  });

  it('of Codex continues in Capstan', async () => {
    const { model, place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo theirs' })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [say('Two.')] }),
    ]);
    const id = threadOf(await runCodex(place, 'first words'));
    const theirs = storedItems(place);
    const [path = ''] = place.rollouts();
    writeFileSync(`${path}.zst`, zstdCompressSync(readFileSync(path)));
    rmSync(path);
    const again = await runCapstan(place, 'resume', id, 'second words');
    expect([again.code, threadOf(again)], again.stderr).toEqual([0, id]);
    expect(inputOf(model, 2).slice(0, theirs.length)).toEqual(theirs.map(withoutNullContent));
    expect(place.rollouts()).toEqual([path]);
  });
});
