import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';
import { scene } from '../harness/scene.ts';
import { revisions } from '../mcp-server/clients.ts';
import { OfficialHost } from '../mcp-tools/official.ts';

/** About 6,000 tokens. */
const long = 'The tide comes in and goes out again. '.repeat(700);

describe.each(revisions)('revision %s', (revision) => {
  it.each(['none', {}] as const)(
    'a long conversation is compacted by itself and by hand, with usage %o',
    async (usage) => {
      const { model, place } = await scene(
        (request) =>
          isCompaction(request)
            ? saysCheckpoint(checkpointText('Watch the tide.', []))
            : answer({ items: [say(long)] }),
        'model_context_window = 32000\n',
        {
          usage,
          ...(usage === 'none'
            ? {}
            : {
                window: {
                  tokens: 32_000,
                  count: (sent: { readonly body: JsonObject }) => JSON.stringify(sent.body).length / 4,
                },
              }),
        },
      );
      const folders = ['harbour', 'beach', 'cliff'].map((name) => join(place.workspace, name));
      for (const folder of folders) mkdirSync(folder);
      const host = await OfficialHost.in(place, { revision });
      const { thread_id } = (await host.data('thread_start', { approval_policy: 'never' })) as { thread_id: string };
      const automatic = async (): Promise<number> => {
        const { checkpoints } = await host.data('thread_context', { thread_id });
        return (checkpoints as readonly JsonObject[]).length;
      };
      /** A turn. The client must get the folder that the model reads of before it gets the answer. */
      const turn = async (text: string, told?: JsonObject): Promise<void> => {
        const { data, events } = await host.heard('thread_send', { thread_id, text });
        expect(data).toMatchObject({ status: 'completed' });
        const answered = events.findIndex(({ item }) => (item as JsonObject | undefined)?.['type'] === 'agent_message');
        const change = events.findIndex(({ type, kind }) => type === 'context' && kind === 'environment_context');
        expect(answered).toBeGreaterThan(0);
        if (told === undefined) return;
        expect(events[change]).toMatchObject({ value: told });
        expect(change).toBeGreaterThanOrEqual(0);
        expect(change).toBeLessThan(answered);
      };

      await turn('Watch the tide.', { cwd: place.workspace });
      for (let at = 0; (await automatic()) < 3; at++) {
        if (at > 40) throw new Error('not compacted');
        const cwd = folders[at % folders.length]!;
        const sandbox = at % 2 === 0 ? 'read-only' : 'workspace-write';
        const { settings } = await host.data('thread_override', { thread_id, cwd, sandbox });
        expect(settings).toMatchObject({ cwd, sandbox });
        await turn(`Go on, ${at}.`, { cwd });
      }
      const byItself = model.requests.filter(isCompaction).length;
      expect(byItself).toBeGreaterThanOrEqual(3);

      // The last of them may have come after a turn, and left nothing to compact.
      await turn('Once more.');
      const { report } = await host.data('thread_compact', { thread_id, focus: 'the beach' });
      expect(report).toMatchObject({ trigger: 'manual' });
      expect(JSON.stringify(model.requests.findLast(isCompaction)!.body)).toContain('the beach');
      await host.data('thread_override', { thread_id, cwd: place.workspace });
      await turn('And now?', { cwd: place.workspace });

      const replay = await host.data('thread_replay', { thread_id });
      expect(replay).toMatchObject({
        ok: true,
        counts: { same: model.requests.length, different: 0, tools_missing: 0 },
        requests: [],
      });
    },
  );
});
