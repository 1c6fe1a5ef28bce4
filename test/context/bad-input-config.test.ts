import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });

describe('a configuration that contradicts itself', () => {
  it('is refused before anything happens, where no reading of it can hold', async () => {
    const live = await LiveThread.in([]);
    const overrides = ['window.auto_compact_percent=95', 'window.reserve_percent=10'];
    await expect(live.open({ config: overrides })).rejects.toThrow(
      /reserve_percent \(10\) and .* \(95\) add up to more than 100/,
    );
    expect([live.events, live.place.rollouts()]).toEqual([[], []]);
  });

  it('is reported where one part decides, and which', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['window.effective_tokens=50000', 'window.effective_percent=50'] });
    expect(live.notices).toEqual([
      expect.objectContaining({
        code: 'config-overridden-key',
        message: expect.stringContaining('Capstan uses the number of tokens'),
      }),
    ]);
    await live.turn('one');
    expect(live.told('usage')).toMatchObject([{ effectiveWindow: 50_000 }]);
  });

  it('never gives a window more than the model has', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['model_context_window=99000000', 'model_auto_compact_token_limit=98000000'] });
    await live.turn('one');
    expect(live.told('usage')).toMatchObject([{ effectiveWindow: 258_400 }]);
  });
});

describe('a small window', () => {
  it.each([8000, 12_000, 13_000, 40_000])('of %i shows how much of it is left', async (contextWindow) => {
    const usage = { input: 3000, output: 10, reasoningOutput: 0, total: 3010 };
    const live = await LiveThread.in([answer({ items: [say('Yes.')], usage })]);
    await live.open({ config: [`model_context_window=${contextWindow}`] });
    await live.turn('one');
    const [effective, tokens] = [contextWindow * 0.95, 3010];
    const baseline = Math.min(12_000, Math.floor(effective / 4));
    const left = Math.round((100 * (effective - Math.max(tokens, baseline))) / (effective - baseline));
    expect(live.told('usage')).toMatchObject([{ effectiveWindow: effective, tokens, percentRemaining: left }]);
    expect(left).toBeGreaterThan(contextWindow === 8000 ? 79 : 90);
  });
});

describe('a window that is far too small', () => {
  it('still makes a thread: outputs are cut to fit, and nothing is left over', async () => {
    const live = await LiveThread.in([answer({ items: [callTool('exec_command', { cmd: 'seq 1 9999' })] }), yes()]);
    await live.open({ config: ['model_context_window=100', 'tool_output_token_limit=90000'] });
    expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
    expect(
      live.told('usage').map(({ effectiveWindow, percentRemaining }) => [effectiveWindow, percentRemaining]),
    ).toEqual([
      [95, 0],
      [95, 0],
    ]);
    const output = live.added(1).find(([role]) => role === 'output')![1]!;
    expect(output).toMatch(/…\d+ tokens truncated…/);
    expect(output.length).toBeLessThan(400);
  });

  it('may be one token, with no space for instructions of a project', async () => {
    const live = await LiveThread.in(yes);
    writeFileSync(join(live.place.workspace, 'AGENTS.md'), 'Use tabs.');
    await live.open({ config: ['model_context_window=1', 'project_doc_max_bytes=0'] });
    expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
    expect(live.layout(0)).toEqual([
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'one'],
    ]);
  });
});
