import { describe, expect, test } from 'vitest';
import { always, byCode, good, plain, structured } from './adversary/answers.ts';
import { noMessage, quoting } from './adversary/false-answers.ts';
import { textsOf } from './adversary/laws.ts';
import { type Doing, play, type Trigger } from './adversary/play.ts';
import type { Installed } from './adversary/told.ts';
import { type Transcript, transcripts } from './adversary/transcripts.ts';

interface Row {
  readonly name: string;
  readonly does: Doing;
  readonly told: Installed;
  readonly request?: 'other';
  /** The message that may be the task is marked. */
  readonly marked?: true;
}

const idle = 'The chosen request led to no work; the task that was worked on stays, and the other is marked UNKNOWN.';
const other = ({ other = '' }: Transcript): string => other;

const common: readonly Row[] = [
  { name: 'the task', does: always(good), told: structured() },
  { name: 'neither', does: quoting('Do what was asked.'), told: structured(noMessage) },
  { name: 'nothing', does: always(''), told: byCode },
  {
    name: 'prose about the other',
    does: always('The user asked something else last; that is all that matters.'),
    told: plain,
  },
];

/** The other message led to no work. */
const passing: readonly Row[] = [
  { name: 'the other', does: quoting(other), told: structured(idle), marked: true },
  {
    name: 'the beginning of the other',
    does: quoting((about) => other(about).slice(0, 40)),
    told: structured(idle),
    marked: true,
  },
  {
    name: 'the other, misspelled',
    does: quoting((about) => other(about).replaceAll('th', 'ht')),
    told: structured(idle),
    marked: true,
  },
  ...common,
];

/** There was work on both, so the model decides. */
const open: readonly Row[] = [
  { name: 'the other', does: quoting(other), told: structured(), request: 'other' },
  { name: 'both', does: quoting((about) => `${about.task}\n\n${other(about)}`), told: structured(), request: 'other' },
  ...common,
];

const cases = (
  [
    [transcripts.question, passing],
    [transcripts.undecidable, passing],
    [transcripts.checkpoints, passing],
    [transcripts.twoTasks, open],
  ] as const
).flatMap(([transcript, rows]) => rows.map((row) => ({ ...row, transcript, about: transcript.name })));

describe.each<Trigger>(['manual', 'mid-turn'])('asked for a checkpoint (%s)', (trigger) => {
  test.each(cases)('of $about, a model quotes $name', async ({ transcript, does, told, request, marked }) => {
    const played = await play({
      transcript,
      trigger,
      does,
      ...(request === undefined ? {} : { request: transcript.other }),
    });
    expect(played.told).toEqual([told]);
    const intent = textsOf(played.next).find((text) => text.includes('\n<VERBATIM_REQUEST_START>\n')) ?? '';
    const [, number] = /\nUNKNOWN: message (\d+) /.exec(intent) ?? [];
    const [, place] = /\n--- (\d+) ---$/.exec(intent.split(`\n${transcript.other}\n`)[0]!) ?? [];
    expect(number).toBe(marked ? place : undefined);
    expect(place === undefined).toBe(!marked && (told.strategy !== 'structured' || request === 'other'));
  });
});
