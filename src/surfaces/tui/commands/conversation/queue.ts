import { parseDraft } from '../../draft/draft-message.ts';
import { hintKeys } from '../../screen/keys/key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { cutRow, drawRow } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { Frame, View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';

/** `/queue`: messages that wait for turns of their own. None is sent while the list is open. */
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
        const meant = parseDraft(draft);
        // A refused message keeps its place, and the list stays open.
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

export interface QueueOptions {
  queued(): readonly string[];
  move(at: number, to: number): number;
  remove(at: number): void;
  edit(at: number): void;
  sendNow(at: number): void;
  close(): void;
}

const mostRows = 10;

export class QueueView implements View {
  readonly #options: QueueOptions;
  #at = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  frame(look: Look, height: number): Frame {
    const queued = this.#options.queued();
    const count = Math.max(1, Math.min(mostRows, height - 3, queued.length));
    const from = Math.max(0, Math.min(this.#at - Math.floor(count / 2), queued.length - count));
    const listed = queued.slice(from, from + count).map((words, place): Row => {
      const isChosen = from + place === this.#at;
      return [
        styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle),
        styled(`${from + place + 1}. ${cleanLine(words)}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      ];
    });
    const key = hintKeys(look);
    const hint = `${key('s')} sends now, ${key('Enter')} edits, ${key('d')} deletes, ${key('K')} and ${key('J')} move, ${key('Esc')} closes`;
    const rows: readonly Row[] = [
      [plain('  '), styled('Queued for the next turns', boldStyle)],
      ...(listed.length > 0 ? listed : [[styled('  Nothing waits.', dimStyle)]]),
      ...wrapRow([styled(hint, dimStyle)], { width: look.width, first: [plain('  ')], rest: [plain('  ')] }),
    ];
    return { rows: rows.map((row) => drawRow(cutRow(row, look.width, look), look)) };
  }

  input(input: TerminalInput): void {
    if (input.kind !== 'key') return;
    const { queued, move, remove, edit, sendNow, close } = this.#options;
    const last = queued().length - 1;
    const { name } = input;
    if (name === 'escape' || name === 'ctrl+c' || name === 'q') return close();
    if (last < 0) return;
    if (name === 'up' || name === 'k') this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'j') this.#at = this.#at >= last ? 0 : this.#at + 1;
    else if (name === 'shift+up' || name === 'K') this.#at = move(this.#at, this.#at - 1);
    else if (name === 'shift+down' || name === 'J') this.#at = move(this.#at, this.#at + 1);
    else if (name === 'd' || name === 'delete' || name === 'backspace') {
      remove(this.#at);
      this.#at = Math.min(this.#at, Math.max(0, last - 1));
    } else if (name === 'enter' || name === 'e') edit(this.#at);
    else if (name === 's') sendNow(this.#at);
  }
}
