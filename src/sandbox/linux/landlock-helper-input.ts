import type { LandlockPlan } from './landlock-plan.ts';

/** What the Landlock helper reads from its first extra descriptor, as JSON. */
export interface LandlockHelperInput {
  readonly plan: LandlockPlan;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The command has a terminal: that of the process that started it, into which it must not type, or one of its own. */
  readonly terminal?: 'inherited' | 'own';
}
