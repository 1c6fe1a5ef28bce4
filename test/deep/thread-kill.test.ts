import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  answer,
  callTool,
  cutAfter,
  reason,
  say,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { checkPrefixes, checkRebuilt } from '../laws/prefix-law.ts';
import { type Acknowledged, checkPromises, KilledWriter, linesIn } from './killed-writer.ts';

const kills = 60;

it(`keeps the laws over ${kills} kills of real processes on the real disk`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'capstan-kill-'));
  const model = await startScriptedModel(({ index }) => stepFor(index));
  let id: string | undefined;
  const promised: Acknowledged[] = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      // From the first moments of a process to well into its work, however busy the machine is.
      const words = [home, model.url, ...(id === undefined ? [] : [id])];
      const acknowledged = await runUntilKilled(words, { promises: kill % 9, thenMs: (kill * 37) % 50 });
      promised.push(...acknowledged);
      id ??= acknowledged[0]?.id;
      checkPromises(linesIn(home), promised);
    }
    expect(promised.length).toBeGreaterThan(kills);
    await checkRebuilt(model, linesIn(home));
    await checkPrefixes(model, linesIn(home));
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}, 600_000);

function stepFor(index: number): ScriptStep {
  const call = answer({ items: [reason(`r${index}`), callTool('exec_command', { cmd: `echo ${index}` })] });
  if (index % 7 === 3) return cutAfter({ bytes: 350, of: call });
  return index % 3 === 2 ? answer({ items: [say(`done ${index}`)] }) : call;
}

function runUntilKilled(
  words: readonly string[],
  until: { readonly promises: number; readonly thenMs: number },
): Promise<readonly Acknowledged[]> {
  const writer = new KilledWriter(words);
  const killIfDue = (printed: number): void => {
    if (printed >= until.promises) setTimeout(() => writer.kill(), until.thenMs);
  };
  writer.onPrinted = killIfDue;
  setTimeout(() => killIfDue(writer.printed), 100);
  return writer.acknowledged();
}
