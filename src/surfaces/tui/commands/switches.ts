import type { Outcome } from '../../../protocol/outcome.ts';
import { fullText } from '../../../protocol/outcome.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { type ListItem, ListView } from '../views/list-view.ts';
import type { CommandSession } from './command-session.ts';

/** Something that is on or off in the user's configuration, or that is done when it is chosen. */
export interface Switch {
  readonly label: string;
  readonly about: string;
  /** Absent: it is no switch. */
  readonly isOn?: boolean;
  /** Turns it over, or does it. Gives why it could not. */
  change(): Promise<Outcome | undefined>;
}

/** A list of switches. Each change is saved at once, and counts from the next start on. */
export async function showSwitches(
  session: CommandSession,
  title: string,
  load: () => Promise<readonly Switch[] | Outcome>,
): Promise<void> {
  const { stage } = session.parts;
  const loaded = await load();
  if ('code' in loaded) return session.notice(fullText(loaded), 'error');
  let switches = loaded;
  const items = (): readonly ListItem[] => {
    const { boxDone, boxOpen } = glyphsOf(stage.look);
    return switches.map(({ label, about, isOn }) => {
      const box = isOn === undefined ? '' : `${isOn ? boxDone : boxOpen} `;
      return { label: `${box}${label}`, about };
    });
  };
  const change = async (index: number): Promise<void> => {
    const chosen = switches[index]!;
    const problem = await chosen.change();
    if (problem !== undefined) return session.notice(fullText(problem), 'error');
    const now = await load();
    if ('code' in now) return session.notice(fullText(now), 'error');
    switches = now;
    view.update({
      items: items(),
      ...(chosen.isOn === undefined ? {} : { title: `${title}: what you switch counts when Capstan is started again` }),
    });
    stage.draw();
  };
  const view = new ListView({
    title,
    items: items(),
    hint: (key) => `${key('Enter')} or ${key('Space')} switches, ${key('Esc')} goes back`,
    keys: { space: (index) => session.inBackground(change(index)) },
    close: () => stage.open(undefined),
    pick: (index) => session.inBackground(change(index)),
  });
  stage.open(view);
}
