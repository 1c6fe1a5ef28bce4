import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import { cleanLine } from '../text/clean.ts';
import { ListView } from '../views/list-view.ts';
import { startAnew } from './choose-thread-view.ts';
import type { TuiSession } from './session.ts';

/** `/rename NAME` */
export async function renameThread(session: TuiSession, name: string): Promise<void> {
  if (name === '') return session.notice('Type the name behind it, for example /rename Parser bug.');
  if (isEmpty(session)) return;
  const named = await session.parts.engine.stored.rename(session.thread.id, name);
  if (named.kind === 'refused') return session.notice(fullText(named.outcome), 'error');
  session.notice(
    `This conversation is now called ${cleanLine(named.name)}. To continue it: /resume ${cleanLine(named.name)}`,
  );
}

/** `/archive`: the conversation leaves the lists, and another one begins. */
export async function putAway(session: TuiSession): Promise<void> {
  if (isEmpty(session)) return;
  const { threads } = session.parts;
  const { id } = session.thread;
  const done = await threads.whole(id, (stored) => stored.archive(id));
  await left(session, done, `The conversation is archived. To bring it back: /resume ${id}`);
}

/** `/delete`: asks first. */
export async function throwAway(session: TuiSession): Promise<void> {
  if (isEmpty(session)) return;
  const { stage, engine } = session.parts;
  const { id } = session.thread;
  const close = (): void => stage.open(undefined);
  stage.open(
    new ListView({
      title: 'Delete this conversation? It cannot be brought back. Files stay as they are.',
      items: [{ label: 'no' }, { label: 'yes, delete it' }],
      close,
      pick(index) {
        close();
        if (index !== 1) return;
        // Given up before, and not read again: of a thread that is gone nothing is left to follow.
        const deleting = session.thread.leave().then(() => engine.stored.delete(id));
        session.inBackground(deleting.then((done) => left(session, done, 'The conversation is deleted.')));
      },
    }),
  );
}

async function left(
  session: TuiSession,
  done: { readonly kind: string; readonly outcome?: Outcome },
  words: string,
): Promise<void> {
  if (done.kind === 'refused' && done.outcome !== undefined) {
    return session.notice(fullText(done.outcome), 'error');
  }
  await startAnew(session);
  session.notice(words);
}

function isEmpty(session: TuiSession): boolean {
  if (session.thread.place !== undefined) return false;
  session.notice('This conversation has no message yet, so it is not stored.');
  return true;
}
