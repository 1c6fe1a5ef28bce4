import { answer, callTool, compacted, type ItemDraft, say, type ScriptStep } from '../../../src/testing/index.ts';
import { checkpointText } from '../../compaction/summariser.ts';
import { command, done } from '../model.ts';
import { type Run, threadId } from '../run.ts';

const task = 'Build the parser.';
/** About 25,000 tokens by the program's estimate. */
const long = 'word '.repeat(25_000);
const smallLimit = 'model_auto_compact_token_limit = 20000\n';
const sealed: ItemDraft = { type: 'compaction', encrypted_content: 'c2VhbGVk' };

/** No provider counts these, so the program goes by its own estimate. */
const says = (...items: readonly ItemDraft[]): ScriptStep => answer({ items, usage: 'none' });
const checkpoint = (): ScriptStep => says(say(checkpointText(task, [task])));

const models = [
  { slug: 'large', context_window: 200_000, base_instructions: 'You are large.' },
  { slug: 'small', context_window: 60_000, base_instructions: 'You are small.' },
];

export const compactionRuns: readonly Run[] = [
  {
    name: 'compaction-before-turn',
    configuration: { top: smallLimit },
    speeches: { main: [says(say(long)), checkpoint(), says(say('Yes.'))] },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const id = threadId(await world.run('exec', '--json', '--context-events', task));
      await world.run('exec', '--json', '--context-events', 'resume', id, 'Go on.');
      await world.run('context', id, '--checkpoint', 'last');
      await world.run('replay', id);
    },
  },
  {
    name: 'compaction-mid-turn',
    configuration: { top: smallLimit },
    speeches: {
      main: [says(say(long), callTool('exec_command', { cmd: 'echo hello' })), checkpoint(), says(say('Yes.'))],
    },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const id = threadId(await world.run('exec', '--json', '--context-events', task));
      await world.run('replay', id);
    },
  },
  {
    name: 'compaction-plain-by-hand',
    configuration: { top: 'compaction.strategy = "plain"\n' },
    speeches: {
      main: [command('seq 1 400'), says(say(long)), says(say('Counted. RESUME_AT: nothing.')), done('Onwards.')],
    },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const id = threadId(await world.run('exec', '--json', task));
      await world.run('threads', 'pin', id, 'Keep this.');
      await world.run('threads', 'compact', id, 'the numbers', '--json');
      await world.run('exec', '--json', 'resume', id, 'Go on.');
      await world.run('threads', 'rollback', id, '--before-checkpoint');
    },
  },
  {
    name: 'compaction-structured-mended',
    configuration: { top: 'compaction.strategy = "structured"\n' },
    speeches: { main: [says(say(long)), says(say('No JSON.')), checkpoint(), done('Onwards.')] },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const id = threadId(await world.run('exec', '--json', task));
      await world.run('threads', 'compact', id);
      await world.run('exec', '--json', 'resume', id, 'Go on.');
    },
  },
  ...(['stream', 'unary'] as const).map((form): Run => ({
    name: `compaction-remote-${form}`,
    configuration: {
      top: `compaction.strategy = "remote"\nfeatures.remote_compaction_v2 = ${form === 'stream'}\n`,
      provider: 'server_capabilities.remote_compaction = true\n',
    },
    speeches: {
      main: [says(say(long)), form === 'stream' ? says(sealed) : compacted({ output: [sealed] }), done('Onwards.')],
    },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const id = threadId(await world.run('exec', '--json', task));
      await world.run('threads', 'compact', id);
      await world.run('exec', '--json', 'resume', id, 'Go on.');
    },
  })),
  {
    name: 'compaction-at-model-switch',
    configuration: { top: 'model_catalog_json = "models.json"\n' },
    speeches: {
      main: [
        answer({ items: [say(long.slice(0, 8000))], usage: { input: 70_000, total: 70_010 } }),
        checkpoint(),
        done('Small.'),
      ],
    },
    expects: ['request', 'file', 'event'],
    async play(world) {
      world.write('home/models.json', JSON.stringify({ models }));
      const id = threadId(await world.run('exec', '--json', '-m', 'large', task));
      await world.run('exec', '--json', '--context-events', '-m', 'small', 'resume', id, 'Go on.');
    },
  },
];
