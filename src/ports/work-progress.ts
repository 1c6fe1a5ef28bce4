/**
 * Called while long work is done: how much of it, and of how much where that is known, or that it waits for another
 * process. A caller that awaits the answer
 * gives the process time for everything else.
 */
export type WorkProgress = (done: number | 'waiting', total?: number) => void | Promise<void>;
