import { expect, it } from 'vitest';
import { testSeed } from '../harness/seed.ts';
import { CrashStory, type StoryFigures } from './crash-story.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 320);
const killsPerStory = 10;
/** Stories that are told at the same time. */
const lanes = 2;

it.runIf(process.platform === 'linux')(
  `${kills} kills at random moments of turns with many calls lose nothing, repeat nothing and leave nothing running`,
  async () => {
    const seeds = Array.from({ length: Math.ceil(kills / killsPerStory) }, (_, index) => testSeed + index);
    const figures: StoryFigures[] = [];
    const lane = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
        figures.push(await CrashStory.play(seed, killsPerStory));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const sum = (key: keyof StoryFigures) => figures.reduce((total, story) => total + story[key], 0);
    const total = {
      kills: sum('kills'),
      ends: sum('ends'),
      inFlight: sum('inFlight'),
      torn: sum('torn'),
      effects: sum('effects'),
    };
    console.log(total);
    expect(total.kills).toBeGreaterThanOrEqual(kills);
    // Each of the things that this is about has happened.
    for (const value of Object.values(total)) expect(value).toBeGreaterThan(kills / 20);
  },
  1_200_000,
);
