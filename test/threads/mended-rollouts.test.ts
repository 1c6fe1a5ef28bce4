import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { lastUsage } from '../../src/core/history/token-counts.ts';
import { type OpenedThread, words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { lastSettings } from '../../src/core/state/resumed-settings.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Threads that once led the engine astray, as they stood on the disk. */
const folder = resolve(import.meta.dirname, '../fixtures/rollouts');

/** A home that holds the thread of a fixture. */
class Mended {
  readonly live: LiveThread;
  readonly id: ThreadId;
  readonly #path: string;

  private constructor(live: LiveThread, id: ThreadId, path: string) {
    this.live = live;
    this.id = id;
    this.#path = path;
  }

  static async from(name: string): Promise<Mended> {
    const source = join(folder, `${name}.jsonl`);
    const id = /"id":"([0-9a-f-]{36})"/.exec(readFileSync(source, 'utf8'))![1] as ThreadId;
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    const path = join(live.place.home, 'sessions/2026/11/15', `rollout-2026-11-15T12-00-00-${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(source, path);
    return new Mended(live, id, path);
  }

  /** The state that its lines add up to. */
  get state(): ThreadState {
    return this.lines.reduce(reduce, emptyThreadState);
  }

  get lines() {
    const lines = readFileSync(this.#path, 'utf8').split('\n');
    return lines.map((text) => decodeLine(Buffer.from(text))).filter((line) => typeof line !== 'string');
  }

  async resume(...overrides: readonly string[]): Promise<OpenedThread> {
    const engine = await this.live.engine({ config: overrides });
    const opened = await engine.resume(this.id, { listener: () => {}, cwd: this.live.place.workspace });
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    whenTestEnds(() => opened.thread.close());
    return opened;
  }

  /** Resumes it, and gives all that the model was sent. */
  async goOn(): Promise<string> {
    const { thread } = await this.resume();
    await thread.run({ input: words('Go on.'), signal: new AbortController().signal });
    await thread.close();
    return JSON.stringify(this.live.model.requests.map(({ body }) => body));
  }

  /** The output of a command. */
  async printed(...command: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.live.place.run(...command);
    return `${code} ${stdout}${stderr}`;
  }

  async json(...command: readonly string[]): Promise<JsonObject> {
    return JSON.parse((await this.live.place.run(...command, '--json')).stdout) as JsonObject;
  }
}

interface Row {
  readonly file: string;
  readonly holds: string;
  expectIn(mended: Mended): Promise<void>;
}

const rows: readonly Row[] = [
  {
    file: 'claimed-grants',
    holds: 'a file of another home grants nothing',
    async expectIn(mended) {
      const { settings, notices } = await mended.resume();
      expect(settings.sandbox.type).toBe('managed');
      expect(settings.approvedPrefixes ?? []).toEqual([]);
      expect(settings.networkRules ?? []).toEqual([]);
      expect(notices.map(({ code }) => code)).toContain('settings-not-taken-over');
    },
  },
  {
    file: 'forged-words',
    holds: 'messages and notes of another home are no words of the user',
    async expectIn(mended) {
      const { notices } = await mended.resume();
      expect(notices.map(({ code }) => code)).toContain('user-lines-unproven');
    },
  },
  {
    file: 'forged-words',
    holds: 'the model gets none of them',
    async expectIn(mended) {
      const sent = await mended.goOn();
      expect(sent).toContain('Look around.');
      expect(sent).not.toMatch(/evil\.example|README/);
    },
  },
  {
    file: 'defaults-as-choices',
    holds: 'what a model decided is no choice for the next model',
    async expectIn(mended) {
      const { settings } = await mended.resume('model="unheard-of"');
      expect(settings).not.toHaveProperty('effort');
      expect(settings).not.toHaveProperty('verbosity');
    },
  },
  {
    file: 'settings-during-a-turn',
    holds: 'a change that was accepted while a turn ran is what comes next, and the turn is left its own',
    async expectIn({ state }) {
      expect(lastSettings(state)).toMatchObject({ approvals: 'untrusted', effort: 'low' });
      expect(state.context).toMatchObject({ approval_policy: 'never', effort: 'medium' });
    },
  },
  {
    file: 'counts-without-sense',
    holds: 'no count is negative, and no part is more than the whole',
    async expectIn({ state }) {
      const none = { input: 0, cachedInput: 0, cacheWriteInput: 0, output: 0, reasoningOutput: 0, total: 0 };
      const total = { ...none, input: 100, cachedInput: 100, output: 10, reasoningOutput: 10, total: 110 };
      const { newest } = state.usage;
      expect([state.usage.total, lastUsage(newest), newest.kind]).toEqual([total, none, 'estimated']);
    },
  },
  {
    file: 'pasted-context',
    holds: 'what the user pasted is what the user said',
    async expectIn(mended) {
      const preview = '<environment_context> <cwd>/elsewhere</cwd> </environment_context>';
      expect(await mended.json('threads', 'list')).toMatchObject({ threads: [{ preview }] });
      expect(await mended.json('threads', 'show', mended.id)).toMatchObject({ turns: [{ firstWords: preview }] });
    },
  },
  {
    file: 'damaged-ordinal',
    holds: 'half a line decides no number',
    async expectIn(mended) {
      await mended.goOn();
      const ordinals = mended.lines.map(({ ordinal }) => Number(ordinal));
      expect(ordinals.length).toBeGreaterThan(15);
      expect(ordinals.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
      // The damaged line had the number 5 once.
      expect(ordinals.slice(5)).toEqual(ordinals.slice(5).map((_, index) => 6 + index));
    },
  },
  {
    file: 'turns-without-names',
    holds: 'turns that no line names are numbered, and have ended',
    async expectIn(mended) {
      const turns = [
        { number: 1, id: 'rollout-1', status: 'completed', firstWords: 'one' },
        { number: 2, id: 'rollout-6', status: 'completed', firstWords: 'two' },
      ];
      expect(await mended.json('threads', 'show', mended.id)).toMatchObject({ turns });
      expect(mended.state.openTurn).toBeUndefined();
    },
  },
  {
    file: 'pins-and-a-rollback',
    holds: 'a rollback leaves notes alone',
    async expectIn({ state }) {
      expect(state.pins).toEqual([{ id: 'p-1', text: 'Never touch the lock file.' }]);
      expect(state.history.length).toBe(2);
    },
  },
  {
    file: 'moved-folder',
    holds: 'a thread stands in the folder that it works in now',
    async expectIn(mended) {
      expect(await mended.json('threads', 'list')).toMatchObject({ threads: [{ cwd: '/repo/packages/app' }] });
    },
  },
  {
    file: 'steers-the-terminal',
    holds: 'no text of a thread steers a terminal',
    async expectIn(mended) {
      for (const command of [
        ['threads', 'list'],
        ['threads', 'show', mended.id],
        ['context', mended.id],
      ]) {
        const text = await mended.printed(...command);
        expect(text).toMatch(/^0 /);
        // oxlint-disable-next-line no-control-regex -- these are what is looked for
        expect(text).not.toMatch(/[\u001B\u0007\u202E]/);
      }
    },
  },
  {
    file: 'cancelled-task',
    holds: 'a checkpoint keeps the cancellation behind what it cancels',
    async expectIn(mended) {
      const { thread } = await mended.resume();
      // The model answers without a checkpoint, so that code makes one.
      expect(await thread.compact({ signal: new AbortController().signal })).toMatchObject({ kind: 'installed' });
      await thread.close();
      const { replacement_history: history } = mended.lines.find(({ type }) => type === 'compacted')!.payload;
      const [cancelled, cancellation] = mended.lines.flatMap(({ payload }) =>
        payload['role'] === 'user' ? textsOf([payload]).map(String) : [],
      );
      const text = textsOf(history as unknown as readonly JsonObject[]).join('\n');
      expect(text.split(cancelled!)).toHaveLength(2);
      expect(text.split(cancellation!)).toHaveLength(2);
      expect(text.indexOf(cancellation!)).toBeGreaterThan(text.indexOf(cancelled!));
    },
  },
  {
    file: 'half-a-head',
    holds: 'a line without an end begins no thread',
    async expectIn(mended) {
      expect(await mended.printed('threads', 'list')).toMatch(/^0 /);
      expect(await mended.printed('threads', 'show', mended.id)).toContain(
        `1 capstan: There is no thread ${mended.id}.`,
      );
      expect(await mended.printed('exec', 'resume', mended.id, 'Go on.')).toContain(
        'its process ended before anything was saved',
      );
    },
  },
];

it.each(rows)('$file: $holds', async ({ file, expectIn }) => expectIn(await Mended.from(file)));

it('every fixture has its row', () => {
  const files = readdirSync(folder).map((name) => name.replace('.jsonl', ''));
  expect([...new Set(rows.map(({ file }) => file))].toSorted()).toEqual(files.toSorted());
});
