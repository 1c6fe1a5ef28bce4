import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import type { AskUser } from '../../src/ports/ask-user.ts';
import { parseThreadId } from '../../src/protocol/ids.ts';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import type { Question } from '../../src/protocol/question.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { words } from '../../src/protocol/user-input.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { keepCompiled } from '../harness/compiled-once.ts';
import { connectable, escalating, stoppable } from '../harness/needy-tools.ts';
import { WatchedThread } from '../harness/watched-thread.ts';

/**
 * A process that runs turns of several threads, or continues those that wait, until it is killed. It answers its own
 * questions after a moment, by their ids or as it is asked, prints what it asks and what it has acknowledged, and notes
 * each effect in a file. What it has answered it answers again, and otherwise: that must count for nothing. At the
 * moment that it is given, if any, it kills itself, so that a slow machine meets the moment as well.
 */
keepCompiled();
/** No host is listed, so that each of them is asked about. */
const profile: PermissionProfile = {
  type: 'managed',
  file_system: { type: 'restricted', entries: [{ path: { type: 'path', path: '/' }, access: 'read' }] },
  network: 'enabled',
  capstan_network: { lists: { allow: [], deny: [], local: false, methods: 'any' } },
};
const [, , folder, url, moment, ...ids] = process.argv;
const locks = createFlock({ clock: systemClock, programs: systemPrograms });
await Promise.all(ids.map(runThread));

async function runThread(id: string, number: number): Promise<void> {
  const home = join(folder!, String(number));
  const thread = new WatchedThread(url!, { home, files: nodeFiles, locks }, parseThreadId(id));
  thread.idStart = process.pid * 100 + number;
  thread.settings = { approvals: 'on-request', sandbox: profile };
  const effects = noted(join(home, 'effects'));
  const tool = connectable(stoppable(escalating(effects)), (effect) => effects.push(effect));
  const before: string[] = [];
  const askUser: AskUser = {
    ask: async (question) => {
      await sleep(Math.random() * 15);
      const kind = kindFor(question);
      const late = kind === 'allowed' ? 'declined' : 'allowed';
      const live = thread.live!;
      for (const id of before) void live.answer(id, { kind: late });
      before.push(question.id);
      if (Math.random() < 0.4) return { kind };
      // Those that wait for their turn first.
      const others = Math.random() < 0.5 ? live.questions.filter(({ id }) => id !== question.id) : [];
      for (const other of others) void live.answer(other.id, { kind: kindFor(other) });
      before.push(...others.map(({ id }) => id));
      await sleep(Math.random() * 5);
      void live.answer(question.id, { kind });
      void live.answer(question.id, { kind: late });
      return new Promise(() => {});
    },
  };
  thread.adapt = (parts) => ({ ...parts, router: createToolRouter([() => [tool]]), askUser });
  const print = (what: object): void => {
    process.stdout.write(`${JSON.stringify({ thread: number, id: thread.id, ...what })}\n`);
  };
  thread.onEvent = (event) => {
    if (event.kind === 'question-asked') print({ kind: 'asked', question: event.question.id });
    if (event.kind === 'question-answered') print({ kind: event.answer.kind, question: event.id });
    if (momentOf(event) === moment) process.kill(process.pid, 'SIGKILL');
  };
  const signal = new AbortController().signal;
  for (let turn = 0; ; turn++) {
    const live = await thread.open();
    if (live.isSuspended) await live.continue({ signal });
    else await live.run({ input: words(`turn ${turn} of process ${process.pid}`), signal });
  }
}

/** The moment that a kill can wait for: a question of a kind that is asked while or after a call runs, or an answer. */
function momentOf(event: ThreadEvent): string | undefined {
  if (event.kind === 'question-asked') return `asked-${event.question.kind}`;
  return event.kind === 'question-answered' ? 'answered' : undefined;
}

/** The user says no to every third command. */
function kindFor({ argv }: Question): 'allowed' | 'declined' {
  return Number(argv?.at(-1)?.split(' ')[1]) % 3 === 0 ? 'declined' : 'allowed';
}

/** Effects that survive the process. */
function noted(path: string): string[] {
  const ran: string[] = [];
  ran.push = (effect) => {
    appendFileSync(path, `${effect}\n`);
    return 1;
  };
  return ran;
}
