/** How much the processes of one command may use. Absent: as much as the user may. */
export interface CommandLimits {
  readonly maxProcesses?: number;
  readonly maxMemoryMb?: number;
}

/**
 * The command behind a shell that lowers the limits of its processes and then becomes the command; without limits, the
 * command itself. It stands inside the sandbox: there the kernel counts processes in the user namespace of the command,
 * and outside it would count all that the user runs. If a limit cannot be set, the command does not run.
 */
export function limitCommand(argv: readonly string[], { maxProcesses, maxMemoryMb }: CommandLimits): readonly string[] {
  const steps = [
    // Bash has the one name, dash and busybox the other.
    ...(maxProcesses === undefined ? [] : [`{ ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; } 2>/dev/null`]),
    // Data, not addresses: runtimes reserve far more of those than they use.
    ...(maxMemoryMb === undefined ? [] : [`ulimit -d ${maxMemoryMb * 1024}`]),
  ];
  if (steps.length === 0) return argv;
  const failed = 'echo "capstan: the limits of the sandbox cannot be set" >&2; exit 126';
  return ['/bin/sh', '-c', `${steps.join(' && ')} || { ${failed}; }; exec "$@"`, 'sh', ...argv];
}
