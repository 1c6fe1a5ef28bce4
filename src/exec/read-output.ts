export interface OutputReading {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** More is no output at all. */
  readonly mostBytes: number;
}

/** What a program of the user's own prints, as bytes. Undefined: it failed, took too long, or printed too much. */
export function readOutput(
  [program = '', ...args]: readonly string[],
  { cwd, env, timeoutMs, mostBytes }: OutputReading,
): Promise<Buffer | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const options = {
      cwd,
      env,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: mostBytes,
      encoding: 'buffer',
      windowsHide: true,
    } as const;
    const child = execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : undefined));
    child.stdin?.end();
  });
}
