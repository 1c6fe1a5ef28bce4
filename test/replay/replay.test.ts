import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, cutAfter, reason, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { liveScene } from '../live/live-scene.ts';

interface Row extends JsonObject {
  readonly number: number;
  readonly result: string;
}

/** A thread of two turns, five requests and two processes. */
async function twoTurns(): Promise<LiveThread> {
  const live = await LiveThread.in([
    answer({ items: [reason('Look.'), callTool('exec_command', { cmd: 'echo one' })] }),
    cutAfter({ bytes: 100, of: answer({ items: [say('Lost.')] }) }),
    answer({ items: [say('One. é')] }),
    answer({ items: [callTool('exec_command', { cmd: 'echo two' })] }),
    answer({ items: [say('Two.')] }),
    answer({ items: [say('Three.')] }),
  ]);
  await live.turn('first words', { outputSchema: { type: 'object' } });
  await live.open();
  await live.turn('second words');
  await live.close();
  return live;
}

async function replayed(live: LiveThread): Promise<{ code: number | null; report: JsonObject; rows: readonly Row[] }> {
  const id = String(live.place.lines()[0]!.payload['id']);
  const { code, stdout, stderr } = await live.place.run('replay', id, '--json');
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as JsonObject;
  return { code, report, rows: report['requests'] as unknown as readonly Row[] };
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('capstan replay', () => {
  it('rebuilds every request of a thread and proves it by the digest of what was sent', async () => {
    const live = await twoTurns();
    const { code, report, rows } = await replayed(live);
    const sent = live.model.requests.map(({ decodedBytes }) => decodedBytes);
    expect(sent).toHaveLength(5);
    expect({ code, counts: report['counts'] }).toEqual({
      code: 0,
      counts: { same: 5, different: 0, other_encoder: 0, tools_missing: 0, not_recorded: 0, inferred: 0 },
    });
    expect(rows.map(({ number, turn, step, bytes, sha256 }) => ({ number, turn, step, bytes, sha256 }))).toEqual(
      sent.map((body, index) => ({
        number: index + 1,
        turn: index < 3 ? 1 : 2,
        step: [0, 1, 1, 0, 1][index],
        bytes: body.length,
        sha256: digestOf(body),
      })),
    );
    expect(rows[1]).toMatchObject({
      model: 'gpt-5.5',
      encoder: 'responses/2',
      items: (rows[0]!['items'] as number) + 3,
    });

    const id = String(live.place.lines()[0]!.payload['id']);
    const printed = await live.place.run('replay', id.slice(0, 13), '--request', '4', '--print');
    expect(printed.stdout).toBe(sent[3]!.toString('utf8'));
    const table = await live.place.run('replay', '--last');
    expect(table.stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'request turn step items bytes result',
      ...rows.map(
        (row) => `${row.number} ${row['turn']} ${Number(row['step']) + 1} ${row['items']} ${row['bytes']} ok`,
      ),
      '',
      '5 of 5 requests rebuilt byte for byte.',
      '',
    ]);
  });

  it('writes each digest once, whatever process resumes the thread', async () => {
    const live = await twoTurns();
    const sent = live.place.lines().flatMap(({ type, payload }) => (type === 'capstan_sent' ? [payload] : []));
    expect(sent.map(({ items, from, digests }) => [items, from, String(digests).length / 8])).toEqual(
      sent.map(({ items }, index) => {
        const before = index === 0 ? 0 : Number(sent[index - 1]!['items']);
        return [items, before, Number(items) - before];
      }),
    );
  });

  it('names the item of which a character was changed, from the first request that held it', async () => {
    const live = await twoTurns();
    await live.rewrite((lines) => lines.map((line) => changed(line, 'One. é', 'One. e')));
    const { code, rows } = await replayed(live);
    const at = live.model.requests[3]!.body['input'] as unknown as readonly JsonObject[];
    const index = at.findIndex((item) => JSON.stringify(item).includes('One. é'));
    expect(code).toBe(1);
    expect(rows.map(({ result }) => result)).toEqual(['same', 'same', 'same', 'different', 'different']);
    expect(rows.slice(3).map(({ first }) => first)).toEqual(
      [3, 4].map(() => ({
        part: 'item',
        index,
        what: 'changed',
        id: at[index]!['id'],
        type: 'message',
        sentDigest: expect.stringMatching(/^[0-9a-f]{8}$/),
        digest: expect.stringMatching(/^[0-9a-f]{8}$/),
      })),
    );
    const table = await live.place.run('replay', '--last');
    expect(table.code).toBe(1);
    expect(table.stdout).toContain(`mismatch: item ${index} (message ${at[index]!['id']}) is not what was sent\n`);
    expect(table.stdout).toContain('3 of 5 requests rebuilt byte for byte; 2 not as sent.');
  });

  it('tells an item that is gone from one that was put in', async () => {
    const live = await twoTurns();
    const items = (lines: readonly Line[]) => lines.filter(({ type }) => type === 'response_item');
    const output = items(live.place.lines()).findIndex(({ payload }) => payload['type'] === 'function_call_output');
    const call = items(live.place.lines())[output - 1]!;
    const isPair = ({ payload }: Line): boolean => payload['call_id'] === call.payload['call_id'];
    const whole = live.place.lines();
    await live.rewrite((lines) => lines.filter((line) => !isPair(line)));
    expect((await replayed(live)).rows[1]).toMatchObject({
      result: 'different',
      first: { part: 'item', index: output - 1, what: 'missing' },
    });
    const reasoning = whole.findIndex(({ payload }) => payload['type'] === 'reasoning');
    await live.rewrite(() => whole.toSpliced(reasoning, 1));
    expect((await replayed(live)).rows[1]).toMatchObject({
      first: { part: 'item', index: output - 2, what: 'missing' },
    });
    const extra = { type: 'response_item', payload: { ...message('slipped in'), id: 'msg_extra' } };
    await live.rewrite(() => whole.toSpliced(reasoning, 0, extra as unknown as Line));
    expect((await replayed(live)).rows[1]).toMatchObject({
      first: { part: 'item', index: output - 2, what: 'added', id: 'msg_extra' },
    });
  });

  it('says that the tools of a request are lost, and neither takes them for none nor prints a body without them', async () => {
    const live = await twoTurns();
    const name = String(live.place.lines().find(({ type }) => type === 'capstan_tool_set')!.payload['name']);
    await live.rewrite((lines) => lines.filter(({ type }) => type !== 'capstan_tool_set'));
    const { code, report, rows } = await replayed(live);
    expect({ code, counts: report['counts'] }).toEqual({
      code: 1,
      counts: { same: 0, different: 0, other_encoder: 0, tools_missing: 5, not_recorded: 0, inferred: 0 },
    });
    expect(rows.map(({ result, tool_set: set, items, bytes }) => ({ result, set, items, bytes }))).toEqual(
      live.model.requests.map(({ body, decodedBytes }) => ({
        result: 'tools-missing',
        set: name,
        items: (body['input'] as unknown as readonly unknown[]).length,
        bytes: decodedBytes.length,
      })),
    );
    const table = await live.place.run('replay', '--last');
    expect([table.code, table.stdout]).toEqual([
      1,
      expect.stringContaining(`cannot be rebuilt: its tool list is missing (tool set ${name.slice(0, 8)})\n`),
    ]);
    expect(table.stdout).toContain('0 of 5 requests rebuilt byte for byte; 5 whose tool list is missing.');
    for (const words of [
      ['replay', '--last', '--request', '1', '--print'],
      ['context', '--request', '1', '--json'],
    ]) {
      const printed = await live.place.run(...words);
      expect([printed.code, printed.stdout]).toEqual([1, '']);
      expect(printed.stderr).toContain('The tool list of this request is missing');
    }
    for (const words of [['context', '--request', '1'], ['context']]) {
      const { code: shown, stdout } = await live.place.run(...words);
      expect([shown, stdout]).toEqual([0, expect.stringContaining('The tool list of this request is missing')]);
    }
    // The thread continues, offers its tools and writes them down again.
    await live.open();
    await live.turn('third words');
    await live.close();
    expect((await replayed(live)).rows.at(-1)).toMatchObject({ result: 'same', tool_set: name });
  });

  it('tells instructions, tools and options apart', async () => {
    const live = await twoTurns();
    const whole = live.place.lines();
    await live.rewrite(() =>
      whole.map((line) =>
        line.type === 'session_meta'
          ? { ...line, payload: { ...line.payload, base_instructions: { text: 'Be.' } } }
          : line,
      ),
    );
    expect((await replayed(live)).rows.map(({ first }) => first)).toEqual(
      [1, 2, 3, 4, 5].map(() => ({ part: 'instructions' })),
    );
    await live.rewrite(() =>
      whole.map((line) =>
        line.type === 'capstan_tool_set' ? { ...line, payload: { ...line.payload, tools: [] } } : line,
      ),
    );
    expect((await replayed(live)).rows[0]!['first']).toEqual({
      part: 'tools',
      toolSet: whole.find(({ type }) => type === 'capstan_tool_set')!.payload['name'],
    });
    const request = whole.findIndex(({ type }) => type === 'capstan_request');
    const options = { ...(whole[request]!.payload['options'] as JsonObject), effort: 'minimal' };
    await live.rewrite(() =>
      whole.with(request, { ...whole[request]!, payload: { ...whole[request]!.payload, options } }),
    );
    expect((await replayed(live)).rows.map(({ first }) => first)).toEqual([
      { part: 'options' },
      ...[2, 3, 4, 5].map(() => undefined),
    ]);
  });

  it('says which requests another encoder made, and which left no digest', async () => {
    const live = await twoTurns();
    await live.rewrite((lines) => {
      const first = lines.findIndex(({ type }) => type === 'capstan_request');
      const last = lines.findLastIndex(({ type }) => type === 'capstan_sent');
      const { payload } = lines[first]!;
      return lines
        .with(first, { ...lines[first]!, payload: { ...payload, encoder: 'responses/0' } })
        .toSpliced(last, 1);
    });
    const { code, rows } = await replayed(live);
    expect(code).toBe(0);
    expect(rows.map(({ result, bytes }) => [result, bytes])).toEqual([
      ['other-encoder', live.model.requests[0]!.decodedBytes.length],
      ...[1, 2, 3].map((index) => ['same', live.model.requests[index]!.decodedBytes.length]),
      ['not-recorded', live.model.requests[4]!.decodedBytes.length],
    ]);
    const { stdout } = await live.place.run('replay', '--last');
    expect(stdout).toContain('made by encoder responses/0, which this version does not have\n');
    expect(stdout).toContain(
      '3 of 5 requests rebuilt byte for byte; 1 made by an encoder that this version does not have; 1 without',
    );
    const printed = await live.place.run('replay', '--last', '--request', '1', '--print');
    expect([printed.code, printed.stdout]).toEqual([1, '']);
    expect(printed.stderr).toContain('responses/0');
  });

  it('continues after a checkpoint and after a rollback', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    await live.turn('first words');
    const event = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
    const compacted = { type: 'compacted', payload: { message: '', replacement_history: [message('in short')] } };
    await live.rewrite((lines) => [...lines, compacted]);
    await live.turn('second words');
    await live.turn('third words');
    await live.rewrite((lines) => [...lines, event]);
    await live.turn('fourth words');
    await live.close();
    const sent = live.place.lines().flatMap(({ type, payload }) => (type === 'capstan_sent' ? [payload] : []));
    // Nothing of the checkpoint was sent before; of the request after the rollback all but the words of its turn was.
    const [, second, third, fourth] = sent.map(({ items, from }) => ({ items: Number(items), from: Number(from) }));
    expect(second).toMatchObject({ from: 0 });
    expect(third).toMatchObject({ from: second!.items });
    expect(fourth!.from).toBe(second!.items + 1);
    expect((await replayed(live)).report['counts']).toMatchObject({ same: 4, different: 0, not_recorded: 0 });
  });

  it('counts the requests of a part that was taken back, and rebuilds them when asked', async () => {
    let answers = 0;
    const live = await LiveThread.in(() => answer({ items: [say(`Answer ${++answers}.`)] }));
    const { place } = live;
    const sent = (): readonly string[] => live.model.requests.map(({ decodedBytes }) => digestOf(decodedBytes));
    await live.turn('first words');
    await live.turn('second words');
    await live.turn('third words');
    await live.close();
    const id = live.id;
    const more = (count: number): string =>
      `${count} more ${count === 1 ? 'request was' : 'requests were'} taken back: capstan replay ${id} --taken-back`;
    expect((await place.run('replay', id)).stdout).not.toContain('taken back');
    await place.run('threads', 'rollback', id, '-n', '2');
    await live.turn('fourth words');
    await live.close();
    // A second one goes further back than the first: each request counts once.
    await place.run('threads', 'rollback', id, '-n', '2');
    await live.turn('fifth words');
    await live.close();
    const { code, report, rows } = await replayed(live);
    expect({ code, back: report['taken_back'], digests: rows.map(({ sha256 }) => sha256) }).toEqual({
      code: 0,
      back: 4,
      digests: [sent()[4]],
    });
    expect((await place.run('replay', id)).stdout).toContain(`1 of 1 request rebuilt byte for byte.\n${more(4)}\n`);
    expect((await place.run('context', id, '--request', '1')).stderr).toBe(`${more(4)}\n`);
    expect((await place.run('context', id, '--request', '2')).stderr).toContain(more(4));
    const back = JSON.parse((await place.run('replay', id, '--taken-back', '--json')).stdout) as JsonObject;
    const backRows = back['requests'] as unknown as readonly Row[];
    expect(backRows.map(({ number, result, sha256 }) => [number, result, sha256])).toEqual(
      [0, 1, 2, 3].map((at) => [at + 1, 'same', sent()[at]]),
    );
    const printed = await place.run('replay', id, '--taken-back', '--request', '4', '--print');
    expect(digestOf(Buffer.from(printed.stdout))).toBe(sent()[3]);
    // An undo brings back what the newest rollback took; what the first one took stays away.
    await place.run('threads', 'undo-rollback', id, '--force');
    expect((await replayed(live)).report).toMatchObject({ counts: { same: 2 }, taken_back: 3 });
  });

  it('goes on where a file that the thread left cannot be read', async () => {
    const { scene, threads, start } = await liveScene(() => answer({ items: [say('Done.')] }));
    const { place } = scene;
    const main = await start();
    const { id } = main;
    for (const text of ['one', 'two']) await main.submit({ input: words(text) });
    const left = await threads.whole(id, (stored) => stored.rollback(id, { turns: 1 }));
    await main.submit({ input: words('otherwise') });
    await threads.whole(id, (stored) => stored.undoRollback(id, { force: true }));
    await main.leave();
    const path = (left as { readonly location: string }).location;
    const lost = readFileSync(path, 'utf8').replace(
      /("history_base":\{[^}]*?"(?:rollout_id|thread_id|id)":")[0-9a-f-]{36}/,
      '$101a1ed11-0000-7000-8000-000000000000',
    );
    writeFileSync(path, lost);
    const uncounted = 'Requests that were taken back could not be counted: ';
    const plain = await place.run('replay', id);
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    expect(plain.stdout).toContain(`2 of 2 requests rebuilt byte for byte.\n${uncounted}`);
    const json = await place.run('replay', id, '--json');
    expect(JSON.parse(json.stdout)).not.toHaveProperty('taken_back');
    const shown = await place.run('context', id, '--request', '1');
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining(uncounted) });
    expect(await place.run('replay', id, '--taken-back')).toMatchObject({ code: 1, stdout: '' });
  });

  it('explains wrong usage and what is not there', async () => {
    const { place } = await LiveThread.in([]);
    for (const words of [[], ['--last']]) {
      expect(await place.run('replay', ...words)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no thread'),
      });
    }
    const unknown = await place.run('replay', '01a1dcd3-0000-7000-8000-000000000000');
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('01a1dcd3') });
    expect(await place.run('replay', 'x', '--print')).toMatchObject({ code: 2 });
  });
});

function changed(line: Line, from: string, to: string): Line {
  return line.type === 'response_item' ? (JSON.parse(JSON.stringify(line).replaceAll(from, to)) as Line) : line;
}

function message(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}
