import type { Outcome } from '../../../protocol/outcome.ts';
import { gatesIn } from '../../features/gates-in.ts';
import type { CommandSession } from './command-session.ts';
import { showSwitches } from './switches.ts';

/** `/experimental`: the feature gates. */
export function experimental(session: CommandSession): Promise<void> {
  const { engine } = session.parts;
  return showSwitches(session, 'Features', async () => {
    const configured = await engine.config.inFolder(session.thread.settings.cwd);
    if ('code' in configured) return configured;
    return gatesIn(configured).map(({ name, open, decided, does }) => ({
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
