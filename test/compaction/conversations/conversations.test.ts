import { describe, expect, test } from 'vitest';
import { themes } from './all.ts';
import { type Asked, askedAbout } from './asked.ts';
import { ask, type Conversation, type Happening, hook, run } from './conversation.ts';
import { play } from './play.ts';
import { type Prompt, promptFaults, promptOf } from './prompt-faults.ts';
import { isChosen, readResults, wasChosen } from './read-prompt.ts';
import { carriedSummary, notedContext, summariser, summarisers } from './summarisers.ts';

test('there are enough of them, each with a name of its own', () => {
  const names = Object.values(themes).flatMap((all) => all.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(themes))('%s', (_, conversations) => {
  const rows = conversations.map((conversation) => [conversation.name, conversation] as const);

  test.each(rows)('%s', (_, conversation) => {
    const faults = summarisers.flatMap((one) => {
      const asked = askedAbout(conversation, play(conversation.story));
      const prompt = promptOf(one.checkpoint(asked));
      const chosen = { active: asked.active, wrong: [asked.wrong ?? []].flat(), nothing: [] }[one.chooses];
      const isByCode = !one.writes && one.isThin;
      const must = [...(conversation.must ?? []), ...((isByCode ? conversation.mustAlone : undefined) ?? [])];
      const all = prompt.texts.join('\n');
      const hasResults = conversation.story.some(
        ({ kind, ...more }) => kind === 'run' && 'output' in more && more.output !== '',
      );
      return [
        ...promptFaults(prompt, asked, { chosen, isByCode }),
        ...must.filter((text) => !all.includes(text)).map((text) => `must be there: ${text}`),
        ...(conversation.mustNot ?? [])
          .filter((text) => all.includes(text))
          .map((text) => `must not be there: ${text}`),
        ...(one.isThin && hasResults && readResults(prompt.summary).length === 0 ? ['no results'] : []),
      ].map((fault) => `${one.name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  test.each(rows)('%s, and two more checkpoints', (_, conversation) => {
    const faults = summarisers.flatMap((first) => {
      const asked = askedAbout(conversation, play(conversation.story));
      const once = promptOf(first.checkpoint(asked));
      const second = later(asked, once, followUp);
      const twice = promptOf(summariser('mechanical').checkpoint(second), 1);
      const third = later(second, twice, lastWord);
      const thrice = promptOf(summariser('structured, good').checkpoint(third), 2);
      const marked = (prompt: Prompt, is: (note: string) => boolean): string =>
        prompt.list.rows.flatMap(({ note, text }) => (is(note) ? [text] : [])).join('\n');
      const isCarried = twice.summary.includes('(End of the earlier summary.)');
      const isWhole =
        !first.name.endsWith('good') || !first.writes || twice.summary.includes(carriedSummary(conversation));
      return [
        ...promptFaults(twice, second, { chosen: [], isByCode: true }),
        ...promptFaults(thrice, third, { chosen: third.active, isByCode: false }),
        ...(marked(twice, wasChosen) === marked(once, isChosen) ? [] : ['the earlier choice is not marked as earlier']),
        ...(isCarried === first.writes && isWhole ? [] : ['the earlier summary is not carried on']),
        ...(thrice.summary.includes('(End of the earlier summary.)')
          ? ['a good summary replaces the earlier one']
          : []),
        ...(marked(thrice, wasChosen) === '' ? [] : ['a new choice replaces the earlier one']),
      ].map((fault) => `after ${first.name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  test.each(rows)('%s, then a thin summary and a failed one: the good one is still there', (_, conversation) => {
    const asked = askedAbout(conversation, play(conversation.story));
    const once = promptOf(summariser('structured, good').checkpoint(asked));
    const faults = ['structured, thin', 'plain, thin'].flatMap((thin) => {
      const second = later(asked, once, followUp);
      const twice = promptOf(summariser(thin).checkpoint(second), 1);
      const third = later(second, twice, lastWord);
      const thrice = promptOf(summariser('mechanical').checkpoint(third), 2);
      const chosen = thin.startsWith('structured') ? second.active : [];
      const lost = [twice, thrice].filter(
        ({ summary }) => !summary.includes(`${notedContext}\n\n${carriedSummary(conversation)}`),
      );
      return [
        ...promptFaults(twice, second, { chosen, isByCode: false }),
        ...promptFaults(thrice, third, { chosen: [], isByCode: true }),
        ...lost.map(() => 'the good summary is lost'),
      ].map((fault) => `${thin}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });
});

test('what hooks and programs said has its share of the space, and what is left out is marked in place', () => {
  const long = (n: number): string => `Rule ${n}: ${'keep the public surface as it is. '.repeat(20)}`;
  const story: readonly Happening[] = [
    ask('Tidy up src/api.'),
    ...Array.from({ length: 12 }, (_, n) => hook(long(n))),
    ask('Only the handlers.'),
    hook('Run npm run lint before you finish.'),
    hook('Tests are missing.'),
  ];
  const conversation: Conversation = {
    name: 'many hooks',
    story,
    active: ['Tidy up src/api.', 'Only the handlers.'],
    done: 'src/api is half done.',
    next: 'tidy the handlers',
    budget: 1600,
  };
  for (const one of summarisers) {
    const prompt = promptOf(one.checkpoint(askedAbout(conversation, play(story))));
    expect(prompt.list.rows.map(({ note, text }) => `${note}: ${text.slice(0, 20)}`)).toEqual([
      expect.stringMatching(/^turn 1\b.*: Tidy up src\/api\.$/),
      expect.stringMatching(/^turn 1: \d+ messages left out here, not from the user, about \d+ tokens: $/),
      'turn 1, from a hook, not from the user: Rule 10: keep the pu',
      'turn 1, from a hook, not from the user: Rule 11: keep the pu',
      expect.stringMatching(/^turn 2\b.*: Only the handlers\.$/),
      'turn 2, from a hook, not from the user: Run npm run lint bef',
      'turn 2, from a hook, not from the user: Tests are missing.',
    ]);
  }
});

const followUp: readonly Happening[] = [
  ask('Second thought: write down what you decide in DECISIONS.md.'),
  run('wc -l DECISIONS.md', '12 DECISIONS.md'),
];
const lastWord: readonly Happening[] = [ask('Third thought: and sign each decision with the date.')];

/** The conversation goes on behind a checkpoint, and its newest message becomes the active request. */
function later(before: Asked, { entries }: Prompt, more: readonly Happening[]): Asked {
  const story = [...before.conversation.story, ...more];
  const played = play(more, { ...before.played, entries });
  const newest = played.sent.at(-1)!;
  const conversation = {
    ...before.conversation,
    story,
    done: `Decisions are in DECISIONS.md: ${newest.text.length} of them.`,
    next: 'add the date to DECISIONS.md',
  };
  return { ...before, conversation, played, active: [newest] };
}
