import type { Speeches } from './model.ts';
import type { RunRecord } from './normalise.ts';
import type { Configuration, World } from './world.ts';

/** A scripted run of the program in a world of its own. */
export interface Run {
  readonly name: string;
  readonly configuration?: Configuration;
  readonly speeches: Speeches;
  /** Kinds of records that a run without faults leaves; one without any fails. Requests and files unless given. */
  readonly expects?: readonly RunRecord['kind'][];
  play(world: World): Promise<void>;
}

/** The thread that `exec --json` started. */
export function threadId({ stdout }: { readonly stdout: string }): string {
  const id = /"thread_id":"([^"]+)"/.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`no thread was started: ${stdout}`);
  return id;
}
