import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, reason, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { codexInput, inputOf, storedItems, textsOf, withoutNullContent } from './items.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

describe('a thread that Capstan started', () => {
  it('continues in Codex with every item in its place, and comes back with those of Codex', async () => {
    const { model, place } = await scene([
      answer({ items: [reason('Look first.'), callTool('exec_command', { cmd: 'echo ours; exit 3' })] }),
      answer({ items: [say('One.')] }),
      answer({ items: [say('Two.')] }),
      answer({ items: [callTool('exec_command', { cmd: 'echo theirs' })] }),
      answer({ items: [say('Three.')] }),
      answer({ items: [say('Four.')] }),
    ]);
    const id = threadOf(await runCapstan(place, 'first words'));
    await runCapstan(place, '-s', 'read-only', 'resume', id, 'second words');
    const ours = storedItems(place);
    expect(ours).toEqual([...inputOf(model, 2), expect.objectContaining({ role: 'assistant', id: 'msg_2' })]);

    const codex = await runCodex(place, 'resume', id, 'third words');
    expect([codex.code, codex.events.at(-1)?.['type']], codex.stderr).toEqual([0, 'turn.completed']);
    expect(threadOf(codex)).toBe(id);
    expect(codex.events.at(-1)).toMatchObject({ usage: { input_tokens: 500, output_tokens: 50 } });
    const { instructions, history } = codexInput(model, 3);
    expect(instructions).toBe(model.requests[0]!.body['instructions']);
    expect(history.slice(0, ours.length).map(withoutNullContent)).toEqual(ours.map(withoutNullContent));
    const added = history.slice(ours.length);
    expect(new Set(added.map(({ type, role }) => `${String(type)} ${String(role)}`))).toEqual(
      new Set(['message developer', 'message user']),
    );
    expect(textsOf(added).at(-1)).toBe('third words');
    // Codex takes the recorded baseline for proven: it tells what is new to it and not again where the model works.
    expect(textsOf(added).join('\n')).toContain('<filesystem>');
    expect(textsOf(added).join('\n')).not.toContain('<cwd>');

    const known = [...codexInput(model, 4).history, storedItems(place).at(-1)!];
    const again = await runCapstan(place, 'resume', id, 'fourth words');
    expect([again.code, again.events.at(-1)?.['type']], again.stderr).toEqual([0, 'turn.completed']);
    expect(again.events.at(-1)).toMatchObject({ usage: { input_tokens: 600, output_tokens: 60 } });
    const input = inputOf(model, 5);
    expect(input.slice(0, known.length)).toEqual(known.map(withoutNullContent));
    // Texts in the words of Codex prove nothing to us: our sections are told in full.
    expect(textsOf(input.slice(known.length))).toEqual([
      expect.stringMatching(/^<permissions instructions>\nSandbox: workspace-write\./),
      // Codex puts skills of its own into the home that both share.
      expect.stringMatching(/^<skills_instructions>\n## Skills\n/),
      expect.stringMatching(/^<environment_context>\n {2}<cwd>.*<shell>.*<current_date>.*<timezone>.*\n<\/env/s),
      'fourth words',
    ]);
    expect(model.requests[5]!.body['instructions']).toBe(model.requests[0]!.body['instructions']);
    expect(new Set(model.requests.map(({ body }) => body['prompt_cache_key']))).toEqual(new Set([id]));
    expect(place.lines().map(({ ordinal }) => ordinal)).toEqual(place.lines().map((_, index) => index));
  });

  it('has AGENTS.md told once, by the program that noticed it', async () => {
    const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
    const tellings = (text: string) =>
      textsOf(inputOf(model, model.requests.length - 1)).filter((told) => told.includes(text)).length;
    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use tabs.');
    const id = threadOf(await runCapstan(place, 'one'));
    await runCodex(place, 'resume', id, 'two');
    expect(tellings('Use tabs.')).toBe(1);
    await runCapstan(place, 'resume', id, 'three');
    expect(tellings('Use tabs.')).toBe(1);

    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use spaces.');
    await runCodex(place, 'resume', id, 'four');
    expect(tellings('Use spaces.')).toBe(1);
    await runCapstan(place, 'resume', id, 'five');
    expect(tellings('Use spaces.')).toBe(1);

    writeFileSync(join(place.workspace, 'AGENTS.md'), 'Use both.');
    await runCapstan(place, 'resume', id, 'six');
    await runCodex(place, 'resume', id, 'seven');
    expect([tellings('Use both.'), tellings('Use spaces.'), tellings('Use tabs.')]).toEqual([1, 1, 1]);
  });

  it('can be forked by Codex', async () => {
    const { model, place } = await scene(() => answer({ items: [say('Yes.')] }));
    const id = threadOf(await runCapstan(place, 'one'));
    const ours = storedItems(place);
    const fork = await runCodex(place, 'fork', id, 'two');
    expect([fork.code, fork.events.at(-1)?.['type']], fork.stderr).toEqual([0, 'turn.completed']);
    expect(threadOf(fork)).not.toBe(id);
    expect(codexInput(model, 1).history.slice(0, ours.length)).toEqual(ours);
  });
});
