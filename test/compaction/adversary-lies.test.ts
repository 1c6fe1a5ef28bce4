import { describe, test } from 'vitest';
import { misquoting, posing, strange } from './adversary/false-answers.ts';
import { expectAnswers } from './adversary/expect-answers.ts';
import { byTurns, oneOfEach } from './adversary/play.ts';
import { transcripts } from './adversary/transcripts.ts';

describe('asked for a checkpoint, a model that answers with', () => {
  test.each(byTurns([misquoting, posing, strange].flatMap(oneOfEach)))('$name ($trigger)', ({ trigger, ...answers }) =>
    expectAnswers(answers, { transcript: transcripts.work, trigger }),
  );
});
