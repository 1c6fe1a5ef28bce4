import { describe, expect, test } from 'vitest';
import { always, byCode, good, plain, structured } from './adversary/answers.ts';
import { quoting } from './adversary/false-answers.ts';
import { type Doing, play, withTriggers } from './adversary/play.ts';
import { type Installed, noMessage } from './adversary/told.ts';
import { type Transcript, transcripts } from './adversary/transcripts.ts';

interface Row {
  readonly name: string;
  readonly does: Doing;
  readonly told: Installed;
  readonly request?: 'other';
}

const other = ({ other = '' }: Transcript): string => other;

const rows: readonly Row[] = [
  { name: 'the task', does: always(good), told: structured() },
  { name: 'the other', does: quoting(other), told: structured(), request: 'other' },
  {
    name: 'the beginning of the other',
    does: quoting((about) => other(about).slice(0, 40)),
    told: structured(),
    request: 'other',
  },
  {
    name: 'the other, misspelled',
    does: quoting((about) => other(about).replaceAll('th', 'ht')),
    told: structured(),
    request: 'other',
  },
  { name: 'neither', does: quoting('Do what was asked.'), told: structured(noMessage) },
  { name: 'nothing', does: always(''), told: byCode },
  {
    name: 'prose about the other',
    does: always('The user asked something else last; that is all that matters about the scanner in src/scan.ts.'),
    told: plain,
  },
];

const { question, undecidable, checkpoints, twoTasks } = transcripts;
const cases = [question, undecidable, checkpoints, twoTasks].flatMap((transcript) =>
  rows.map((row) => ({ ...row, transcript, about: transcript.name })),
);

describe('asked for a checkpoint', () => {
  test.each(withTriggers(cases))(
    'of $about ($trigger), a model quotes $name: its choice stands',
    async ({ transcript, trigger, does, told, request }) => {
      const chosen = request === undefined ? {} : { request: transcript.other };
      const played = await play({ transcript, trigger, does, ...chosen });
      expect(played.told).toEqual([told]);
    },
  );
});
