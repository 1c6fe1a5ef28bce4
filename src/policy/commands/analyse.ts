import type { ShellReader } from '../../ports/shell-reader.ts';
import { defined } from '../../protocol/defined.ts';
import type { DangerKind } from './dangerous-words.ts';
import { evaluateScript } from './evaluate-script.ts';
import { evaluateCommand, nothingFound, type WhyUnknown } from './evaluate.ts';
import { shellCall } from './shell-call.ts';

export { mayBeDangerous } from './may-be-dangerous.ts';

/** What a command would do, as far as its words show it. */
export interface CommandAnalysis {
  /** The words of every simple command, in order, wrappers seen through. Undefined: something in it is known only when it runs. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /**
   * The beginnings of all commands that were found, each up to its first unknown word: those of unknown scripts and
   * wrappers too, but no shell with its script. For rules that ask or forbid; rules that allow look at `commands`.
   */
  readonly seen: readonly (readonly string[])[];
  /** Programs that start commands of it: wrappers such as `timeout`, and shells in the script. Absent: none. */
  readonly starters?: readonly string[];
  /** Why `commands` is undefined. */
  readonly whyUnknown?: WhyUnknown;
  /** Words of it are known only when it runs, and may be others the next time. Absent: all are known. */
  readonly hasOpenWords?: true;
  /** The first command of the shell that may run what stands in its words or in a file. Absent: none. */
  readonly evaluating?: string;
  /** All of it is known to change nothing, whatever words it gets from elsewhere. */
  readonly isReadOnly: boolean;
  /** Not all of it is started by the shell of the call itself, as it is. Absent: all of it is. */
  readonly isIndirect?: true;
  readonly danger?: { readonly kind: DangerKind; readonly words: readonly string[] };
}

/** `shell`: the configured one, as it is called. Shells outside of the folders of the system are unfamiliar otherwise. */
export function analyseCommand(
  argv: readonly string[],
  reader: ShellReader,
  { shell }: { readonly shell?: string } = {},
): CommandAnalysis {
  const found = nothingFound();
  // The shell of the call itself is no wrapper.
  const depth = shellCall(argv) === undefined ? 0 : -1;
  const setting = { reader, depth, configured: shell, budget: { unreadable: 6 }, evaluateScript };
  evaluateCommand(argv, setting, found);
  const commands = found.commands.length > 0 ? found.commands : [[...argv]];
  const isElsewhere = commands.some(([name = '']) => /^(?:cd|pushd|popd)$/.test(name));
  const isReadOnly = found.isReadOnly && found.commands.length > 0;
  return {
    commands: found.isKnown ? commands : undefined,
    seen: found.seen,
    // The configuration of another repository may name programs.
    isReadOnly: isReadOnly && !(isElsewhere && commands.some(([name]) => name === 'git')),
    ...(found.starters.length > 0 && { starters: [...new Set(found.starters)] }),
    ...(!found.isKnown && defined({ whyUnknown: found.whyUnknown })),
    ...(found.hasOpenWords && { hasOpenWords: true }),
    ...defined({ evaluating: found.evaluating }),
    ...(found.isIndirect && { isIndirect: true }),
    ...(found.danger === undefined ? {} : { danger: found.danger }),
  };
}
