import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { compacts } from '../compaction/talk.ts';
import { capstanScript, type Place } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';
import { pages, shellBlocks } from '../commands/pages.ts';

/** Words that only a block that is not run may have: they need the network, or programs of others. */
const foreign = /\b(npm|ollama|sudo|codex|openai|OPENAI_API_KEY|ANTHROPIC_API_KEY)\b|--oss/;
/** The id that pages give a thread in examples. */
const printedId = '01a1dcd3-eee5-7d53-9563-298808fb6396';

/** In every turn it changes a file, and then says enough to be worth a compaction. */
const model: ScriptStepOf = (request) => {
  if (isCompaction(request)) return compacts(request);
  const input = request.body['input'] as readonly { readonly type: string }[];
  const cmd = `echo ${request.index} >> notes.txt`;
  const items = input.at(-1)?.type === 'message' ? [callTool('exec_command', { cmd })] : [say('{"name": "capstan"}')];
  const thought = `I looked at everything. ${'It is all fine. '.repeat(1000)}`;
  return answer({ items: [say(thought), ...items], usage: 'none' });
};

/** Two threads with turns and a checkpoint, under the id and the names of the pages, and `capstan` as a command. */
async function prepare(): Promise<Place> {
  const { place } = await scene(model);
  const id = threadId(await place.run('exec', '--json', 'Where is the blue lamp, in the cellar?'));
  await place.run('threads', 'compact', id);
  await place.run('exec', 'resume', id, 'And the ladder?');
  await place.run('threads', 'export', id, '-o', 'exported.jsonl');
  const exported = join(place.workspace, 'exported.jsonl');
  writeFileSync(exported, readFileSync(exported, 'utf8').replaceAll(id, printedId));
  await place.run('threads', 'import', exported);
  await place.run('threads', 'name', printedId, 'my thread');
  // From now on this one is the newest.
  await place.run('exec', 'resume', id, 'And the key?');
  await place.run('threads', 'name', id, 'the lamp');
  const command = join(place.root, 'bin/capstan');
  mkdirSync(join(place.root, 'bin'));
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${capstanScript}" "$@"\n`);
  chmodSync(command, 0o755);
  return place;
}

/** The problem with a block, if there is one. */
async function run(block: string, place: Place): Promise<string | undefined> {
  const path = [join(place.root, 'bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, CAPSTAN_HOME: place.home, PATH: path };
  const running = promisify(execFile)('bash', ['-ex', '-c', block], { cwd: place.workspace, env });
  running.child.stdin?.end();
  return running.then(
    () => undefined,
    (error: { stdout: string; stderr: string }) => `${error.stdout}\n${error.stderr}`,
  );
}

describe('examples run as they are printed', () => {
  const marked = pages.filter((page) => shellBlocks(page).some(({ isRun }) => isRun));

  it.each(marked)('in %s', async (page) => {
    const place = await prepare();
    for (const { code, isRun } of shellBlocks(page)) {
      expect(isRun ? await run(code, place) : undefined).toBeUndefined();
    }
  });

  it.each(marked)('in %s only what needs the network or another program is not run', (page) => {
    expect(shellBlocks(page).filter(({ code, isRun }) => isRun === foreign.test(code))).toEqual([]);
  });
});
