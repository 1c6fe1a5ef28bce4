import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, callTool, cutAfter, httpError, say, type Script } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { openIn } from './tui-scene.ts';

const done = (text: string) => answer({ items: [say(text)], deltas: true });
const refused = (status: number, error: object, headers = {}) =>
  httpError({ status, headers, body: JSON.stringify({ error }) });
const key = refused(401, { message: 'Incorrect API key.' });

async function impatient(script: Script, retries: number | 'usual' = 0, more = '') {
  const built = await scene(script, 'approval_policy = "on-request"');
  const limits = `request_max_retries = ${retries}\nstream_max_retries = ${retries}\n`;
  const lines = `${retries === 'usual' ? '' : limits}${more}`;
  appendFileSync(`${built.place.home}/config.toml`, lines);
  const opened = await openIn(built, { kind: 'new' });
  await opened.sees('Context');
  return opened;
}

describe('a turn that fails', () => {
  it('is not tried again by itself where that cannot help, and leaves the command that continues it', async () => {
    const invalid = refused(400, { message: "Invalid value: 'x'.", type: 'invalid_request_error', param: null });
    const { sees, say: tell, terminal, leave, model } = await impatient([key, invalid], 'usual');
    tell('Go.');
    await sees('r tries again');
    expect(model.requests).toHaveLength(1);
    terminal.type('r');
    const rows = (await sees(/status 401[^]*status 400[^]*r tries again/)).join('\n');
    expect(rows).toContain(
      "■ The provider does not accept this request (status 400).\n  The provider says: Invalid value: 'x'.",
    );
    expect(rows).not.toMatch(/[{}]|param/);
    expect(model.requests).toHaveLength(2);
    expect((await leave()).slice(-2)).toEqual(['', expect.stringMatching(/^To continue: capstan resume [\w-]{36}$/)]);
  });

  it('says why in our words, r goes on without saying the words again, and Up brings them back', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await impatient([
      answer({ items: [callTool('exec_command', { cmd: 'echo hi' })] }),
      key,
      key,
      done('At last.'),
    ]);
    tell('Go.');
    const rows = (await sees('r tries again, up brings the message back')).join('\n');
    expect(rows).toContain(
      '■ The provider does not accept the key (status 401).\n  The provider says: Incorrect API key.',
    );
    terminal.type('r');
    await model.request(2);
    await sees(/■[^]*■[^]*r tries again/);
    terminal.type('\u001B[A');
    await sees('› Go.\n\n  gpt');
    terminal.type('\u0003');
    await sees('Ask Capstan');
    terminal.type('r');
    const after = (await sees('• At last.')).join('\n');
    expect(after).not.toContain('r tries again');
    expect(textsOf(inputOf(model, 3)).filter((text) => text === 'Go.')).toHaveLength(1);
    terminal.type('r');
    await sees('› r\n');
  });

  it('counts down to the time when a limit opens', async () => {
    const resets_at = Math.floor(Date.now() / 1000) + 3700;
    const { sees, say: tell } = await impatient([
      refused(429, { message: 'Spent.', type: 'usage_limit_reached', resets_at }),
    ]);
    tell('Go.');
    const left = async (): Promise<string> =>
      /may work in 1h 01m (\d\ds)/.exec((await sees('may work in 1h 01m')).join('\n'))![1]!;
    const first = await left();
    await expect.poll(left).not.toBe(first);
    expect((await left()) < first).toBe(true);
    const rows = (await sees('■ This account')).join('\n');
    expect(rows).toContain('■ This account has reached its usage limit (status 429).\n  The provider says: Spent.');
    expect(rows).not.toMatch(/[{}]|resets_at/);
  });

  it('holds the queue where the next turn would fail in the same way', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await impatient([
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] }),
      key,
      done('Now.'),
      done('From the queue.'),
    ]);
    tell('Go.');
    await sees('Running sleep');
    terminal.type('Queued.\t');
    await sees('↳ Queued.');
    await sees('the queue waits');
    expect(model.requests).toHaveLength(2);
    terminal.type('r');
    await sees('• From the queue.');
    expect(textsOf(inputOf(model, 3)).at(-1)).toBe('Queued.');
  });

  it('holds the queue also where only the second attempt fails so, until a turn does not', async () => {
    const {
      sees,
      say: tell,
      terminal,
      model,
    } = await impatient([
      refused(500, { message: 'Out of order.' }),
      answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] }),
      key,
      done('Now.'),
      done('From the queue.'),
    ]);
    tell('Go.');
    await sees('r tries again');
    terminal.type('r');
    await sees('Running sleep');
    terminal.type('Queued.\t');
    await sees('the queue waits');
    // A view that the user closes is no reason to send it.
    tell('/theme');
    await sees('Esc restores');
    terminal.type('\u001B');
    await sees('Ask Capstan');
    tell('Again.');
    await sees('• From the queue.');
    expect(textsOf(inputOf(model, 3)).at(-1)).toBe('Again.');
    expect(textsOf(inputOf(model, 4)).at(-1)).toBe('Queued.');
  });

  it('is tried again in the row above the composer; a quiet line says it when that has helped', async () => {
    const { sees, say: tell } = await impatient(
      [
        cutAfter({ bytes: 100, of: answer({ items: [say('never')] }) }),
        answer({ items: [callTool('exec_command', { cmd: 'sleep 1' })] }),
        done('Recovered.'),
      ],
      3,
    );
    tell('Go.');
    const retried = (await sees(/Reconnecting, 1 of \d+ \(.*\n {2}└ The connection ended before/)).join('\n');
    expect(retried).not.toContain('Sent again');
    await sees('Working (');
    const rows = (await sees('• Recovered.')).join('\n');
    expect(rows).not.toMatch(/Reconnecting|■/);
    expect(rows.match(/Sent again: The connection ended before/g)).toHaveLength(1);
    expect(rows).not.toMatch(/\d of \d/);
  });

  it('counts its tries on, whether the provider refuses a request or breaks off an answer', async () => {
    const busy = refused(503, { message: 'Busy.' });
    const { sees, say: tell, model } = await impatient(() => busy, 1);
    tell('Go.');
    await sees('Trying again, 3 of 3 (');
    await sees('r tries again');
    expect(model.requests).toHaveLength(4);
  });

  it('before any answer it is shown in the same way', async () => {
    const down = refused(503, { message: 'Down.' }, { 'retry-after': '1' });
    const { sees, say: tell } = await impatient([down, down, done('Back.')], 3);
    tell('Go.');
    await sees(/Trying again, 1 of \d+ \(.*\n {2}└ .*status 503/);
    await sees(/Trying again, 2 of \d+ \(/);
    const rows = (await sees('• Back.')).join('\n');
    expect(rows).not.toMatch(/Trying again,|■/);
    expect(rows.match(/Sent again 2 times/g)).toHaveLength(1);
  });

  it('that another model continues is one quiet line, and what waits stays', async () => {
    const { sees, say: tell } = await impatient(
      [refused(429, { message: 'Spent.', type: 'usage_limit_reached' }), done('From the other.')],
      0,
      '\n[model_fallback]\nmodel = "gpt-5.5-mini"\n',
    );
    tell('Go.');
    const rows = (await sees('• From the other.')).join('\n');
    expect(rows).toContain('gpt-5.5-mini continues: This account has reached its usage limit (status 429).');
    expect(rows).not.toMatch(/■|⚠|cannot answer/);
  });
});
