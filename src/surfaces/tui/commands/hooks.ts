import type { TuiSession } from '../session/session.ts';
import { readHookEvent } from '../../../core/state/fold/hook-runs.ts';
import type { HookRun } from '../../../protocol/thread-event.ts';
import { lineType } from '../../../protocol/line.ts';
import type { ConfiguredHook } from '../../../engine/home/user-hooks.ts';
import { unambiguousLine } from '../../views/terminal/exact-text.ts';
import { plural } from '../../../engine/wording.ts';
import { cardCell } from '../transcript/cells/card-cell.ts';
import { hookCell } from '../transcript/cells/hook-cells.ts';
import { openList, type ListItem } from '../pages/list-view.ts';
import { openPage } from '../pages/pager-view.ts';

/** `/hooks`: lists all hooks and their results. Decisions are saved and take effect when Capstan is started again. */
export async function showHooks(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const registry = await engine.user.hooks();
  const { cwd } = session.thread.settings;
  const loaded = await registry.list(cwd);
  if ('code' in loaded) return session.noticeProblem(loaded);
  let found = loaded;
  if (found.hooks.length === 0) return session.notice('There are no hooks here. docs/hooks.md says how to write one.');
  const runs = await runsOf(session);
  const running = new Set((await registry.running(cwd)).map(({ key }) => key));
  const trustOf = ({ trust, key }: ConfiguredHook): string => trustWords[trust][running.has(key) ? 0 : 1];
  const ranOf = ({ key }: ConfiguredHook): readonly HookRun[] => runs.filter((run) => run.key === key);
  const items = (): readonly ListItem[] => found.hooks.map((hook) => itemOf(hook, trustOf(hook), ranOf(hook)));
  const decide = async (index: number, what: 'trust' | 'switch'): Promise<void> => {
    const hook = found.hooks[index]!;
    if (hook.trust === 'managed')
      return session.notice(`${hook.source.path} defines this hook: only your administrator can change it.`, 'error');
    const problem =
      what === 'switch'
        ? await registry.switch(hook, hook.trust === 'disabled')
        : await found.decide([hook], hook.trust === 'trusted' ? 'untrust' : 'trust');
    if (problem !== undefined) return session.noticeProblem(problem);
    const now = await registry.list(cwd);
    if ('code' in now) return session.noticeProblem(now);
    found = now;
    view.update({ items: items(), title: 'Hooks: what you decide counts when Capstan is started again' });
    stage.draw();
  };
  const view = openList(stage, {
    title: 'Hooks',
    items: items(),
    hint: (key) =>
      `${key('Enter')} shows all of it, ${key('t')} trusts it or not, ${key('Space')} switches it on or off, ${key('Esc')} goes back`,
    keys: {
      t: (index) => session.inBackground(decide(index, 'trust')),
      space: (index) => session.inBackground(decide(index, 'switch')),
    },
    pick(index) {
      const hook = found.hooks[index]!;
      showHook(session, hook, trustOf(hook), ranOf(hook));
    },
  });
}

async function runsOf(session: TuiSession): Promise<readonly HookRun[]> {
  const { id, place } = session.thread;
  if (place === undefined) return [];
  const { lines } = await session.parts.engine.stored.read(id);
  return lines.flatMap(({ type, payload }) => {
    const event = type === lineType.hook ? readHookEvent(payload) : undefined;
    return event?.kind === 'hook-completed' ? [event.run] : [];
  });
}

/** The user's decision, and whether it is already in effect: Capstan reads decisions when it starts. */
const trustWords: Readonly<Record<ConfiguredHook['trust'], readonly [running: string, idle: string]>> = {
  managed: ['managed', 'managed'],
  trusted: ['trusted', 'trusted: runs when Capstan is started again'],
  modified: [
    'changed since you trusted it: runs until Capstan is started again',
    'changed since you trusted it: does not run',
  ],
  untrusted: ['not trusted: runs until Capstan is started again', 'not trusted: does not run'],
  disabled: ['off when Capstan is started again', 'off'],
};

function itemOf({ event, matcher, command }: ConfiguredHook, trust: string, runs: readonly HookRun[]): ListItem {
  const failed = runs.filter(({ status }) => status === 'failed').length;
  const ran = `ran ${plural(runs.length, 'time')}${failed === 0 ? '' : `, failed ${failed}`}`;
  return {
    label: unambiguousLine(matcher === undefined ? event : `${event} ${matcher}`),
    about: [trust, ...(runs.length === 0 ? [] : [ran]), unambiguousLine(command)].join(' - '),
  };
}

function showHook(session: TuiSession, hook: ConfiguredHook, trust: string, runs: readonly HookRun[]): void {
  const { event, matcher, command, source, timeoutSeconds, isAsync, failClosed } = hook;
  const card = cardCell({
    title: `${event} hook`,
    rows: [
      { name: 'Command', value: unambiguousLine(command, 'words') },
      { name: 'For', value: unambiguousLine(matcher ?? 'everything') },
      { name: 'Trust', value: trust },
      { name: 'File', value: unambiguousLine(source.path, 'words') },
      { name: 'Time-out', value: `${timeoutSeconds} s` },
      { name: 'Waits', value: isAsync ? 'Capstan does not wait for it' : 'Capstan waits for it' },
      { name: 'Failure', value: failClosed ? 'blocks what it was asked about' : 'is reported, and nothing else' },
    ],
    notes: [runs.length === 0 ? 'It did not run in this conversation.' : 'In this conversation:'],
  });
  const cells = [card, ...runs.map(hookCell)];
  openPage(session.parts.stage, {
    title: 'Hook',
    rows: (look) => cells.flatMap((cell) => ['', ...cell.rows(look)]).slice(1),
  });
}
