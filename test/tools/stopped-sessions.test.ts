import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText, saysCheckpoint } from '../compaction/summariser.ts';
import { long } from '../compaction/talk.ts';
import { withoutSandbox } from '../harness/scene.ts';
import { toldScene } from '../harness/told-scene.ts';

type Scene = Awaited<ReturnType<typeof toldScene>>;

const start = (cmd: string, more: object = {}) => callTool('exec_command', { cmd, yield_time_ms: 250, ...more });
const look = (id: number, more: object = {}) => callTool('write_stdin', { session_id: id, ...more });

async function sessionOf(scene: Scene, cmd: string, more: object = {}): Promise<number> {
  const [answered = ''] = await scene.calls(start(cmd, more));
  return Number(/^Process running with session ID (\d+)$/m.exec(answered)?.[1]);
}

const about = (scene: Scene): readonly string[] =>
  scene.texts().filter((text) => text.startsWith('<sessions_ended>') || text.startsWith('<command_sessions>'));

const ended = (id: number, command: string): string =>
  `<sessions_ended>\nThe user ended these command sessions; what they had not told you is lost:\n${id}: "${command}"\n</sessions_ended>`;

async function compact(scene: Scene): Promise<void> {
  scene.live.model.push(saysCheckpoint(checkpointText('go', ['go'])));
  const { kind } = await scene.live.thread.compact({ signal: new AbortController().signal });
  expect(kind).toBe('installed');
}

describe('a session that the user ended', () => {
  test('stands once in a request, the next one', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'sleep 74001');
    await scene.live.thread.endSessions([id]);
    await scene.calls();
    await scene.calls();
    expect(about(scene)).toEqual([ended(id, 'sleep 74001')]);
    expect(scene.live.thread.state.sessions).toEqual([]);
  });

  test('stands in the next request of the turn that runs', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const { live } = scene;
    const id = await sessionOf(scene, 'sleep 74002');
    live.model.push(async () => {
      await live.thread.endSessions([id]);
      return answer({ items: [callTool('exec_command', { cmd: 'true' })] });
    });
    live.model.push(answer({ items: [say('Done.')] }));
    await live.turn('go');
    expect(about(scene)).toEqual([ended(id, 'sleep 74002')]);
  });

  test('is not told again where the answer of a call said it', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'sleep 74003');
    const { live } = scene;
    live.model.push(async () => {
      await live.thread.endSessions([id]);
      return answer({ items: [look(id)] });
    });
    live.model.push(answer({ items: [say('Done.')] }));
    await live.turn('go');
    expect(scene.texts().join('\n')).toContain(`Session ${id} was ended by the user.`);
    await scene.calls();
    expect(about(scene)).toEqual([]);
  });

  test('whose end a call waits for is ended by the user in its answer', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'read -r; touch began; sleep 74004', { stdin: true });
    const { live } = scene;
    const answering = scene.calls(look(id, { chars: '\n', yield_time_ms: 60_000 }));
    // The call that wrote the line waits by then.
    await vi.waitUntil(() => existsSync(join(live.place.workspace, 'began')), { timeout: 20_000 });
    await live.thread.endSessions([id]);
    const [answered] = await answering;
    expect(answered).toContain('Process killed: aborted by user');
    await scene.calls();
    expect(about(scene)).toEqual([]);
  });

  test('is in no list of a checkpoint that comes later, and leaves that of one before', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const [first, second] = [await sessionOf(scene, 'sleep 74005'), await sessionOf(scene, 'sleep 74006')];
    scene.live.model.push(answer({ items: [say(long)], usage: 'none' }));
    await scene.live.turn('Say much.');
    await scene.live.thread.endSessions([first]);
    await compact(scene);
    await scene.calls();
    expect(about(scene).join('\n')).toContain(`${second}: "sleep 74006"`);
    expect(about(scene).join('\n')).not.toContain(String(first));
    await scene.live.thread.endSessions([second]);
    await scene.calls();
    expect(about(scene).slice(1)).toEqual([
      ended(second, 'sleep 74006'),
      '<command_sessions>\nThe sessions listed before have ended.\n</command_sessions>',
    ]);
  });

  test('stands in a request of another process, if the one that ended it sent none', async () => {
    const scene = await toldScene({ config: withoutSandbox });
    const id = await sessionOf(scene, 'sleep 74007');
    await scene.live.thread.endSessions([id]);
    await scene.live.open();
    await scene.calls();
    expect(about(scene)).toEqual([ended(id, 'sleep 74007')]);
  });
});
