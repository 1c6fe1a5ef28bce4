import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStep, type ScriptStepOf } from '../../src/testing/index.ts';
import { checkpointText, isCompaction } from '../compaction/summariser.ts';
import type { Place } from '../harness/run-capstan.ts';
import { AppServer } from './app-server.ts';
import { compactByHand, configure, known, strategies } from './checkpoint-files.ts';
import { runCodex } from './codex.ts';
import { codexInput, inputOf, textsOf, withoutNullContent } from './items.ts';
import { runCapstan, scene, type Scene, threadOf } from './scene.ts';

const long = 'The parser reads one line at a time. '.repeat(300);
const request = 'Build the parser.';
const limit = 60_000;

const structured = answer({ items: [say(checkpointText(request, ['Now the tests.']))] });
const plain = answer({ items: [say('The parser is half done; the tests come next.')] });
const useless = answer({ items: [] });

/** Words with `look` make the model call a tool; after words with `full`, or their tool, the window is full. */
function model(checkpoint: ScriptStep): ScriptStepOf {
  return (asked) => {
    if (isCompaction(asked)) return checkpoint;
    const input = asked.body['input'] as unknown as readonly JsonObject[];
    const last = input.at(-1)!;
    const [said = ''] = textsOf([last]);
    const usage = said.includes('full') ? { usage: { input: 2 * limit, total: 2 * limit + 10 } } : {};
    if (last['role'] === 'user' && said.includes('look') && !said.startsWith('<checkpoint_summary>')) {
      return answer({ items: [callTool('exec_command', { cmd: 'echo looked' })], ...usage });
    }
    return answer({ items: [say(`Done. ${long}`)], ...usage });
  };
}

interface Kind {
  readonly checkpoint: ScriptStep;
  readonly strategy: string;
  readonly configured: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  structured: { checkpoint: structured, strategy: 'structured', configured: 'structured' },
  plain: { checkpoint: plain, strategy: 'plain', configured: 'plain' },
  mechanical: { checkpoint: useless, strategy: 'mechanical', configured: 'structured' },
};

/** Ways to a checkpoint of ours. Each gives back the id of the thread. */
const ways: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  async 'by hand'(place) {
    const id = threadOf(await runCapstan(place, request));
    await runCapstan(place, 'resume', id, 'Now the tests: look.');
    await compactByHand(place, id);
    return id;
  },
  async 'before a turn'(place) {
    const id = threadOf(await runCapstan(place, `${request} It gets full.`));
    await runCapstan(place, 'resume', id, 'Now the tests: look.');
    return id;
  },
  async 'in the middle of a turn'(place) {
    const id = threadOf(await runCapstan(place, request));
    await runCapstan(place, 'resume', id, 'Now the tests: look until it is full.');
    return id;
  },
};

describe.each(Object.keys(ways))('a thread of ours with a checkpoint made %s', (way) => {
  it.each(Object.keys(kinds))('%s: continues in Codex item for item, and comes back', async (kind) => {
    const { checkpoint, strategy, configured } = kinds[kind]!;
    const set = await scene(model(checkpoint));
    const { place } = set;
    configure(place, `compaction.strategy = "${configured}"\nmodel_auto_compact_token_limit = ${limit}\n`);
    const id = await ways[way]!(place);
    expect(strategies(place)).toEqual([strategy]);
    const ours = known(place);
    const codex = await runCodex(place, 'resume', id, 'Third words.');
    expect([codex.code, codex.events.at(-1)?.['type'], threadOf(codex)], codex.stderr).toEqual([
      0,
      'turn.completed',
      id,
    ]);
    const theirs = codexInput(set.model, set.model.requests.length - 1).history.map(withoutNullContent);
    expect(theirs.slice(0, ours.length)).toEqual(ours);
    expect(textsOf(theirs).at(-1)).toBe('Third words.');
    await comesBack(set, id);
  });
});

describe('Codex and checkpoints of ours', () => {
  it('makes a checkpoint of its own over ours, and we continue from that, and make one more', async () => {
    const set = await scene(model(structured));
    const { place } = set;
    configure(place, `compact_prompt = "Sum it up."\nmodel_auto_compact_token_limit = ${limit}\n`);
    const id = await ways['by hand']!(place);
    await runCodex(place, 'resume', id, 'More of it, until it is full.');
    const codex = await runCodex(place, 'resume', id, 'And more.');
    expect(codex.code, codex.stderr).toBe(0);
    expect(strategies(place)).toEqual(['structured', undefined]);
    const all = known(place);
    expect(textsOf(all)).toContain('And more.');
    // Codex knows the checkpoint's own text for one of the user's messages, and keeps it whole.
    expect(textsOf(all).filter((text) => text.includes('<VERBATIM_REQUEST_START>'))).toHaveLength(1);
    await comesBack(set, id);
    await compactByHand(place, id);
    expect(strategies(place)).toEqual(['structured', undefined, 'structured']);
    const texts = textsOf(known(place)).join('\n');
    // Both summaries are compacted into the new one, whatever program wrote them.
    expect([texts.includes(long), texts.split('<checkpoint_summary>').length]).toEqual([false, 2]);
    // The words of the user are there once, also those that only our first checkpoint still quoted.
    for (const said of [request, 'Now the tests: look.', 'And more.', 'Fourth words.'])
      expect(texts.split(said), said).toHaveLength(2);
    await comesBack(set, id);
  });

  it('lists the thread with its turns', async () => {
    const { place } = await scene(model(structured));
    configure(place, `model_auto_compact_token_limit = ${limit}\n`);
    const id = await ways['in the middle of a turn']!(place);
    await compactByHand(place, id);
    await runCapstan(place, 'resume', id, 'Go on.');
    const server = await AppServer.start(place);
    try {
      const threads = await server.call('thread/list', { sourceKinds: ['exec'] });
      expect(threads['data']).toMatchObject([{ id, preview: request }]);
      await server.call('thread/resume', { threadId: id, excludeTurns: true });
      const turns = await server.call('thread/turns/list', { threadId: id, sortDirection: 'asc', itemsView: 'full' });
      expect((turns['data'] as readonly JsonObject[]).map(shownTurn)).toEqual([
        ['completed', 'userMessage', 'agentMessage'],
        ['completed', 'userMessage', 'commandExecution', 'contextCompaction', 'agentMessage'],
        ['completed', 'contextCompaction'],
        ['completed', 'userMessage', 'agentMessage'],
      ]);
    } finally {
      await server.close();
    }
  });
});

function shownTurn({ status, items }: JsonObject): readonly unknown[] {
  return [status, ...(items as readonly JsonObject[]).map(({ type }) => type)];
}

async function comesBack({ model: scripted, place }: Scene, id: string): Promise<void> {
  const all = known(place);
  const again = await runCapstan(place, 'resume', id, 'Fourth words.');
  expect([again.code, again.events.at(-1)?.['type']], again.stderr).toEqual([0, 'turn.completed']);
  const input = inputOf(scripted, scripted.requests.length - 1).map(withoutNullContent);
  expect(input.slice(0, all.length)).toEqual(all);
  expect(textsOf(input).at(-1)).toBe('Fourth words.');
}
