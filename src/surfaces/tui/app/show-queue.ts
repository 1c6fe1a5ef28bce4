import { hintKeys } from '../keys/hint-keys.ts';
import { QueueView } from '../views/queue-view.ts';
import { readDraft } from './read-draft.ts';
import type { TuiSession } from './session.ts';

/** `/queue`: what waits for turns of its own. Nothing of it is sent while the list is open. */
export function showQueue(session: TuiSession): void {
  const { stage } = session.parts;
  const { flow } = session;
  const { waiting } = flow;
  if (waiting.queued.length === 0) {
    const queues = hintKeys(stage.look, 'composer')('Tab');
    return session.notice(`Nothing is queued. While a turn runs, ${queues} queues a message.`);
  }
  const close = (): void => stage.open(undefined);
  stage.open(
    new QueueView({
      queued: () => waiting.queued.map(({ text }) => text),
      move: (at, to) => waiting.move(at, to),
      remove(at) {
        waiting.takeAt(at);
        flow.show();
        if (waiting.queued.length === 0) close();
      },
      edit(at) {
        const draft = waiting.takeAt(at);
        if (draft !== undefined) stage.composer.giveBack(draft);
        flow.show();
        close();
      },
      sendNow(at) {
        const draft = waiting.queued[at];
        if (draft === undefined) return;
        const meant = readDraft(draft);
        // What cannot be sent now stays where it is, and the list open.
        if (meant.kind === 'refused') return session.notice(meant.why, 'error');
        if (meant.kind === 'slash' && !meant.command.whileRunning && session.isBusy)
          return session.notice(`/${meant.command.name} has to wait until the turn ends. It stays queued.`, 'error');
        waiting.takeAt(at);
        flow.show();
        if (meant.kind === 'message') session.acts.send(meant.draft);
        else if (meant.kind === 'shell') session.acts.shell(meant.command);
        else session.acts.slash(meant.command.name, meant.rest);
        close();
      },
      close,
    }),
  );
}
