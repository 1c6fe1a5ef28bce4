import { describe, test } from 'vitest';
import { formless, incomplete, misshapen } from './adversary/answers.ts';
import { expectAnswers } from './adversary/expect-answers.ts';
import { byTurns, oneOfEach } from './adversary/play.ts';
import { transcripts } from './adversary/transcripts.ts';

describe('asked for a checkpoint, a model that answers with', () => {
  test.each(byTurns([formless, misshapen, incomplete].flatMap(oneOfEach)))(
    '$name ($trigger)',
    ({ trigger, ...answers }) => expectAnswers(answers, { transcript: transcripts.work, trigger }),
  );
});
