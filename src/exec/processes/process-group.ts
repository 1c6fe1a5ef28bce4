/** Groups that run now. They outlive this process by nature, so they are killed when it goes. */
const running = new Set<number>();

/** Every child leads a process group of its own; the group is how its descendants are reached. */
export interface ProcessGroup {
  isAlive(): boolean;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** The group is no longer ours to kill: its number may be given to others. */
  release(): void;
}

export function trackGroup(leader: number): ProcessGroup {
  if (running.size === 0) process.on('exit', killAll);
  running.add(leader);
  return {
    isAlive: () => send(leader, 0),
    signal: (name) => void send(leader, name),
    release() {
      running.delete(leader);
      if (running.size === 0) process.off('exit', killAll);
    },
  };
}

function send(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    // There is a process that we may not signal, such as a program with rights of its own.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function killAll(): void {
  for (const leader of running) send(leader, 'SIGKILL');
}
