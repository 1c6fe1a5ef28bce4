import { describe, expect, it } from 'vitest';
import { capstan, windows } from '../../bench/compaction/conversations/capstan.ts';
import { measure } from '../../bench/compaction/conversations/measure.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { askedAbout } from '../compaction/conversations/asked.ts';
import { cancelled } from '../compaction/conversations/cancelled.ts';
import { ask, type Conversation, hook, plan, say } from '../compaction/conversations/conversation.ts';
import { play } from '../compaction/conversations/play.ts';
import { summariser } from '../compaction/conversations/summarisers.ts';

const long = `Convert these: ${'name, '.repeat(200)}and stop.`;
const conversation: Conversation = {
  name: 'a long paste, cancelled',
  story: [
    ask(long, { pictures: 2 }),
    plan('> convert the names'),
    hook('Keep <b> as it is.'),
    say('I convert them.'),
    ask('No, forget the names.'),
    ask('List the files.'),
  ],
  active: ['List the files.'],
  over: ['Convert these:'],
  done: 'Nothing is converted.',
  next: 'ls',
};
const asked = askedAbout(conversation, play(conversation.story));
const user = (text: string): JsonObject => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const summary = (text: string): JsonObject =>
  user(`Another language model started to solve this problem and more\n${text}`);
const world = user('<environment_context>\n</environment_context>');
const rest = { pictures: { found: 0, of: 2 }, others: { found: 0, of: 1 } };

describe('what is measured of a prompt', () => {
  it('messages by themselves: what is missing without a mark, and an old answer in the place of the summary', () => {
    const input = [user('List the files.'), world, summary('I convert them.')];
    expect(measure(input, asked)).toMatchObject({
      ...rest,
      messages: { found: 1, of: 3 },
      marked: { found: 0, of: 4 },
      task: 'open',
      isOldAnswer: true,
    });
  });

  it('a message with a mark in its middle', () => {
    const cut = user(`${long.slice(0, 60)}…300 tokens truncated…and stop.`);
    const input = [cut, user('No, forget the names.'), user('List the files.'), summary('Nothing is converted.')];
    expect(measure(input, asked)).toMatchObject({
      ...rest,
      messages: { found: 2, of: 3 },
      marked: { found: 1, of: 3 },
      task: 'right',
    });
  });

  it('a list with notes: what they count, whom they name, and a step of a plan that is over', () => {
    const list = user(`The conversation before this point was compacted. Lines that begin with ===== are notes
===== turn 1: 1 message left out here, about 300 tokens =====
===== turn 1, from a hook, not from the user =====
Keep <b> as it is.
===== turn 2, 2 pictures left out =====
No, forget the names.
===== turn 3 =====
List the files.
===== end =====
`);
    const step = user(
      '<checkpoint_summary>\nNotes.\n\nRESUME_AT: the next step of the plan: convert the names\n</checkpoint_summary>',
    );
    expect(measure([list, step], asked)).toMatchObject({
      pictures: { found: 0, of: 2 },
      others: { found: 1, of: 1 },
      messages: { found: 2, of: 3 },
      marked: { found: 3, of: 3 },
      task: 'wrong',
    });
  });
});

it.each(['structured, good', 'plain, thin', 'remote, good', 'mechanical'])(
  'a conversation through the engine: %s',
  async (name) => {
    const started = await capstan(windows.small).start(summariser(name));
    try {
      const about = askedAbout(cancelled[0]!, play(cancelled[0]!.story));
      const prompted = await started.prompt(about, '019b8d00-3333-7000-8000-000000000001');
      if ('failed' in prompted) throw new Error(prompted.failed);
      const { messages, task } = measure(prompted.input, about);
      expect({ messages, task }).toEqual({
        messages: { found: 2, of: 2 },
        task: name.startsWith('structured') || name.startsWith('plain') ? 'right' : 'open',
      });
    } finally {
      await started.close();
    }
  },
);
