import type { SettingsChange } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { type Outcome, words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const yes = () => answer({ items: [say('Yes.')] });
const modelsOf = ({ model }: LiveThread) => model.requests.map(({ body }) => body['model']);

describe('a change of settings', () => {
  it.skipIf(noNamespaces)('leaves the running turn alone and holds from the next one', async () => {
    const live = await LiveThread.in([
      async () => {
        const changed = await live.thread.overrideTurnContext({ model: 'gpt-5.4', sandbox: 'read-only' });
        expect(changed).toMatchObject({ kind: 'changed', changed: ['sandbox', 'model'] });
        return answer({ items: [callTool('exec_command', { cmd: 'echo x > file && echo written' })] });
      },
      yes(),
      yes(),
    ]);
    await live.turn('one');
    await live.turn('two');
    expect(modelsOf(live)).toEqual(['gpt-5.5', 'gpt-5.5', 'gpt-5.4']);
    expect(live.layout(1)).toEqual([
      ['call', 'exec_command'],
      ['output', expect.stringContaining('written')],
    ]);
    expect(live.layout(2)).toEqual([
      ['assistant', 'Yes.'],
      ['developer', 'model-switch'],
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('holds for a turn that is asked for after it, without waiting', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const change = live.thread.overrideTurnContext({ model: 'gpt-5.4' });
    await Promise.all([change, live.turn('one')]);
    expect(modelsOf(live)).toEqual(['gpt-5.4']);
  });

  it('comes with a turn, and stays; a refused one has no turn', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });
    expect(await live.thread.runWith({ model: 'gpt-5.4' }, turn('one'))).toMatchObject({ kind: 'completed' });
    expect(await live.thread.runWith({ model: 7 as never }, turn('two'))).toMatchObject({
      kind: 'refused',
      outcome: { code: 'option-wrong' },
    });
    await live.turn('three');
    expect(modelsOf(live)).toEqual(['gpt-5.4', 'gpt-5.4']);
    expect(live.rows(1).flat()).not.toContain('two');
  });

  it('says nothing to the model before there is a turn', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    const { length } = live.thread.state.history;
    await live.thread.overrideTurnContext({ cwd: live.place.root, personality: 'friendly' });
    await live.thread.overrideTurnContext({ personality: null, cwd: live.place.workspace });
    expect(live.thread.state.history.length).toBe(length);
    await live.turn('two');
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'two'],
    ]);
  });

  it('is sent to listeners, with what holds now', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'gpt-5.4', sandbox: 'read-only' });
    expect(live.told('settings').at(-1)).toMatchObject({
      cause: 'override',
      settings: { model: 'gpt-5.4' },
      environment: { sandboxMode: 'read-only', writableRoots: [] },
    });
  });

  it('that changes nothing leaves no trace', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    const lines = live.place.lines().length;
    const { settings } = live.thread;
    expect(await live.thread.overrideTurnContext({ model: 'gpt-5.5' })).toEqual({
      kind: 'changed',
      settings,
      changed: [],
    });
    expect(live.place.lines().length).toBe(lines);
    expect(live.told('settings').map(({ cause }) => cause)).toEqual(['started']);
  });

  it('may come with others at once: none is lost', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const changes: readonly SettingsChange[] = [
      { model: 'gpt-5.4' },
      { effort: 'high' },
      { personality: 'friendly' },
      { summary: 'detailed' },
    ];
    await Promise.all(changes.map((change) => live.thread.overrideTurnContext(change)));
    const wanted = { model: 'gpt-5.4', effort: 'high', personality: 'friendly', summary: 'detailed' };
    expect(live.thread.settings).toMatchObject(wanted);
    await live.open();
    expect(live.thread.settings).toMatchObject(wanted);
  });

  it('that comes while a turn begins is not undone by that turn’s own record', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const turn = live.turn('one');
    const change = live.thread.overrideTurnContext({ model: 'gpt-5.4' });
    await Promise.all([turn, change]);
    expect([live.thread.settings.model, ...modelsOf(live)]).toEqual(['gpt-5.4', 'gpt-5.5']);
    await live.open();
    expect(live.thread.settings.model).toBe('gpt-5.4');
  });
});

describe('a change that is refused', () => {
  it('says why, and leaves everything as it was', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    const [lines, settings] = [live.place.lines().length, live.thread.settings];
    const codes = [];
    for (const change of wrong) {
      const { outcome } = (await live.thread.overrideTurnContext(change as SettingsChange)) as { outcome: Outcome };
      const text = expect.stringMatching(/^[A-Za-z].*[.?]$/s);
      expect(outcome).toEqual({ code: expect.any(String), message: text, next: text });
      codes.push(outcome.code);
    }
    expect(codes).toEqual([
      ...Array.from({ length: 3 }, () => 'options-malformed'),
      'option-unknown',
      ...Array.from({ length: 8 }, () => 'option-wrong'),
      'folder-missing',
    ]);
    expect([live.place.lines().length, live.thread.settings]).toEqual([lines, settings]);
    await live.turn('two');
    expect(live.added(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'two'],
    ]);
  });

  const wrong: readonly unknown[] = [
    null,
    ['model'],
    'model',
    { modle: 'gpt-5.4' },
    { model: 5 },
    { model: ' ' },
    { cwd: 'sub' },
    { approvals: 'sometimes' },
    { sandbox: { type: 'workspace-write', writable_roots: 'all' } },
    { collaboration: 'plan' },
    { realtime: { active: 'yes' } },
    // One part that is wrong takes the others with it.
    { model: 'gpt-5.4', personality: 'grumpy' },
    { model: 'gpt-5.4', cwd: '/no/such/folder' },
  ];
});
