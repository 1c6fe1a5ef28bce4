import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { TuiSession } from './session.ts';

/** `/fork [NAME]`: a conversation that continues from here, beside the one that stays as it is. */
export async function forkShown(session: TuiSession, id: ThreadId, name: string): Promise<void> {
  const { threads, engine } = session.parts;
  const forked = await threads.fork(id, { kind: 'latest' });
  if (forked.kind === 'refused') return session.notice(fullText(forked.outcome), 'error');
  const isOpen = id === session.thread.id;
  await session.switchTo(forked, isOpen ? { shows: 'end' } : {});
  session.notice(`This is a fork. The other conversation is kept: /resume ${id}`);
  if (name === '') return;
  const named = await engine.stored.rename(forked.id, name);
  if (named.kind === 'refused') session.notice(fullText(named.outcome), 'error');
}
