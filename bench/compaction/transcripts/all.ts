import type { Transcript } from '../transcript.ts';
import { bugHunt } from './bug-hunt.ts';
import { longRequest } from './long-request.ts';
import { picturesAndPlan } from './pictures-and-plan.ts';
import { refactoring } from './refactoring.ts';
import { requirements } from './requirements.ts';
import { twoCheckpoints } from './two-checkpoints.ts';
import { twoTasks } from './two-tasks.ts';

export const transcripts: readonly Transcript[] = [
  bugHunt,
  refactoring,
  requirements,
  twoTasks,
  picturesAndPlan,
  twoCheckpoints,
  longRequest,
];
