import { vi } from 'vitest';
import { openTui, type TuiRequest, type WantedConversation } from '../../src/surfaces/tui/boot/open-tui.ts';
import { typingPauseTimes } from '../../src/surfaces/tui/questions/typing-pause.ts';
import type { Script } from '../../src/testing/index.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

export interface TuiScene extends Scene {
  readonly terminal: MemoryTerminal;
  /** Waits until the screen has the words. */
  sees(words: string | RegExp): Promise<readonly string[]>;
  /** Types a message and sends it. */
  say(words: string): void;
  /** The exit code, once the program has ended. */
  readonly ended: Promise<number>;
  /** Leaves the terminal, and gives all that stands on it then. */
  leave(): Promise<readonly string[]>;
  /** Leaves while a question is open, as by a signal to the process. */
  leaveNow(): Promise<void>;
}

// If no sandbox can be built, the terminal would ask about Landlock first.
const override = ['sandbox_fallback="none"'];
const none = { override, enable: [], disable: [], model: undefined, profile: undefined, localProvider: undefined };
const off = { strictConfig: false, ignoreUserConfig: false, ignoreRules: false, oss: false };

interface GivenScreen {
  readonly rows: number;
  /** The output of the shell before. */
  readonly before: string;
  readonly terminal: MemoryTerminal;
}

const usual = '$ echo before\r\nbefore\r\n';

/** A terminal in memory with a conversation on it, and a scripted model behind it. */
export async function tuiScene(script: Script, config = 'approval_policy = "on-request"'): Promise<TuiScene> {
  const built = await scene(script, config);
  return openIn(built, { kind: 'new' });
}

export async function openIn(
  built: Scene,
  thread: WantedConversation,
  columns = 80,
  more: Partial<TuiRequest> = {},
  { rows: height = 24, before = usual, terminal = new MemoryTerminal(columns, height) }: Partial<GivenScreen> = {},
): Promise<TuiScene> {
  vi.stubEnv('CAPSTAN_HOME', built.place.home);
  vi.stubEnv('NO_COLOR', '1');
  vi.stubEnv('LC_ALL', 'C.UTF-8');
  whenTestEnds(() => void vi.unstubAllEnvs());
  terminal.write(before);
  // Tests answer what they have seen, at once.
  const pauses = { ...typingPauseTimes, drawn: 0, next: 0, over: 0 };
  const request = { cwd: built.place.workspace, choices: { ...none, ...off }, thread, isFull: false, pauses, ...more };
  const ended = openTui(request, terminal);
  const sees = async (words: string | RegExp): Promise<readonly string[]> => {
    let rows: readonly string[] = [];
    await vi
      .waitUntil(
        async () => {
          rows = await terminal.all();
          return typeof words === 'string' ? rows.join('\n').includes(words) : words.test(rows.join('\n'));
        },
        { timeout: 60_000, interval: 20 },
      )
      .catch(() => {
        throw new Error(`The screen never had ${String(words)}:\n${rows.join('\n')}`);
      });
    return rows;
  };
  whenTestEnds(async () => {
    // It clears a draft, closes what is open, interrupts, and leaves.
    const pressing = setInterval(() => terminal.type('\u0003'), 50);
    await ended.finally(() => clearInterval(pressing));
  });
  return {
    ...built,
    terminal,
    sees,
    ended,
    say(words) {
      terminal.type(words);
      terminal.type('\r');
    },
    async leaveNow() {
      // It would end the process of the tests.
      const killing = vi.spyOn(process, 'kill').mockReturnValue(true);
      process.emit('SIGHUP', 'SIGHUP');
      await ended.finally(() => killing.mockRestore());
    },
    async leave() {
      terminal.type('\u0004');
      await ended;
      const rows = await terminal.all();
      return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
    },
  };
}
