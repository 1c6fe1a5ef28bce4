import { defined } from '../../../protocol/defined.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import { type EngineRefused, engineRefused } from '../../engine/engine-refused.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { GateDesk } from './gate-desk.ts';
import { writerWords } from './writer-words.ts';

interface ResumeParts {
  readonly desk: GateDesk;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  /** Where the user is. */
  readonly cwd: string;
  /** The screen can follow a thread that another program writes. */
  readonly canWatch?: true;
  /** What it means to open none. */
  readonly leaving: string;
  notice(text: string): void;
}

/** `watch`: the user wants to see what another program writes. `left`: the user does not go on. */
type Resumed = LiveThread | EngineRefused | 'watch' | 'left';

/** Opens a thread of the store, and asks where that is not clear: it is archived, written elsewhere, or of another folder. */
export async function resumeThroughGates(id: ThreadId, parts: ResumeParts): Promise<Resumed> {
  let request: LiveRequest = {};
  let problem: string | undefined;
  for (;;) {
    const opened = await parts.threads.load(id, request);
    if (opened.kind !== 'refused')
      return request.folderMayBeMissing === true ? moved(opened, parts.cwd) : atHome(opened, parts);
    const next = await askAbout(opened.outcome);
    if (next === 'again') continue;
    return next;
  }

  async function askAbout(outcome: Outcome): Promise<Resumed | 'again'> {
    const { desk, engine, cwd } = parts;
    switch (outcome.code) {
      case 'thread-archived': {
        const chosen = await desk.ask({
          title: 'This conversation is archived.',
          ...defined({ problem }),
          choices: [{ label: 'Bring it back and continue' }, { label: 'Leave it there' }],
        });
        if (chosen !== 0) return 'left';
        const back = await engine.stored.unarchive(id);
        problem = back.kind === 'refused' ? fullText(back.outcome) : undefined;
        return 'again';
      }
      case 'thread-locked':
        return askAboutWriter(outcome);
      case 'folder-missing': {
        const chosen = await desk.ask({
          title: 'The folder of this conversation is not there any more.',
          text: [outcome.message],
          choices: [{ label: `Continue it in ${cwd}` }, { label: parts.leaving }],
        });
        if (chosen !== 0 || request.folderMayBeMissing === true) return chosen === 0 ? engineRefused(outcome) : 'left';
        request = { folderMayBeMissing: true };
        return 'again';
      }
      default:
        return engineRefused(outcome);
    }
  }

  async function askAboutWriter(outcome: Outcome): Promise<Resumed | 'again'> {
    const { desk, engine, threads, canWatch } = parts;
    const writer = await engine.stored.writing(id);
    const does = [...(canWatch === true ? (['watch'] as const) : []), 'fork', 'again', 'leave'] as const;
    const labels = {
      watch: { label: 'Watch it here', about: 'and continue it when the other has ended' },
      fork: { label: 'Fork it', about: 'a conversation of its own that begins with all of this one' },
      again: { label: 'Try again' },
      leave: { label: parts.leaving },
    };
    const chosen = await desk.ask({
      title: `This conversation is being written by ${writer === undefined ? 'another program' : writerWords(writer)}.`,
      ...(writer === undefined ? { text: [outcome.message] } : {}),
      choices: does.map((each) => labels[each]),
    });
    const choice = typeof chosen === 'number' ? does[chosen] : 'leave';
    if (choice === 'fork') return threads.fork(id, { kind: 'latest' }, {});
    return choice === 'watch' || choice === 'again' ? choice : 'left';
  }
}

/** In which of the two folders a thread of another one continues. */
async function atHome(thread: LiveThread, parts: ResumeParts): Promise<Resumed> {
  const { engine, cwd } = parts;
  if (thread.settings.cwd === cwd) return thread;
  const folder = engine.config.tui.resumeCwd ?? (await askForFolder(thread.settings.cwd, parts));
  if (folder === 'left') {
    // Others may write it.
    await thread.leave();
    return 'left';
  }
  if (folder === 'session') return thread;
  return moved(thread, cwd);
}

async function moved(thread: LiveThread, cwd: string): Promise<Resumed> {
  const done = await thread.override({ cwd });
  return done.kind === 'refused' ? done : thread;
}

async function askForFolder(
  own: string,
  { desk, engine, cwd, notice }: ResumeParts,
): Promise<'session' | 'current' | 'left'> {
  const chosen = await desk.ask({
    title: 'This conversation belongs to another folder.',
    choices: [
      { label: `Continue it in ${own}`, about: 'its own folder' },
      { label: `Continue it in ${cwd}`, about: 'where you are' },
      { label: 'Always in their own folder', about: 'for all conversations, saved as tui.resume_cwd' },
      { label: 'Always where I am', about: 'for all conversations, saved as tui.resume_cwd' },
    ],
  });
  if (typeof chosen !== 'number') return 'left';
  const folder = chosen === 1 || chosen === 3 ? 'current' : 'session';
  if (chosen === 2 || chosen === 3) {
    const problem = await engine.config.saveTui({ resume_cwd: folder });
    if (problem !== undefined) notice(fullText(problem));
  }
  return folder;
}
