import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { GateDesk } from './gate-desk.ts';

/** What to do about a configuration that cannot be used. */
export async function askAboutConfig(desk: GateDesk, problem: Outcome): Promise<'again' | 'without' | 'left'> {
  const chosen = await desk.ask({
    title: 'Your configuration cannot be used.',
    problem: fullText(problem),
    choices: [
      { label: 'Start with the defaults', about: 'this time; your file stays as it is' },
      { label: 'Read it again', about: 'after you have corrected it' },
      { label: 'Leave' },
    ],
  });
  if (chosen === 0) return 'without';
  return chosen === 1 ? 'again' : 'left';
}
