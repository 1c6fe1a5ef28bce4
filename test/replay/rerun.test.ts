import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, cutAfter, httpError, reason, say } from '../../src/testing/index.ts';
import { task, textOf, TwoProviders } from '../compaction/two-providers.ts';
import { formats } from '../formats/formats.ts';
import { LiveThread } from '../harness/live-thread.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

/** A thread of one turn: a call, an answer that breaks off, and an answer. More providers are at the same server. */
async function oneTurn(more = ''): Promise<LiveThread> {
  const live = await LiveThread.in([
    answer({ items: [reason('Look.'), say('First I look.'), callTool('exec_command', { cmd: 'echo one' })] }),
    cutAfter({ bytes: 100, of: answer({ items: [say('Lost.')] }) }),
    answer({ items: [say('Done then.')] }),
  ]);
  const path = join(live.place.home, 'config.toml');
  const others = ['chat', 'anthropic', 'responses'].map(
    (wire) =>
      `[model_providers.by-${wire}]\nname = "Other"\nbase_url = "${live.model.url}"\nwire_api = "${wire}"\nrequest_max_retries = 0\n`,
  );
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n${others.join('\n')}${more}`);
  await live.turn('first words');
  return live;
}

/** Every file of the home, with its bytes and the time of its last change. */
function filesIn({ home }: Place): readonly (readonly [string, string, number])[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, 'base64'), statSync(path).mtimeMs] as const);
}

async function rerun(live: LiveThread, ...words: readonly string[]) {
  const { code, stdout, stderr } = await live.place.run('rerun', live.id, '--json', ...words);
  expect(stderr).toBe('');
  return { code, shown: JSON.parse(stdout) as JsonObject };
}

const bodyOf = (live: LiveThread, request: number): JsonObject => live.model.requests[request]!.body;

describe('capstan rerun', () => {
  it('sends the exact request again, and neither runs a call nor touches the thread, which is open meanwhile', async () => {
    const live = await oneTurn();
    const before = filesIn(live.place);
    live.model.push(answer({ items: [say('Done now.'), callTool('exec_command', { cmd: 'touch ran' })] }));
    const { code, shown } = await rerun(live, '--step', '3');
    expect(code).toBe(0);
    const [sent, again] = [live.model.requests[2]!, live.model.requests[3]!];
    expect(again.bytes.equals(sent.bytes)).toBe(true);
    const named = ['session-id', 'thread-id', 'x-client-request-id'];
    expect(named.map((name) => again.headers[name])).toEqual(named.map((name) => sent.headers[name]));
    const usage = {
      input_tokens: 100,
      cached_input_tokens: 20,
      cache_write_input_tokens: 0,
      output_tokens: 10,
      reasoning_output_tokens: 3,
      total_tokens: 110,
    };
    const asked = { model: 'gpt-5.5', provider: 'scripted', usage, cost_usd: null };
    const times = { first_event_ms: expect.any(Number), answer_ms: expect.any(Number) };
    expect(shown).toEqual({
      thread_id: live.id,
      request: 3,
      turn: 1,
      step: 2,
      sent: { bytes: sent.bytes.length, encoder: 'responses/2', same_body: true },
      before: { ...asked, ...times, parts: [{ type: 'text', text: 'Done then.' }] },
      now: {
        ...asked,
        ...times,
        parts: [
          { type: 'text', text: 'Done now.' },
          { type: 'call', name: 'exec_command', arguments: '{"cmd":"touch ran"}' },
        ],
      },
    });
    expect(filesIn(live.place)).toEqual(before);
    expect(readdirSync(live.place.workspace)).not.toContain('ran');
    live.model.push(answer({ items: [say('More.')] }));
    expect((await live.turn('more words')).kind).toBe('completed');
    expect(JSON.stringify(bodyOf(live, 4))).not.toContain('Done now.');
  });

  it('shows both answers side by side, with tokens, times and what an earlier attempt came to', async () => {
    const live = await oneTurn();
    live.model.push(answer({ items: [say('Other words.')] }), answer({ items: [say('Whole.')] }));
    const first = await live.place.run('rerun', live.id, '--step', '1');
    const rows = first.stdout.split('\n').map((row) => row.trimEnd().split(/ *\| ?/));
    expect(rows[0]![0]).toMatch(/^request 1 · turn 1 · step 1 · [\d,]+ bytes, the same as then$/);
    expect(rows).toContainEqual(['then', 'now']);
    expect(rows).toContainEqual(['model  gpt-5.5 (scripted)', 'model  gpt-5.5 (scripted)']);
    expect(rows).toContainEqual(['tokens 100 in (20 cached), 10 out', 'tokens 100 in (20 cached), 10 out']);
    expect(rows).toContainEqual(['cost   unknown', 'cost   unknown']);
    expect(rows).toContainEqual(['Look.', 'Other words.']);
    expect(rows).toContainEqual(['First I look.', '']);
    expect(rows).toContainEqual(['call exec_command {"cmd":"echo one"}', '']);
    expect((await rerun(live, '--step', '2')).shown).toMatchObject({
      before: { parts: [], failure: { code: 'stream-cut' } },
      now: { parts: [{ type: 'text', text: 'Whole.' }] },
    });
  });

  it('says what both answers cost: then as recorded or else as prices are known now, now by the model that answers', async () => {
    const live = await oneTurn('[model_prices."scripted/cheap"]\ninput = 1.0\noutput = 5.0\n');
    // The price of then came after the turn.
    const path = join(live.place.home, 'config.toml');
    const dear = '[model_prices."scripted/gpt-5.5"]\ninput = 10.0\ncached_input = 1.0\noutput = 50.0\n';
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n${dear}`);
    live.model.push(answer({ items: [say('For less.')] }), answer({ items: [say('For less again.')] }));
    const { shown } = await rerun(live, '--step', '3', '--model', 'cheap');
    // 80 + 20 in, 10 out: 80 * 10 + 20 * 1 + 10 * 50 millionths, and 100 * 1 + 10 * 5.
    expect([shown['before'], shown['now']]).toMatchObject([{ cost_usd: 0.00132 }, { cost_usd: 0.00015 }]);
    expect(shown['now']).not.toHaveProperty(['usage', 'cost_nano_usd']);
    const { stdout } = await live.place.run('rerun', live.id, '--step', '3', '--model', 'cheap');
    const rows = stdout.split('\n').map((row) => row.trimEnd().split(/ *\| ?/));
    expect(rows).toContainEqual(['cost   $0.0013', 'cost   $0.00015']);
    expect(rows).toContainEqual(['tokens 100 in (20 cached), 10 out', 'tokens 100 in (20 cached), 10 out']);
  });

  it('asks another model under the settings that it has', async () => {
    const live = await oneTurn();
    live.model.push(answer({ items: [say('Smaller.')] }));
    const { shown } = await rerun(live, '--step', 'last', '--model', 'made-up');
    expect(shown).toMatchObject({ now: { model: 'made-up' }, sent: { same_body: false } });
    const { model: then, reasoning: _reasoning, text: _text, ...sent } = bodyOf(live, 2);
    const { model, reasoning, text, ...again } = bodyOf(live, 3);
    expect([then, model]).toEqual(['gpt-5.5', 'made-up']);
    // A model that no catalogue knows has no effort and no verbosity that could be sent.
    expect([reasoning, text]).toEqual([{}, undefined]);
    expect(again).toEqual(sent);
  });

  it.each(['responses', 'chat', 'anthropic'])('asks a provider of the format %s in its own words', async (wire) => {
    const live = await oneTurn();
    live.model.push(answer({ items: [say('From elsewhere.'), callTool('exec_command', { cmd: 'ls' })] }));
    const { code, shown } = await rerun(live, '--step', '3', '--provider', `by-${wire}`);
    expect(code).toBe(0);
    expect(shown['now']).toMatchObject({
      provider: `by-${wire}`,
      parts: [
        { type: 'text', text: 'From elsewhere.' },
        { type: 'call', name: 'exec_command', arguments: '{"cmd":"ls"}' },
      ],
    });
    const format = formats.find((each) => each.wire === wire)!;
    const said = format.said(bodyOf(live, 3)).filter(([who]) => who !== 'developer');
    const then = formats[0]!.said(bodyOf(live, 2)).filter(([who]) => who !== 'developer' && who !== 'thought');
    expect(said).toEqual(then);
    expect(format.broken?.(bodyOf(live, 3)) ?? []).toEqual([]);
    expect(JSON.stringify(bodyOf(live, 2))).toContain('encrypted_content');
    // Content that the first provider encrypted is for no other.
    const sealed = live.place.lines().find(({ payload }) => payload['type'] === 'reasoning')!.payload[
      'encrypted_content'
    ];
    expect(live.model.requests[3]!.bytes.toString()).not.toContain(String(sealed));
  });

  it('opens a checkpoint that the other provider cannot read, or sends nothing if there is nothing behind it', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.live.turn('And the tests.');
    await two.live.close();
    const words = ['--step', 'last', '--provider', 'scripted'];
    expect((await rerun(two.live, ...words)).code).toBe(0);
    const read = textsOf(inputOf(two.reader, 0));
    for (const text of [task, 'And the tests.']) expect(read.filter((each) => each === text)).toEqual([text]);
    expect(textOf(two.reader.requests[0]!)).not.toContain('of maker');
    // The one before was the request for the checkpoint.
    const beside = await two.live.place.run('rerun', two.live.id, '--step', '2');
    expect(beside.stderr).toContain('Request 2 is no step of the conversation: it made a checkpoint.');
    await two.forgetBehind();
    const refused = await two.live.place.run('rerun', two.live.id, ...words);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('"scripted" cannot read') });
    expect(two.reader.requests).toHaveLength(1);
  });

  it('sends nothing of a request that another program made', async () => {
    const live = await oneTurn();
    await live.rewrite((lines) =>
      lines
        .filter(({ type }) => !type.startsWith('capstan_'))
        .map(({ type, payload: { metadata: _metadata, ...payload } }) => ({ type, payload })),
    );
    const { code, stderr } = await live.place.run('rerun', live.id, '--step', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Another program made request 1')]);
    expect(live.model.requests).toHaveLength(3);
  });

  it('says which steps there are', async () => {
    const live = await oneTurn();
    const complaints = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await live.place.run('rerun', live.id, ...words);
      expect(stdout).toBe('');
      return [code, stderr];
    };
    expect(await complaints('--step', '4')).toEqual([
      1,
      `capstan: There is no step 4: the thread has made 3 requests.\n         Name one from 1 to 3, or last. \`capstan replay ${live.id}\` lists them.\n`,
    ]);
    expect(await complaints()).toEqual([2, expect.stringContaining('Which step should be sent again?')]);
    for (const odd of ['0', '-1', '1.5', 'first', '']) {
      expect(await complaints('--step', odd)).toEqual([2, expect.stringContaining('--step takes')]);
    }
    expect(await complaints('--step', '1', '--provider', 'nowhere')).toEqual([
      1,
      expect.stringContaining('There is no provider "nowhere".'),
    ]);
    expect(live.model.requests).toHaveLength(3);
  });

  it('does not send it to another address under the same name unless that is wanted', async () => {
    const live = await oneTurn();
    const elsewhere = await scene([answer({ items: [say('Over there.')] })]);
    const path = join(live.place.home, 'config.toml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(live.model.url, elsewhere.model.url));
    const { code, stderr } = await live.place.run('rerun', live.id, '--step', '3');
    expect([code, stderr]).toEqual([1, expect.stringContaining('which is now configured at')]);
    expect(elsewhere.model.requests).toEqual([]);
    expect((await rerun(live, '--step', '3', '--provider', 'scripted')).code).toBe(0);
    expect(elsewhere.model.requests).toHaveLength(1);
  });

  it('reports a model that refuses, without the key', async () => {
    const live = await oneTurn('\n[model_providers.keyed]\nname = "Keyed"\nbase_url = "URL"\nenv_key = "RERUN_KEY"\n');
    const path = join(live.place.home, 'config.toml');
    writeFileSync(path, readFileSync(path, 'utf8').replace('URL', live.model.url));
    live.model.push(httpError({ status: 401, body: { error: { message: 'Wrong key sk-rerun-1234567890.' } } }));
    const words = ['rerun', live.id, '--step', '1', '--provider', 'keyed'];
    const refused = await live.place.runWith({ env: { RERUN_KEY: 'sk-rerun-1234567890' } }, ...words);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('failed: unauthorized');
    expect(refused.stdout + refused.stderr).not.toContain('sk-rerun');
    const missing = await live.place.run(...words);
    expect(missing.stdout.replaceAll(/\s*\|?\s+/g, ' ')).toContain('There is no key for Keyed');
    expect(live.model.requests).toHaveLength(4);
  });
});
