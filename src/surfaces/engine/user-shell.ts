import { defined } from '../../protocol/defined.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import type { EngineParts } from './engine-parts.ts';

/** With the variables of this process, as at the user's own prompt. An hour is more than anyone waits. */
export function userShellOf({ spawn, options }: EngineParts, shell: string): NonNullable<ThreadParts['userShell']> {
  const env = defined(options.env) as Readonly<Record<string, string>>;
  const limits = { timeoutMs: 3_600_000, outputBytes: 256 * 1024 };
  return ({ command, cwd, signal, output }) => {
    const plain = { kind: 'runnable', argv: [shell, '-c', command], cwd, env, files: [] } as const;
    return spawn.run({ ...plain, cleanup: () => Promise.resolve() }, limits, { signal, ...defined({ output }) });
  };
}
