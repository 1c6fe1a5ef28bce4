import { describe, test } from 'vitest';
import { formless, incomplete, misshapen } from '../compaction/adversary/answers.ts';
import { expectAnswers } from '../compaction/adversary/expect-answers.ts';
import { misquoting, posing, strange } from '../compaction/adversary/false-answers.ts';
import { triggers } from '../compaction/adversary/play.ts';
import { transcripts } from '../compaction/adversary/transcripts.ts';

const answers = [...formless, ...misshapen, ...incomplete, ...misquoting, ...posing, ...strange];
const cases = [transcripts.work, transcripts.checkpoints].flatMap((transcript) =>
  triggers.map((trigger) => ({ transcript, trigger, about: transcript.name })),
);

describe.each(cases)('asked for a checkpoint of $about ($trigger), a model that answers with', (place) => {
  test.each(answers)('$name', (row) => expectAnswers(row, place));
});
