import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import { answer, say } from '../../src/testing/index.ts';
import { says, saysLong, smallLimit, talk } from '../compaction/talk.ts';
import { hook, hookedScene, prints } from './hooked-scene.ts';

const done = answer({ items: [say('Done.')] });

it('a hook gets what other programs give it', async () => {
  const scene = await hookedScene([done], {});
  const { live, keeps, seen } = scene;
  scene.write({
    SessionStart: [hook(keeps('start.json'), { matcher: 'startup' })],
    UserPromptSubmit: [hook(keeps('prompt.json'))],
    Stop: [hook(keeps('stop.json'))],
    SessionEnd: [hook(keeps('end.json'))],
  });
  await live.turn('go');
  await live.close();
  const [path] = live.place.rollouts();
  const common = { session_id: live.id, transcript_path: path, cwd: live.place.workspace };
  const turn = {
    turn_id: live.told('turn-started')[0]?.turnId,
    model: expect.any(String),
    permission_mode: expect.any(String),
  };
  expect(seen('prompt.json')).toEqual([{ ...common, ...turn, hook_event_name: 'UserPromptSubmit', prompt: 'go' }]);
  const { turn_id: _id, ...known } = turn;
  expect(seen('start.json')).toEqual([{ ...common, ...known, hook_event_name: 'SessionStart', source: 'startup' }]);
  expect(seen('stop.json')).toEqual([
    { ...common, ...turn, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.' },
  ]);
  expect(seen('end.json')).toEqual([{ ...common, hook_event_name: 'SessionEnd', reason: 'other' }]);
});

it('context of the start stays after a resume, is not sent twice, and goes with its hook', async () => {
  const { live, write } = await hookedScene(() => done, {
    SessionStart: [hook('echo "The release is on."', { matcher: 'startup' })],
  });
  await live.turn('one');
  await live.turn('two');
  await live.open();
  await live.turn('three');
  expect(live.added(1).slice(1)).toEqual([['user', 'two']]);
  expect(live.added(2).slice(1)).toEqual([['user', 'three']]);
  write({});
  await live.open();
  await live.turn('four');
  expect(live.added(3).flat().join('\n')).toContain('The session context given before no longer holds');
});

it('context of the start returns after a checkpoint, and hooks run again for it', async () => {
  const { live } = await hookedScene(
    talk([saysLong(), says('Yes.')]),
    {
      SessionStart: [
        hook(`grep -q '"compact"' && echo "Compacted." || echo "Begun."`),
        hook('echo "Kept."', { matcher: 'startup' }),
      ],
    },
    { config: smallLimit },
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('one');
  await live.turn('two');
  const last = live
    .rows(live.model.requests.length - 1)
    .flat()
    .join('\n');
  expect(live.told('checkpoint-installed')).toHaveLength(1);
  expect([last.includes('Kept.'), last.includes('Compacted.')]).toEqual([true, true]);
});

it('a message that a hook blocks is never said; what the hook adds is', async () => {
  const block = { decision: 'block', reason: 'It has a secret.' };
  const more = { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Ask for less.' } };
  const { live, write } = await hookedScene([done], { UserPromptSubmit: [hook(prints({ ...block, ...more }))] });
  expect(await live.turn('secret')).toEqual({ kind: 'completed', endedBy: 'hook' });
  expect(live.model.requests).toHaveLength(0);
  expect(live.told('warning')).toMatchObject([{ outcome: { code: 'blocked-by-hook' } }]);
  // A script must not take it for success.
  const { code, stderr } = await live.place.run('exec', 'secret');
  expect([code, stderr.includes('A hook blocked the message: It has a secret.')]).toEqual([1, true]);
  expect(stderr).toContain('A hook ended the turn.');
  expect(stderr).not.toContain('The model ended the turn');
  write({});
  await live.open();
  await live.turn('two');
  const sent = live.rows(0).flat().join('\n');
  expect([sent.includes('secret'), sent.includes('Ask for less.'), sent.includes('two')]).toEqual([false, true, true]);
});

it('what is too long for the model goes into a file', async () => {
  const { live } = await hookedScene([done], { UserPromptSubmit: [hook('yes word | head -n 20000')] });
  await live.turn('go');
  const text = live.rows(0).at(-1)?.[1] ?? '';
  const path = /Full hook output saved to: (\S+)/.exec(text)?.[1] ?? '';
  expect(text.length).toBeLessThan(2600 * 4);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(20_000);
  // The file is where commands cannot write, and is removed with the thread.
  expect(path.startsWith(join(live.place.home, 'hook-outputs/thread-'))).toBe(true);
  await live.open();
  expect(existsSync(path)).toBe(false);
});

it('hooks that are not trusted do not run, and are named when a thread begins', async () => {
  const { live } = await hookedScene([done], { UserPromptSubmit: [hook('echo no')] }, { trust: false });
  await live.turn('go');
  expect(live.notices).toMatchObject([
    {
      code: 'hooks-untrusted',
      message: 'A hook does not run, because it was not trusted when Capstan started: "echo no" (UserPromptSubmit).',
    },
  ]);
  expect(live.rows(0).at(-1)).toEqual(['user', 'go']);
  expect(live.told('hook-completed')).toEqual([]);
});

it.each(['{', '[]', '{"hooks": 1}', '{"Stop": []}', '\0', '{"hooks": {"Stop": [{"matcher": "(a+)+"}], "Odd": []}}'])(
  'a file that makes no sense (%s) is named, and the thread begins',
  async (text) => {
    const { live } = await hookedScene([done], {});
    writeFileSync(join(live.place.home, 'hooks.json'), text);
    expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
    expect(live.notices.length).toBeGreaterThan(0);
  },
);

it('a program hears of each turn', async () => {
  const { live } = await hookedScene(
    [done],
    {},
    { config: 'notify = ["/bin/sh", "-c", "printf %s \\"$1\\" >told.json.part && mv told.json.part told.json", "x"]' },
  );
  await live.turn('go');
  const path = join(live.place.workspace, 'told.json');
  await expect.poll(() => existsSync(path)).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    type: 'agent-turn-complete',
    'thread-id': live.id,
    'input-messages': ['go'],
    'last-assistant-message': 'Done.',
  });
});

it('a program of notify that cannot be started is one notice', async () => {
  const { live } = await hookedScene([done, done], {}, { config: 'notify = ["/no/such/program"]' });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  await live.turn('again');
  const told = live.events.flatMap((event) =>
    event.kind === 'warning' ? [event.outcome.message] : event.kind === 'turn-completed' ? [event.kind] : [],
  );
  expect(told).toEqual([
    'The program of notify could not be started: /no/such/program',
    'turn-completed',
    'turn-completed',
  ]);
});

it('each session that starts ends once', async () => {
  const scene = await hookedScene(() => done, {});
  const { live, keeps, seen } = scene;
  scene.write({ SessionStart: [hook(keeps('all.json'))], SessionEnd: [hook(keeps('all.json'))] });
  await live.turn('one');
  await live.close();
  const engine = await live.engine();
  for (const text of ['two', 'three']) {
    const opened = await engine.resume(live.id, {});
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    await opened.thread.run({ input: words(text), signal: new AbortController().signal });
    await opened.thread.close();
  }
  const opened = await engine.resume(live.id, {});
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  await opened.thread.close();
  const told = seen('all.json').map(({ hook_event_name: name, source }) => source ?? name);
  expect(told).toEqual(['startup', 'SessionEnd', 'resume', 'SessionEnd', 'resume', 'SessionEnd']);
});

it('work on a thread as a whole neither ends its session nor starts another, and the end of the process ends it', async () => {
  const scene = await hookedScene(() => done, {});
  const { live, keeps, seen } = scene;
  scene.write({ SessionStart: [hook(keeps('all.json'))], SessionEnd: [hook(keeps('all.json'))] });
  const engine = await live.engine();
  const threads = liveThreads(engine);
  const thread = await threads.start({ cwd: live.place.workspace });
  if (thread.kind === 'refused') throw new Error(thread.outcome.message);
  await thread.submit({ input: words('one') });
  const pin = (): Promise<unknown> => threads.whole(thread.id, async () => 'done');
  await pin();
  await thread.submit({ input: words('two') });
  const told = () => seen('all.json').map(({ hook_event_name: name, source }) => source ?? name);
  expect(told()).toEqual(['startup']);
  // Nothing loads it from here on.
  await pin();
  await pin();
  await engine.close();
  expect(told()).toEqual(['startup', 'SessionEnd']);
});
