import type { Step } from '../../envelope/step.ts';
import type { Turn } from '../parts/parts.ts';
import { stepNow } from './step-now.ts';
import { warnOnce } from '../parts/warn-once.ts';

/** The step as the world is now. Nothing of it is told yet. */
export async function lookAround(turn: Turn, index: number): Promise<Step> {
  const { step, problems } = await stepNow(turn, index);
  for (const problem of problems) warnOnce(turn, problem, 'message');
  return step;
}
