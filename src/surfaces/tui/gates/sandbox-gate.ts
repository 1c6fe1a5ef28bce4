import { landlockLeavesOpen } from '../../../policy/landlock-policy.ts';
import { defined } from '../../../protocol/defined.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { GateDesk } from './gate-desk.ts';

/** Landlock holds less than the usual sandbox, so it holds commands only if the user says so. */
export async function askForLandlock(desk: GateDesk, engine: Engine): Promise<'agreed' | 'open' | 'left'> {
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({
      title: 'The sandbox for commands cannot be built here. Run commands under Landlock instead?',
      text: [
        'Bubblewrap is missing or cannot create namespaces, as in most containers. Without Landlock, Capstan refuses every command that needs a sandbox.',
        'Under Landlock commands write and read only what your permissions allow, and have no network unless you allowed it. What it does not protect:',
        `- ${landlockLeavesOpen.settings}: commands can change hooks and settings that other programs run later`,
        `- ${landlockLeavesOpen.modes}`,
        `${landlockLeavesOpen.background}.`,
        '`capstan sandbox explain -P :workspace` lists what is lost.',
      ],
      ...defined({ problem }),
      choices: [
        { label: 'Yes, until Capstan ends', allows: true },
        { label: 'Always', about: `saved in ${visibleLine(engine.home)}/config.toml`, allows: true },
        {
          label: 'No',
          about: 'commands that need a sandbox are refused; sandbox_fallback = "none" in config.toml keeps it so',
        },
      ],
    });
    if (chosen === 'left') return 'left';
    if (chosen === 'back' || chosen === 2) return 'open';
    const failed = chosen === 1 ? await engine.config.saveSandboxFallback() : undefined;
    if (failed === undefined) return 'agreed';
    problem = fullText(failed);
  }
}
