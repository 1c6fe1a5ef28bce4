/**
 * Called while long work is done: how much of it, and of how much where that is known. A caller that awaits the answer
 * gives the process time for everything else.
 */
export type WorkProgress = (done: number, total?: number) => void | Promise<void>;
