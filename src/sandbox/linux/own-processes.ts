/** Options for a process table of the sandbox's own, which holds the kernel's parameters too and so is read-only. */
export const ownProcesses: readonly string[] = ['--proc', '/proc', '--remount-ro', '/proc'];
