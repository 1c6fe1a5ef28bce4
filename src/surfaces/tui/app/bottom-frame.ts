import type { Composer } from '../composer/composer.ts';
import { fitFrame, type Frame, frameBelow } from '../screen/frame.ts';
import type { Look } from '../text/look.ts';
import type { PinnedPlan } from '../views/plan-rows.ts';
import type { SlashPopup } from '../views/slash-popup.ts';
import type { View } from '../views/view.ts';
import { bottomRows, noneWaiting, type StageState, type WaitingWords } from './bottom-rows.ts';
import { keyFooter } from './key-footer.ts';

interface Bottom {
  readonly composer: Composer;
  readonly popup: SlashPopup;
  /** In the place of the composer. */
  readonly view: View | undefined;
  readonly plan: PinnedPlan | undefined;
  readonly waiting: WaitingWords;
  readonly placeholder: string;
  readonly pendingKey: string | undefined;
  readonly footer: (look: Look) => readonly string[];
  /** In the place of the footer. */
  readonly under: ((look: Look, room: number) => readonly string[]) | undefined;
}

/**
 * The composer with what stands around it, or a view in its place. The frame of a view that is shown is the last one that
 * is asked for: a question knows by it whether the user could read all of it, and whether a yes counts.
 */
export function bottomFrame(bottom: Bottom, state: StageState, look: Look, height: number): Frame {
  const { composer, popup, view, plan, waiting, placeholder, pendingKey, footer, under } = bottom;
  // To a screen reader it is said once.
  const isRead = look.glyphs === 'words';
  const room = Math.max(1, height - 1);
  if (view !== undefined) {
    // What is asked or chosen needs the space.
    const running = isRead ? [] : bottomRows({ ...state, plan: undefined, waiting: noneWaiting }, look);
    const beside = view.frame(look, Math.max(1, room - running.length));
    // Where the view has to leave something out, the row about what runs gives way.
    const isTight = beside.rows.length >= room - running.length;
    const framed = isTight ? frameBelow([''], view.frame(look, room)) : frameBelow([...running, ''], beside);
    return fitFrame(framed, height);
  }
  const above = isRead ? [] : bottomRows({ ...state, plan, waiting }, look);
  const written = composer.frame(look, Math.max(1, Math.floor(height / 2)), placeholder);
  const usual = (): readonly string[] => (isRead ? [] : keyFooter({ footer, pendingKey, vim: composer.vim }, look));
  const below = (most: number): readonly string[] => {
    const listed = under?.(look, most) ?? (composer.isRecalled ? [] : popup.rows(composer.draft, look, most));
    return listed.length > 0 || under !== undefined ? listed : usual();
  };
  const whole = frameBelow([...above, ''], { ...written, rows: [...written.rows, '', ...below(Infinity)] });
  if (whole.rows.length <= height) return whole;
  // On a screen of a few rows the composer comes first. A list has the keyboard, and as many rows as there are.
  const bare = fitFrame(written, room);
  const left = height - bare.rows.length;
  return { ...bare, rows: [...bare.rows, ...(left < 1 ? [] : below(left).slice(0, left))] };
}
