import type { World } from '../harness/world.ts';

/** A turn of the long thread, as the differences from the turn before it. */
export interface ScriptedTurn {
  readonly title: string;
  readonly world?: Partial<World>;
  /** The model runs a command, and this is so when the command is done. */
  readonly midway?: Partial<World>;
  /** Another process goes on with the thread before this turn. */
  readonly resumed?: true;
  /** History is rewritten before this turn, and requests begin with the instructions of the model that goes on. */
  readonly rewritten?: true;
}

/** By number, from 1 to 60. Turns that are not named change nothing. */
const changes: Readonly<Record<number, ScriptedTurn>> = {
  1: { title: 'the thread begins' },
  3: { title: 'another folder', world: { cwd: '/repo/part' } },
  5: { title: 'commands may only look', world: { mode: 'read-only' } },
  6: { title: 'another approval policy', world: { approval: 'on-request' } },
  8: { title: 'the network is open', world: { network: true } },
  9: { title: 'AGENTS.md is edited', world: { instructions: 'Be brief.' } },
  11: { title: 'a plan is wanted', world: { collaboration: { mode: 'plan' } } },
  13: { title: 'the plan is made', world: { collaboration: { mode: 'default' } } },
  14: { title: 'a friendly voice', world: { personality: 'friendly' } },
  16: { title: 'a tool arrives', world: { tools: ['update_plan'] } },
  17: { title: 'resumed, and nothing else', resumed: true },
  19: { title: 'midnight passes while a command runs', midway: { date: '2026-11-16' } },
  21: { title: 'AGENTS.md is edited while a command runs', midway: { instructions: 'Be exact.' } },
  23: { title: 'the user speaks', world: { realtime: true } },
  24: { title: 'the user speaks, in another folder', world: { cwd: '/repo' } },
  25: { title: 'the user types', world: { realtime: false } },
  27: { title: 'no voice in particular', world: { personality: undefined } },
  28: { title: 'AGENTS.md is gone', world: { instructions: undefined } },
  29: { title: 'AGENTS.md is back', world: { instructions: 'Be kind.' } },
  31: { title: 'another model', world: { model: 'planner' } },
  32: { title: 'the other model, in a plan', world: { collaboration: { mode: 'plan' } } },
  33: { title: 'a third model, which sees no pictures', world: { model: 'blind' } },
  34: {
    title: 'resumed with a tool more, for those who see',
    resumed: true,
    world: { tools: ['update_plan', 'view_image'] },
  },
  35: { title: 'back to the first model', world: { model: 'gpt-5.5' } },
  36: { title: 'the third model again', world: { model: 'blind', collaboration: { mode: 'default' } } },
  38: { title: 'history is rewritten', rewritten: true },
  40: { title: 'a switch after the rewrite', world: { model: 'doer' } },
  41: { title: 'a plan that this model cannot make', world: { collaboration: { mode: 'plan' } } },
  42: { title: 'a second switch after the rewrite', world: { model: 'planner' } },
  43: { title: 'back to the model of the rewrite', world: { model: 'blind' } },
  45: { title: 'full access', world: { mode: 'danger-full-access' } },
  46: {
    title: 'many things at once',
    world: { mode: 'workspace-write', network: false, approval: 'never', cwd: '/x', personality: 'pragmatic' },
  },
  48: { title: 'resumed on another day in another place', resumed: true, world: { timezone: 'Europe/Oslo' } },
  50: { title: 'midnight passes between turns', world: { date: '2026-11-17' } },
  52: { title: 'a tool goes', world: { tools: ['view_image'] } },
  54: { title: 'history is rewritten under another model', rewritten: true, world: { model: 'doer' } },
  57: { title: 'harder thought', world: { effort: 'high' } },
};

export const sixtyTurns: readonly ScriptedTurn[] = Array.from(
  { length: 60 },
  (_, index) => changes[index + 1] ?? { title: 'nothing changes' },
);
