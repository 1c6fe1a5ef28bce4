import type { LandlockPlan } from './landlock-plan.ts';

/** What the Landlock helper reads from its first extra descriptor, as JSON. */
export interface LandlockHelperInput {
  readonly plan: LandlockPlan;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The command has the terminal of the process that started it, and must not type into it. */
  readonly terminal?: 'inherited';
}
