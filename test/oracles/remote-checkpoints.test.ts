import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, compacted, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { checkpointText } from '../compaction/summariser.ts';
import { compactByHand, configure, known, strategies } from './checkpoint-files.ts';
import { CodexThread } from './codex-thread.ts';
import { runCodex } from './codex.ts';
import { codexInput, inputOf, textsOf, withoutNullContent } from './items.ts';
import { runCapstan, scene, type Scene, threadOf } from './scene.ts';

const long = 'The parser reads one line at a time. '.repeat(300);

/** A provider that makes checkpoints itself, in both forms. Each is sealed under a number of its own. */
function provider(): ScriptStepOf {
  let made = 0;
  const sealed = () => ({ type: 'compaction', encrypted_content: `sealed ${++made} ${'A'.repeat(800)}` });
  return ({ body, path }) => {
    const input = body['input'] as unknown as readonly JsonObject[];
    if (path.endsWith('/compact')) return compacted({ output: [sealed()] });
    if (input.at(-1)?.['type'] === 'compaction_trigger') return answer({ items: [sealed()] });
    if (body['tool_choice'] === 'none') return answer({ items: [say(checkpointText('one', ['two']))] });
    return answer({ items: [say(`Done. ${long}`)] });
  };
}

/** Both programs know the provider, and that it can do so. */
async function remoteScene(keys: string): Promise<Scene> {
  const set = await scene(provider());
  const path = join(set.place.home, 'config.toml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('model_provider = "scripted"', 'model_provider = "known"'));
  configure(set.place, keys);
  const table = `\n[model_providers.known]\nname = "OpenAI"\nserver_capabilities.remote_compaction = true\nbase_url = "${set.model.url}"\nwire_api = "responses"\n`;
  appendFileSync(path, `${table}supports_websockets = false\n`);
  return set;
}

const forms = {
  'the streaming form': 'features.remote_compaction_v2 = true',
  'the endpoint of its own': 'features.remote_compaction_v2 = false',
} as const;

describe('checkpoints that the provider makes', () => {
  it('of Codex are kept and sent by us, and compacted into one of ours', async () => {
    const set = await remoteScene('');
    const { place, model } = set;
    const thread = await CodexThread.start(place, 'paginated');
    await thread.say('one');
    await thread.compact();
    await thread.say('two');
    await thread.close();
    const theirs = codexInput(model, model.requests.length - 1).history.map(withoutNullContent);
    expect(sealedIn(theirs)).toEqual(['sealed 1']);
    const capstan = await runCapstan(place, 'resume', thread.id, 'three');
    expect(capstan.code, capstan.stderr).toBe(0);
    const ours = inputOf(model, model.requests.length - 1);
    expect(ours.slice(0, theirs.length)).toEqual(theirs);

    await compactByHand(place, thread.id);
    // The model that is asked can read what its provider sealed.
    expect(sealedIn(inputOf(model, model.requests.length - 1))).toEqual(['sealed 1']);
    expect(strategies(place)).toEqual([undefined, 'structured']);
    await goesOnInBoth(set, thread.id, []);
  });

  // Codex has only the streaming form left.
  it.each(Object.entries(forms))('are ours by choice, in %s, and go on in Codex', async (_name, gate) => {
    const set = await remoteScene(`${gate}\ncompaction.strategy = "remote"`);
    const { place } = set;
    const id = threadOf(await runCapstan(place, 'one'));
    await runCapstan(place, 'resume', id, 'two');
    await compactByHand(place, id);
    expect(strategies(place)).toEqual(['remote']);
    expect(set.model.requests.some(({ path }) => path.endsWith('/compact'))).toBe(gate.endsWith('false'));
    await goesOnInBoth(set, id, ['sealed 1']);
    await compactByHand(place, id);
    expect(strategies(place)).toEqual(['remote', 'remote']);
    await goesOnInBoth(set, id, ['sealed 2']);
  });
});

/** Codex and then Capstan say one more thing; both send what stands in the file, item for item. */
async function goesOnInBoth({ model, place }: Scene, id: string, sealed: readonly string[]): Promise<void> {
  for (const [run, words] of [
    [runCodex, 'Codex goes on.'],
    [runCapstan, 'Capstan goes on.'],
  ] as const) {
    const all = known(place);
    const ran = await run(place, 'resume', id, words);
    expect([ran.code, ran.events.at(-1)?.['type']], ran.stderr).toEqual([0, 'turn.completed']);
    const last = model.requests.length - 1;
    const sent = (run === runCodex ? codexInput(model, last).history : inputOf(model, last)).map(withoutNullContent);
    expect(sent.slice(0, all.length)).toEqual(all);
    expect([sealedIn(sent), textsOf(sent).at(-1)]).toEqual([sealed, words]);
  }
}

function sealedIn(items: readonly JsonObject[]): readonly string[] {
  return items
    .filter(({ type }) => type === 'compaction')
    .map(({ encrypted_content: content }) => String(content).slice(0, 'sealed 1'.length));
}
