import { defined } from '../../../base/objects.ts';
import { ListView } from '../pages/list-view.ts';
import type { TuiSession } from '../session/session.ts';
import type { TypingPause } from './typing-pause.ts';

/** Asks what to do with the plan that a turn in plan mode proposed. `startAnew`: begins a new conversation. */
export function askAboutPlan(
  session: TuiSession,
  plan: string,
  { pause, startAnew }: { readonly pause: TypingPause; startAnew(): Promise<void> },
): void {
  const { stage } = session.parts;
  const close = (): void => stage.open(undefined);
  const used = Math.max(0, Math.min(100, Math.round(100 - session.thread.usage().percentRemaining)));
  const leavePlanMode = (): Promise<boolean> => session.change({ collaboration: { mode: 'default' } });
  const here = async (): Promise<void> => {
    if (await leavePlanMode()) session.sendWords('Implement the plan.');
  };
  const cleared = async (): Promise<void> => {
    const { model, effort } = session.thread.settings;
    await startAnew();
    await session.change({ model, ...defined({ effort }), collaboration: { mode: 'default' } });
    session.sendWords(`Implement this plan:\n\n${plan}`);
  };
  const ways = [here, cleared];
  const list = new ListView({
    title: 'Implement this plan?',
    items: [
      { label: 'Yes, here', about: 'leaves plan mode and begins' },
      { label: 'Yes, with a cleared context', about: `a new conversation with the plan alone (${used}% used here)` },
      { label: 'No, stay in plan mode', about: 'say what to change' },
    ],
    close,
    pick(index) {
      close();
      const way = ways[index];
      if (way !== undefined) session.inBackground(way());
    },
  });
  stage.open(pause.guard(list));
}
