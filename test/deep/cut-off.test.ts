import { describe, expect, it, vi } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { listProcesses, ownSeconds, processesWith } from '../harness/process-table.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

const waiting = { timeout: 20_000, interval: 10 };

function callLines(lines: readonly Line[]): readonly Line['payload'][] {
  return lines.filter(({ type }) => type === 'capstan_call').map(({ payload }) => payload);
}

function scriptOf(command: string) {
  return [
    answer({ items: [callTool('exec_command', { cmd: command }, 'call_x')] }),
    answer({ items: [say('I see.')] }),
  ];
}

describe.runIf(process.platform === 'linux')('a turn that was cut off by a kill', () => {
  it.each(['workspace-write', 'danger-full-access'])(
    '%s: its command dies too, and resume shows both',
    async (mode) => {
      const seconds = ownSeconds(mode === 'workspace-write' ? 82_031 : 82_032);
      const command = `sleep ${seconds} & sleep ${seconds}`;
      const { model, place } = await scene(scriptOf(command));
      const victim = place.start(['exec', '--json', '-s', mode, 'go']);
      await vi.waitUntil(() => processesWith(`sleep\0${seconds}`).length === 2, waiting);
      // The line with the process is written while the command takes its time.
      await vi.waitUntil(() => callLines(place.lines()).length === 2, waiting);
      victim.child.kill('SIGKILL');
      const id = threadId(await victim.finished);
      await vi.waitUntil(() => processesWith(seconds).length === 0, waiting);
      // Without a prompt there is nothing to resume, and the user reads why.
      const shown = await place.run('threads', 'show', id);
      const resumed = await place.run('exec', 'resume', id);
      for (const text of [shown.stdout, resumed.stderr].map((each) => each.replaceAll(/\s+/g, ' '))) {
        expect(text).toContain('was cut off: Capstan was killed or crashed. Running at that moment, outcome unknown:');
      }
      expect(shown.stdout).toContain(`$ ${command}  [not finished]`);
      expect(resumed.stderr).toContain('There is nothing to answer');
      const turn = place.lines().find(({ payload }) => payload['type'] === 'task_started')!.payload['turn_id'];
      const item = {
        type: 'CommandExecution',
        id: 'call_x',
        command: [expect.stringMatching(/sh$/) as string, '-c', command],
        cwd: `file://${place.workspace}`,
        parsed_cmd: [{ type: 'unknown', cmd: command }],
        source: 'agent',
        status: 'failed',
      };
      expect(callLines(place.lines())).toEqual([
        {
          thread_id: id,
          turn_id: turn,
          call_id: 'call_x',
          tool: 'exec_command',
          started_at_ms: expect.any(Number) as number,
          item,
        },
        {
          turn_id: turn,
          call_id: 'call_x',
          process: {
            pid: expect.any(Number) as number,
            started_at: expect.any(String) as string,
            mark: expect.any(String) as string,
          },
          seal: expect.any(String) as string,
        },
      ]);

      const run = await place.run('exec', '--json', 'resume', id, 'what happened?');
      expect([run.code, run.events.at(-1)?.['type']], run.stderr).toEqual([0, 'turn.completed']);
      expect(run.stderr).toContain(
        `The last turn of thread ${id} was cut off: Capstan was killed or crashed. Running at that moment, outcome unknown: exec_command \`${command}\`.`,
      );
      const records = place.lines().filter(({ payload }) => payload['type'] === 'item_completed');
      expect(records.map(({ payload }) => payload['item'])).toContainEqual(item);
      expect(
        records.find(({ payload }) => (payload['item'] as { id: string }).id === 'call_x')?.payload['turn_id'],
      ).toBe(turn);
      expect(textsOf(inputOf(model, 1))).toContain(
        'Outcome unknown: the program ended while this call was under way. It may have been done in part, wholly or not at all, and it has not been repeated.',
      );
    },
  );

  it('and whose command survived: resume ends it, and tells the user and the model', async () => {
    const seconds = ownSeconds(82_033);
    const { model, place } = await scene(scriptOf(`setsid sleep ${seconds} & sleep ${seconds}`));
    const victim = place.start(['exec', '--json', '-s', 'danger-full-access', 'go']);
    await vi.waitUntil(() => processesWith(`sleep\0${seconds}`).length === 2, waiting);
    await vi.waitUntil(() => callLines(place.lines()).length === 2, waiting);
    // No process is left that could end the command.
    const wardens = listProcesses().filter(
      ({ parent, words }) => parent === victim.child.pid && words.includes('capstan-warden'),
    );
    expect(wardens).toHaveLength(1);
    for (const { pid } of wardens) process.kill(pid, 'SIGKILL');
    victim.child.kill('SIGKILL');
    const id = threadId(await victim.finished);
    expect(processesWith(`sleep\0${seconds}`)).toHaveLength(2);

    const run = await place.run('exec', '--json', 'resume', id, 'what happened?');
    expect(processesWith(seconds)).toEqual([]);
    expect(run.events.filter(({ type }) => type === 'item.completed').map(({ item }) => item)).toContainEqual({
      id: 'item_0',
      type: 'error',
      message: expect.stringMatching(
        /^A command from the turn that was cut off was still running \(process \d+\)\. Capstan killed it\./,
      ) as string,
    });
    expect(textsOf(inputOf(model, 1))).toContain(
      'Outcome unknown: the program ended while this call was under way. Its process was still running when the thread was taken up again, and was ended then. It may have been done in part, wholly or not at all, and it has not been repeated.',
    );
  });
});
