import { parseDraft } from '../../draft/draft-message.ts';
import { cursorSign, drawCutRows, hintRows, keyTable, listRowStyle } from '../../pages/list-parts.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { rowsAround } from '../../screen/text/draw-row.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import type { View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';

/** `/queue`: messages that wait for turns of their own. None is sent while the list is open. */
export function showQueue(session: TuiSession): void {
  const { stage } = session.parts;
  const { flow } = session;
  const { waiting } = flow;
  if (waiting.queued.length === 0) {
    const queues = hintKeyMapper(stage.look, 'composer')('Tab');
    return session.notice(`Nothing is queued. While a turn runs, ${queues} queues a message.`);
  }
  const close = (): void => stage.open(undefined);
  stage.open(
    queueView({
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
        const meant = parseDraft(draft);
        // A refused message keeps its place, and the list stays open.
        if (meant.kind === 'refused') return session.notice(meant.why, 'error');
        if (meant.kind === 'slash' && meant.command.waits === true && session.isBusy)
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

interface QueueOptions {
  queued(): readonly string[];
  move(at: number, to: number): number;
  remove(at: number): void;
  edit(at: number): void;
  sendNow(at: number): void;
  close(): void;
}

const mostRows = 10;

export function queueView({ queued, move, remove, edit, sendNow, close }: QueueOptions): View {
  let at = 0;
  const last = (): number => queued().length - 1;
  const closing = ['escape', 'ctrl+c', 'q'];
  const keys = keyTable({
    'up k': () => (at = at === 0 ? last() : at - 1),
    'down j': () => (at = at >= last() ? 0 : at + 1),
    'shift+up K': () => (at = move(at, at - 1)),
    'shift+down J': () => (at = move(at, at + 1)),
    'd delete backspace': () => {
      remove(at);
      at = Math.min(at, Math.max(0, last()));
    },
    'enter e': () => edit(at),
    s: () => sendNow(at),
  });
  return {
    frame(look, height) {
      const all = queued().map((words, index): Row => {
        const isChosen = index === at;
        return [cursorSign(isChosen, look), styled(`${index + 1}. ${cleanLine(words)}`, listRowStyle(isChosen))];
      });
      const listed = rowsAround(all, at, Math.max(1, Math.min(mostRows, height - 3, all.length)));
      const key = hintKeyMapper(look);
      const hint = `${key('s')} sends now, ${key('Enter')} edits, ${key('d')} deletes, ${key('K')} and ${key('J')} move, ${key('Esc')} closes`;
      const title = [plain('  '), styled('Queued for the next turns', boldStyle)];
      const shown = listed.length > 0 ? listed : [[styled('  Nothing waits.', dimStyle)]];
      return { rows: drawCutRows([title, ...shown, ...hintRows(hint, look)], look) };
    },
    input(input) {
      if (input.kind !== 'key') return;
      if (closing.includes(input.name)) close();
      else if (last() >= 0) keys.get(input.name)?.();
    },
  };
}
