import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type ItemDraft, reason, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { asSent, codexInput, inputOf, storedItems, textsOf, withoutNullContent } from './items.ts';
import { dot } from './dot.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

const bytesOf = (items: readonly JsonObject[]) => items.map((item) => JSON.stringify(item));

describe('a thread that Codex started', () => {
  it('continues in Capstan byte for byte, under the same settings, and goes back', async () => {
    const { model, place } = await scene([
      answer({
        items: [
          reason('Look first.'),
          say('I look around.'),
          callTool('exec_command', { cmd: 'echo one; exit 3' }),
          callTool('exec_command', { cmd: 'echo two' }),
        ],
      }),
      answer({ items: [callTool('no_such_tool', { a: 1 })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [callTool('exec_command', { cmd: 'pwd; touch here' })] }),
      answer({ items: [say('Two.')] }),
      answer({ items: [say('Three.')] }),
    ]);
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'AGENTS.md'), 'Use tabs.');
    const settings = ['-s', 'read-only', '-C', elsewhere, '-c', 'model_reasoning_effort="high"'];
    const id = threadOf(await runCodex(place, '-m', 'gpt-5.4', ...settings, 'first words'));
    const known = [...codexInput(model, 2).history, storedItems(place).at(-1)!];

    const capstan = await runCapstan(place, 'resume', id, 'second words');
    expect([capstan.code, capstan.events.at(-1)?.['type']], capstan.stderr).toEqual([0, 'turn.completed']);
    const input = inputOf(model, 3);
    expect(bytesOf(input.slice(0, known.length))).toEqual(bytesOf(known.map(asSent)));
    expect(textsOf(input.slice(known.length))).toEqual([
      expect.stringMatching(/^<permissions instructions>\nSandbox: read-only\./),
      // Codex puts skills of its own into the home that both share.
      expect.stringMatching(/^<skills_instructions>\n## Skills\n/),
      expect.stringMatching(/^<environment_context>/),
      'second words',
    ]);
    const meta = place.lines()[0]!.payload['base_instructions'] as JsonObject;
    expect(model.requests[3]!.body).toMatchObject({
      instructions: meta['text'],
      model: 'gpt-5.4',
      reasoning: { effort: 'high' },
      prompt_cache_key: id,
    });
    expect(capstan.stderr).toMatch(/read-only\nin .*elsewhere$/m);
    expect(textsOf(inputOf(model, 4)).at(-1)).toMatch(new RegExp(`^${elsewhere}\n.*Read-only file system`, 'ms'));
    expect(capstan.events.at(-1)).toMatchObject({ usage: { input_tokens: 500, output_tokens: 50 } });

    const ours = storedItems(place);
    const codex = await runCodex(place, 'resume', id, 'third words');
    expect([codex.code, codex.events.at(-1)?.['type']], codex.stderr).toEqual([0, 'turn.completed']);
    const { history } = codexInput(model, 5);
    expect(history.slice(0, ours.length).map(withoutNullContent)).toEqual(ours.map(withoutNullContent));
    expect(textsOf(history).at(-1)).toBe('third words');
    expect(codex.events.at(-1)).toMatchObject({ usage: { input_tokens: 600, output_tokens: 60 } });
  });

  it('keeps images, patches, searches and phases', async () => {
    const { model, place } = await scene([
      answer({ items: [patch('*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n'), search('capstan')] }),
      answer({ items: [{ ...say('So far.'), phase: 'commentary' }, patch('*** Begin Patch\nnonsense')] }),
      answer({ items: [{ ...say('Done.'), phase: 'final_answer' }] }),
      answer({ items: [say('Seen.')] }),
    ]);
    writeFileSync(join(place.workspace, 'dot.png'), Buffer.from(dot, 'base64'));
    const id = threadOf(await runCodex(place, '-i', 'dot.png', '--', 'first words'));
    const known = [...codexInput(model, 2).history, storedItems(place).at(-1)!];
    expect(JSON.stringify(known)).toContain(`data:image/png;base64,${dot}`);
    expect(new Set(known.map(({ type }) => type))).toEqual(
      new Set(['message', 'custom_tool_call', 'custom_tool_call_output', 'web_search_call']),
    );
    const capstan = await runCapstan(place, 'resume', id, 'second words');
    expect(capstan.code, capstan.stderr).toBe(0);
    expect(bytesOf(inputOf(model, 3).slice(0, known.length))).toEqual(bytesOf(known.map(asSent)));
  });

  it('continues from a checkpoint that Codex made, in both programs', async () => {
    const { model, place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'echo one' })] }),
      answer({ items: [say('One.')], usage: { input: 300_000, total: 300_010 } }),
      answer({ items: [say('In short: one was echoed.')] }),
      answer({ items: [say('Two.')] }),
      answer({ items: [say('Three.')] }),
      answer({ items: [say('Four.')] }),
    ]);
    const id = threadOf(await runCodex(place, 'first words'));
    await runCodex(place, 'resume', id, 'second words');
    expect(place.lines().filter(({ type }) => type === 'compacted')).toHaveLength(1);
    const known = [...codexInput(model, 3).history, storedItems(place).at(-1)!];
    expect(known.map(({ type }) => type)).not.toContain('function_call');

    const capstan = await runCapstan(place, 'resume', id, 'third words');
    expect(capstan.code, capstan.stderr).toBe(0);
    expect(bytesOf(inputOf(model, 4).slice(0, known.length))).toEqual(bytesOf(known.map(asSent)));
    const kept = [...inputOf(model, 4), storedItems(place).at(-1)!];
    await runCodex(place, 'resume', id, 'fourth words');
    expect(codexInput(model, 5).history.slice(0, kept.length)).toEqual(kept);
  });

  // Codex records which folders were writable, not that it was the workspace that was.
  it('may write in another folder when it continues there', async () => {
    const { place } = await scene([
      answer({ items: [say('One.')] }),
      answer({ items: [callTool('exec_command', { cmd: 'touch here' })] }),
      answer({ items: [say('Two.')] }),
    ]);
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    const id = threadOf(await runCodex(place, 'first words'));
    const capstan = await runCapstan(place, '-C', elsewhere, 'resume', id, 'second words');
    const command = capstan.events.find(({ type }) => type === 'item.completed');
    expect(command, capstan.stderr).toMatchObject({ item: { type: 'command_execution', exit_code: 0 } });
  });

  // A fork of Codex holds no copy: its first line points into the file of its source (`history_base`).
  it('continues in Capstan when it is a fork of another', async () => {
    const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
    const id = threadOf(await runCodex(place, 'first words'));
    const fork = threadOf(await runCodex(place, 'fork', id, 'second words'));
    const known = codexInput(model, 1).history;
    expect(textsOf(known)).toContain('first words');
    await runCapstan(place, 'resume', fork, 'third words');
    expect(bytesOf(inputOf(model, 2).slice(0, known.length))).toEqual(bytesOf(known.map(asSent)));
  });
});

function patch(input: string): ItemDraft {
  return { type: 'custom_tool_call', name: 'apply_patch', input };
}

function search(query: string): ItemDraft {
  return { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query } };
}
