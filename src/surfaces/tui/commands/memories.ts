import { isGateOpen } from '../../../config/feature-gates.ts';
import { objectAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { gatesIn } from '../../features/gates-in.ts';
import { memoryText } from '../../memory/memory-text.ts';
import { cleanLines } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import { plain } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { ListView } from '../views/list-view.ts';
import { PagerView } from '../views/pager-view.ts';
import type { CommandSession } from './command-session.ts';
import { type Switch, showSwitches } from './switches.ts';

/** `/memories`: whether notes about threads are written and read, and what they say. */
export function memories(session: CommandSession): Promise<void> {
  const { engine } = session.parts;
  const isOnHere = isGateOpen('memories', session.thread.settings.features);
  const title = `Memory (${isOnHere ? 'on' : 'off'} in this conversation)`;
  return showSwitches(session, title, async () => {
    const configured = await engine.config.inFolder(session.thread.settings.cwd);
    if ('code' in configured) return configured;
    const gate = gatesIn(configured).find(({ name }) => name === 'memories');
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

async function show(session: CommandSession): Promise<Outcome | undefined> {
  const { stage, engine } = session.parts;
  const memory = await engine.user.memory();
  if ('code' in memory) return memory;
  const text = memoryText(memory);
  stage.openPager(
    new PagerView({
      title: 'Memory',
      rows: (look) =>
        drawRows(
          cleanLines(text).flatMap((line) => wrapRow([plain(line)], { width: look.width })),
          look,
        ),
      close: () => stage.openPager(undefined),
    }),
  );
  return undefined;
}

async function forget(session: CommandSession): Promise<undefined> {
  const { stage, engine } = session.parts;
  const close = (): void => stage.open(undefined);
  const clear = async (): Promise<void> => {
    const memory = await engine.user.memory();
    const problem = 'code' in memory ? memory : await memory.clear();
    session.notice(problem === undefined ? 'The memory is empty.' : problem.message, problem ? 'error' : 'info');
  };
  stage.open(
    new ListView({
      title: 'Forget all notes about earlier threads?',
      items: [{ label: 'No' }, { label: 'Yes', about: 'they cannot be brought back' }],
      close,
      pick(index) {
        close();
        if (index === 1) session.inBackground(clear());
      },
    }),
  );
  return undefined;
}
