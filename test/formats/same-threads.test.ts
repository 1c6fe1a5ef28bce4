import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, inject, it } from 'vitest';
import type { Json } from '../../src/protocol/json.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { compacts, talk } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { type Format, formats, speaking } from './formats.ts';
import { lookUp, type RunningThread, type SharedThread, sharedThreads } from './shared-threads.ts';
import { projected } from './thread-projection.ts';

const named = (title: string): Format => formats.find((format) => format.title === title)!;
const plain = named('Responses');
const others = ['Responses over WebSocket', 'Chat', 'Messages'].map(named);
const all = [plain, ...others];

/** The results of a thread when it is over: its events, its lines, and its changes to files. */
async function played(
  shared: SharedThread,
  formatOf: (turn: number) => Format,
  wants: 'one-process' | 'process-per-turn',
): Promise<{ readonly events: readonly Json[]; readonly lines: readonly Json[]; readonly files: Json }> {
  const script = talk(shared.script(), shared.compaction ?? compacts);
  const live = await LiveThread.in(script, shared.config);
  let turns = 0;
  const open = (): Promise<unknown> => {
    const format = formatOf(turns);
    return live.open(speaking(format, { id: `by${all.indexOf(format)}`, url: live.model.url }), { tools: [lookUp] });
  };
  const thread: RunningThread = {
    live,
    turn: async (text, more) => {
      if (turns > 0 && wants === 'process-per-turn') await open();
      turns += 1;
      return live.turn(text, more);
    },
    reopen: async () => void (await open()),
  };
  await open();
  await shared.run(thread);
  await live.close();
  const inside = readdirSync(live.place.workspace, { recursive: true, withFileTypes: true });
  const paths = inside.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = Object.fromEntries(
    paths.map((path) => [relative(live.place.workspace, path), readFileSync(path, 'base64')]),
  );
  const place = live.place.root;
  return {
    events: projected(usageLast(live.events.filter((event) => !isSlowShell(event))), place),
    lines: projected(live.place.lines(), place),
    files,
  };
}

/** Puts usage last: it comes with the end of an answer, which may be read before or after its calls begin. */
function usageLast(events: readonly ThreadEvent[]): readonly ThreadEvent[] {
  return events.toSorted((one, other) => Number(one.kind === 'usage') - Number(other.kind === 'usage'));
}

/** On a busy machine the shell of one of them may start late. */
function isSlowShell(event: ThreadEvent): boolean {
  return event.kind === 'warning' && event.outcome.code === 'login-shell-slow';
}

// The fast tests take some, each in one other format.
const isQuick = inject('runFactor') === 1;
const chosen = sharedThreads
  .map((shared, index) => ({ title: shared.title, shared, among: isQuick ? [others[(index / 8) % 3]!] : others }))
  .filter((_, index) => !isQuick || index % 8 === 0);

it('there are at least 40 of them', () => {
  expect(new Set(sharedThreads.map(({ title }) => title)).size).toBeGreaterThanOrEqual(40);
});

it.each(chosen)('tells, writes and does the same in every format: $title', async ({ shared, among }) => {
  const expected = await played(shared, () => plain, 'one-process');
  for (const format of among) {
    expect(await played(shared, () => format, 'one-process'), format.title).toEqual(expected);
  }
});

it.each(isQuick ? chosen.filter((_, index) => index % 4 === 1) : chosen)(
  'does so if it changes its format at every turn: $title',
  async ({ shared }) => {
    const expected = await played(shared, () => plain, 'process-per-turn');
    const changing = await played(shared, (turn) => all[(turn + 2) % all.length]!, 'process-per-turn');
    expect(changing).toEqual(expected);
  },
);
