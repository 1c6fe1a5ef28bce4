import { Fault } from '../../protocol/outcome.ts';

/** A lost disk ends the work, but is no bug: it is reported like any other end. */
export async function lostAsValue<Value>(work: () => Promise<Value>): Promise<Value | Fault> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
