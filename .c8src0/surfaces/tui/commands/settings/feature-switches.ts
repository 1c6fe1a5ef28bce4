import type { TuiSession } from '../../session/session.ts';
import { isGateOpen } from '../../../../core/config/features.ts';
import { objectAt } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { configuredGates, memoryText } from '../../../views/wording/settings-text.ts';
import { askYesNo, openList, type ListItem } from '../../pages/list-view.ts';
import { openPage } from '../../pages/pager-view.ts';
import { cleanLines } from '../../screen/text/clean-text.ts';
import { glyphsOf } from '../../screen/text/look.ts';
import { plain } from '../../screen/text/style.ts';
import { wrappedRows } from '../../screen/text/wrap-row.ts';

/** `/memories`: switches for writing and reading notes about threads, and the notes themselves. */
export function showMemorySwitches(session: TuiSession): Promise<void> {
  const { engine } = session.parts;
  const isOnHere = isGateOpen('memories', session.thread.settings.features);
  return showSwitches(session, `Memory (${isOnHere ? 'on' : 'off'} in this conversation)`, async () => {
    const configured = await engine.config.inFolder(session.thread.settings.cwd);
    if ('code' in configured) return configured;
    const gate = configuredGates(configured).find(({ name }) => name === 'memories');
    const keys = objectAt(configured.effective.values, 'memories');
    const key = (name: string, label: string, about: string): Switch => {
      const isOn = keys?.[name] !== false;
      return { label, about, isOn, change: () => engine.config.saveMemories({ [name]: !isOn }) };
    };
    const isOn = gate?.open === true;
    return [
      {
        label: 'Memory',
        about: 'without it, the two below count for nothing',
        isOn,
        change: () => engine.config.switchFeature('memories', !isOn),
      },
      key('use_memories', 'Read', 'new threads get a summary of the notes'),
      key('generate_memories', 'Write', 'a model notes what threads at rest have shown'),
      { label: 'Show what is remembered', about: '', change: () => show(session) },
      { label: 'Forget everything', about: 'asks again', change: () => forget(session) },
    ];
  });
}

async function show(session: TuiSession): Promise<Outcome | undefined> {
  const { stage, engine } = session.parts;
  const memory = await engine.user.memory();
  if ('code' in memory) return memory;
  const lines = cleanLines(memoryText(memory)).map((line) => [plain(line)]);
  openPage(stage, { title: 'Memory', rows: (look) => wrappedRows(lines, look) });
  return undefined;
}

async function forget(session: TuiSession): Promise<undefined> {
  const { stage, engine } = session.parts;
  const clear = async (): Promise<void> => {
    const memory = await engine.user.memory();
    const problem = 'code' in memory ? memory : await memory.clear();
    session.notice(problem?.message ?? 'The memory is empty.', problem ? 'error' : 'info');
  };
  const yes = { label: 'Yes', about: 'they cannot be brought back' };
  askYesNo(stage, 'Forget all notes about earlier threads?', [{ label: 'No' }, yes], () =>
    session.inBackground(clear()),
  );
  return undefined;
}

interface Switch {
  readonly label: string;
  readonly about: string;
  /** Absent for an action. */
  readonly isOn?: boolean;
  change(): Promise<Outcome | undefined>;
}

/** Each change is saved at once, and takes effect from the next start on. */
async function showSwitches(
  session: TuiSession,
  title: string,
  load: () => Promise<readonly Switch[] | Outcome>,
): Promise<void> {
  const { stage } = session.parts;
  const loaded = await load();
  if ('code' in loaded) return session.noticeProblem(loaded);
  let switches = loaded;
  const items = (): readonly ListItem[] => {
    const { boxDone, boxOpen } = glyphsOf(stage.look);
    return switches.map(({ label, about, isOn }) => {
      return { label: isOn === undefined ? label : `${isOn ? boxDone : boxOpen} ${label}`, about };
    });
  };
  const change = async (index: number): Promise<void> => {
    const chosen = switches[index]!;
    const problem = await chosen.change();
    if (problem !== undefined) return session.noticeProblem(problem);
    const now = await load();
    if ('code' in now) return session.noticeProblem(now);
    switches = now;
    const changed = `${title}: what you switch counts when Capstan is started again`;
    view.update({ items: items(), ...(chosen.isOn !== undefined && { title: changed }) });
    stage.draw();
  };
  const view = openList(stage, {
    title,
    items: items(),
    hint: (key) => `${key('Enter')} or ${key('Space')} switches, ${key('Esc')} goes back`,
    keys: { space: (index) => session.inBackground(change(index)) },
    pick: (index) => session.inBackground(change(index)),
  });
}

export function showFeatureSwitches(session: TuiSession): Promise<void> {
  const { engine } = session.parts;
  return showSwitches(session, 'Features', async () => {
    const configured = await engine.config.inFolder(session.thread.settings.cwd);
    if ('code' in configured) return configured;
    return configuredGates(configured).map(({ name, open, decided, does }) => ({
      label: name,
      about: decided === 'managed' ? `${does} (your administrator decides)` : does,
      isOn: open,
      change: async () => (decided === 'managed' ? managed(name) : engine.config.switchFeature(name, !open)),
    }));
  });
}

function managed(name: string): Outcome {
  const message = `The administrator of this machine decides about ${name}.`;
  return { code: 'feature-managed', message, next: 'Ask the administrator to change it.' };
}
