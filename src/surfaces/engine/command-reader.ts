import type { CommandReader } from '../../policy/command-reader.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ShellReader } from '../../ports/shell-reader.ts';

export interface PreparedCommandReader extends CommandReader {
  /** Loads what a quick look needs, so that no command waits for it. Never rejects. */
  prepare(): Promise<void>;
}

/** Loaded on use: what looks at words when a request is under way, the parser when a decision depends on it. */
export function createCommandReader(place: { readonly root: string; readonly clock: Clock }): PreparedCommandReader {
  let quick: CommandReader['mayBeDangerous'] | undefined;
  let loading: Promise<CommandReader['read']> | undefined;
  return {
    async prepare() {
      quick ??= (await import('../../policy/commands/may-be-dangerous.ts')).mayBeDangerous;
    },
    // Not loaded yet: then the whole look says it.
    mayBeDangerous: (argv) => quick?.(argv) ?? true,
    read: async (argv) => (await (loading ??= loadReader(place)))(argv),
  };
}

async function loadReader(place: { readonly root: string; readonly clock: Clock }): Promise<CommandReader['read']> {
  const [{ analyseCommand }, { canonicalCommand }, reader] = await Promise.all([
    import('../../policy/commands/analyse.ts'),
    import('../../policy/commands/canonical-command.ts'),
    loadShellReader(place).catch(() => unread),
  ]);
  return (argv) => {
    const [shell = ''] = argv;
    const analysis = analyseCommand(argv, reader, { shell });
    return Promise.resolve({ analysis, canonical: canonicalCommand(argv, reader) });
  };
}

async function loadShellReader(place: { readonly root: string; readonly clock: Clock }): Promise<ShellReader> {
  const { createShellReaderLoader } = await import('../../exec/shell-reader/load-shell-reader.ts');
  return createShellReaderLoader(place)();
}

/** Where the parser is missing, every script is unknown. */
const unread: ShellReader = { read: () => undefined };
