import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadEvent } from '@openai/codex-sdk';
import { describe, expect, it } from 'vitest';
import { answer, cutAfter, failed, httpError, incomplete, say, type Script } from '../../../src/testing/index.ts';
import { kindsOf } from './kinds-of.ts';
import { programs, stage } from './stage.ts';
import { usageOf } from './usage-of.ts';

const ok = answer({ items: [say('ok')] });
const refusal = (status: number) => httpError({ status, body: { error: { message: 'the words of the provider' } } });
const always = <Step>(step: Step) => Array.from({ length: 8 }, () => step);

/** Turns that fail, and what the error of each program says. */
const failures: Readonly<Record<string, { script: Script; capstan: string; codex: string }>> = {
  'a request that is refused': {
    script: [refusal(400)],
    capstan: 'The provider answered with status 400: the words of the provider. Check the model name',
    codex: 'the words of the provider',
  },
  'a provider that is down': {
    script: always(refusal(500)),
    capstan: 'status 500',
    codex: 'high demand',
  },
  'a stream that breaks every time': {
    script: always(cutAfter({ bytes: 200, of: ok })),
    capstan: 'stream disconnected before completion: The connection ended before the answer was complete',
    codex: 'stream disconnected before completion:',
  },
  'a stream that fails every time': {
    script: always(failed({ code: 'server_error', message: 'out of order' })),
    capstan: 'out of order',
    codex: 'out of order',
  },
  'a history that is too long': {
    script: always(failed({ code: 'context_length_exceeded', message: 'too long' })),
    capstan: 'too long. The request had about',
    codex: 'window',
  },
  'an answer that is cut short': {
    script: [incomplete({ reason: 'max_output_tokens', items: [say('Hel')] })],
    capstan: 'max_output_tokens',
    codex: 'max_output_tokens',
  },
};

describe('a turn that fails', () => {
  it('and that another model continues: run gives the answer of that', async () => {
    const noCredit = httpError({ status: 429, body: { error: { message: 'no quota', code: 'insufficient_quota' } } });
    const { place, start } = await stage('capstan', [noCredit, ok]);
    const path = join(place.home, 'config.toml');
    writeFileSync(path, `model_fallback = "gpt-5.4"\n${readFileSync(path, 'utf8')}`);
    expect(await start().run('Go.')).toMatchObject({ finalResponse: 'ok' });
  });

  it.each(Object.entries(failures))('%s: run throws what the program says', async (_, { script, ...says }) => {
    const requests = programs.map(async (program) => {
      const { model, start } = await stage(program, script);
      await expect(start().run('Go.')).rejects.toThrow(says[program]);
      return model.requests.length;
    });
    const [ours, theirs] = await Promise.all(requests);
    expect(ours).toBe(theirs);
  });

  it.each(programs)('%s: leaves a thread that can go on', async (program) => {
    const { start } = await stage(program, [refusal(400), ok]);
    const thread = start();
    await expect(thread.run('One.')).rejects.toThrow('the words of the provider');
    expect(thread.id).not.toBeNull();
    expect(await thread.run('Two.')).toMatchObject({ finalResponse: 'ok', usage: usageOf(1) });
  });

  it.each(programs)(
    '%s: runStreamed gives the failure as an event, and throws when the program has ended',
    async (program) => {
      const { start } = await stage(program, [refusal(400)]);
      const { events } = await start().runStreamed('Go.');
      const seen: ThreadEvent[] = [];
      const whole = (async () => {
        for await (const event of events) seen.push(event);
      })();
      await expect(whole).rejects.toThrow('Codex Exec exited with code 1');
      expect(kindsOf(seen)).toEqual(['thread.started', 'turn.started', 'error', 'turn.failed']);
    },
  );

  it.each(programs)('%s: a failure that passes is an event, and no error', async (program) => {
    const { model, start } = await stage(program, [cutAfter({ bytes: 200, of: ok }), ok]);
    const { events } = await start().runStreamed('Go.');
    const kinds = kindsOf(await Array.fromAsync(events));
    expect(kinds).toEqual([
      'thread.started',
      'turn.started',
      'error',
      'item.completed agent_message',
      'turn.completed',
    ]);
    expect(model.requests).toHaveLength(2);
  });
});

describe('a turn that cannot begin', () => {
  it.each(programs)('%s: an id that no thread has', async (program) => {
    const { model, place, codex } = await stage(program, []);
    const id = '01a1dcd3-eee5-7d53-9563-298808fb6396';
    const thread = codex().resumeThread(id, { workingDirectory: place.workspace });
    await expect(thread.run('Go.')).rejects.toThrow(new RegExp(`exited with code 1: .*no .*${id}`, 's'));
    expect([model.requests, place.rollouts()]).toEqual([[], []]);
  });

  it('a name that no thread has, for which Codex starts a new one', async () => {
    const ends = programs.map(async (program) => {
      const { model, place, codex } = await stage(program, [ok]);
      const thread = codex().resumeThread('my thread', { workingDirectory: place.workspace });
      const end = await thread.run('Go.').then(
        ({ finalResponse }) => finalResponse,
        (error: Error) => error.message.split('\n')[0],
      );
      return [end, model.requests.length, place.rollouts().length];
    });
    expect(await Promise.all(ends)).toEqual([
      [expect.stringMatching('exited with code 1: capstan: No thread is named "my thread"'), 0, 0],
      ['ok', 1, 1],
    ]);
  });

  it.each(programs)('%s: a value that the configuration does not take', async (program) => {
    const { model, place, codex } = await stage(program, []);
    const thread = codex({ config: { sandbox_mode: 'open' } }).startThread({ workingDirectory: place.workspace });
    await expect(thread.run('Go.')).rejects.toThrow(/exited with code 1: .*sandbox_mode/s);
    expect(model.requests).toEqual([]);
  });

  it.each(programs)('%s: a configuration file that is not TOML', async (program) => {
    const { place, start } = await stage(program, []);
    appendFileSync(join(place.home, 'config.toml'), '\nnot = = toml\n');
    await expect(start().run('Go.')).rejects.toThrow(/exited with code 1: .*config\.toml/s);
  });

  it.each(programs)('%s: a sandbox that there is not', async (program) => {
    const { start } = await stage(program, []);
    await expect(start({ sandboxMode: 'open' as never }).run('Go.')).rejects.toThrow(
      /exited with code 2: .*--sandbox/s,
    );
  });

  it('a permission profile that is not understood', async () => {
    const { place, codex } = await stage('capstan', []);
    const configOverrides = ['default_permissions="audit"', 'permissions.audit.filesystem={"relative"="read"}'];
    const thread = codex({ configOverrides }).startThread({ workingDirectory: place.workspace });
    await expect(thread.run('Go.')).rejects.toThrow(/exited with code 1: .*permissions\.audit\.filesystem/s);
  });

  it('a command that is not there, or is not a program', async () => {
    const { place, codex } = await stage('capstan', []);
    const gone = codex({ codexPathOverride: join(place.root, 'gone') }).startThread();
    await expect(gone.run('Go.')).rejects.toMatchObject({ code: 'ENOENT' });
    const path = join(place.root, 'text');
    writeFileSync(path, 'text');
    chmodSync(path, 0o644);
    await expect(codex({ codexPathOverride: path }).startThread().run('Go.')).rejects.toMatchObject({ code: 'EACCES' });
  });
});
