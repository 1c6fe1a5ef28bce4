import { signalProcess } from '../../disk/processes.ts';

/** Groups that run now. They outlive this process by nature, so they are killed when it goes. */
const running = new Set<number>();

/** Every child leads a process group of its own; the group is how its descendants are reached. */
export interface ProcessGroup {
  readonly leader: number;
  isAlive(): boolean;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** The group is no longer ours to kill: its number may be given to others. */
  release(): void;
}

export function trackGroup(leader: number): ProcessGroup {
  if (running.size === 0) process.on('exit', killAll);
  running.add(leader);
  return {
    leader,
    isAlive: () => signalProcess(-leader, 0),
    signal: (name) => void signalProcess(-leader, name),
    release() {
      running.delete(leader);
      if (running.size === 0) process.off('exit', killAll);
    },
  };
}

function killAll(): void {
  for (const leader of running) signalProcess(-leader, 'SIGKILL');
}
