import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callTool } from '../../src/testing/index.ts';
import { withoutSandbox } from '../harness/scene.ts';
import { toldScene } from '../harness/told-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

type Scene = Awaited<ReturnType<typeof toldScene>>;

const start = (cmd: string, more: object = {}) => callTool('exec_command', { cmd, yield_time_ms: 250, ...more });
const write = (id: number, chars: string, more: object = {}) =>
  callTool('write_stdin', { session_id: id, chars, yield_time_ms: 3000, ...more });

/** The session of the command. */
async function sessionOf(scene: Scene, cmd: string, more: object = {}): Promise<number> {
  const [answer = ''] = await scene.calls(start(cmd, more));
  const id = /^Process running with session ID (\d+)$/m.exec(answer)?.[1];
  if (id === undefined) throw new Error(answer);
  return Number(id);
}

/** The text below `Output:`. */
const outputIn = (answer: string | undefined): string => String(answer).split('\nOutput:\n')[1] ?? '';

describe('a session', () => {
  test('is a REPL that is driven over several calls and turns', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'python3 -q -i', { tty: true, yield_time_ms: 10_000 });
    const [first] = await scene.calls(write(id, 'x = 20 + 1\n'));
    const [second, third] = await scene.calls(write(id, 'x * 2\n'), write(id, 'exit(3)\n'));
    expect(first).toContain(`Process running with session ID ${id}`);
    expect(outputIn(second)).toContain('42');
    expect(third).toContain('Process exited with code 3');
    const [after] = await scene.calls(write(id, 'x\n'));
    expect(after).toBe(
      `Nothing was written: Session ${id} has ended, and an answer before said so. Start the command again with exec_command if you need it.`,
    );
    const items = scene.live.told('item-completed').filter(({ item }) => item.kind === 'command');
    expect(items.map(({ item }) => item)).toMatchObject([{ status: 'failed', exitCode: 3 }]);
  });

  test('has an input without a terminal, which ends', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'while read -r line; do echo "got $line"; done; echo over', { stdin: true });
    const answers = await scene.calls(write(id, 'a\nb\n', { yield_time_ms: 2000 }), write(id, '\u{4}'));
    expect(answers.map(outputIn)).toEqual(['got a\ngot b\n', 'over\n']);
    expect(answers[1]).toContain('Process exited with code 0');
  });

  test('without an input is interrupted, and not written to', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'sleep 1000');
    const [refused, interrupted] = await scene.calls(write(id, 'hello'), write(id, '\u{3}'));
    expect(refused).toContain(`the input of session ${id} is closed. It runs on.`);
    expect(interrupted).toContain('Process exited with code 130');
  });

  test('is polled over three turns, and its item has one end', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'for i in 1 2 3; do echo "round $i"; sleep 1; done');
    const seen: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const [answer] = await scene.calls(write(id, ''));
      seen.push(outputIn(answer));
    }
    expect(seen.join('')).toContain('round 3');
    const [last = ''] = await scene.calls(write(id, ''));
    expect(last).toMatch(/Process exited with code 0|has ended/);
    const { events } = scene.live;
    const ends = events.filter((event) => event.kind === 'item-completed' && event.item.kind === 'command');
    expect(ends).toMatchObject([{ item: { status: 'completed', exitCode: 0 } }]);
    const updated = events.find(({ kind }) => kind === 'item-updated');
    expect(updated).toMatchObject({ item: { kind: 'command', status: 'in-progress' } });
  });

  test.skipIf(noNamespaces)('that was cut can be read again, by commands too', async () => {
    const scene = await toldScene({});
    const script = 'seq 1 2000; sleep 1000';
    const [answer = ''] = await scene.calls(start(script, { max_output_tokens: 50 }));
    const log = /^Full output: (.+)$/m.exec(answer)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toContain('\n1000\n');
    const [read] = await scene.calls(start(`grep -x 1000 ${log}; echo changed > ${log}`));
    expect(outputIn(read)).toMatch(/^1000\n.*(?:Read-only|Permission|denied)/s);
  });
});
