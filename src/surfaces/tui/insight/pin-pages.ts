import { entries } from '../../../history/history.ts';
import type { Item } from '../../../protocol/item.ts';
import type { Pin } from '../../../state/pins.ts';
import { shownText } from '../../context/item-text.ts';
import type { ThreadStory } from '../../context/thread-story.ts';
import { cleanLine } from '../text/clean.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import type { BrowseAction, BrowseList } from '../views/browse-page.ts';
import { textPage } from '../views/text-page.ts';
import { saidRows } from './said-rows.ts';

/** What may be done with notes. */
export interface PinActs {
  pin(text: string): void;
  remove(pin: Pin): void;
}

const longestLabel = 400;

/** The notes of the thread, and a way to pin what was said. */
export function pinsPage(story: ThreadStory, pins: readonly Pin[], acts: PinActs): BrowseList {
  const about = [
    'The model reads pinned notes word for word, again after every checkpoint. /pin TEXT pins a text; in /context, p pins an item.',
  ];
  const remove: BrowseAction = {
    key: 'x',
    does: 'removes the note',
    press: (index) => {
      const pin = pins[index];
      if (pin !== undefined) acts.remove(pin);
    },
  };
  return {
    kind: 'list',
    title: 'Pinned notes',
    head: (look) => saidRows(about, look),
    length: pins.length + 1,
    row(index) {
      const pin = pins[index];
      if (pin === undefined) return [plain('pin a message of this conversation')];
      return [plain(`${index + 1}. ${beginning(pin.text)}`)];
    },
    open(index) {
      const pin = pins[index];
      if (pin === undefined) return messagesPage(story, acts);
      const own = [{ ...remove, press: () => acts.remove(pin) }];
      return textPage({ title: `note ${index + 1}`, about: [`Note ${pin.id}`], text: () => pin.text, actions: own });
    },
    actions: pins.length === 0 ? [] : [remove],
  };
}

/** What the user and the model said, the newest first: Enter pins. */
function messagesPage({ state, turnOf }: ThreadStory, acts: PinActs): BrowseList {
  const said = entries(state.history)
    .filter(({ item, origin }) => item.type === 'message' && (origin.family === 'user' || origin.family === 'model'))
    .toReversed();
  const textOf = (item: Item): string => shownText(item).trim();
  return {
    kind: 'list',
    title: 'Pin a message',
    enter: 'pins it',
    length: said.length,
    row(index) {
      const { item, origin } = said[index]!;
      const turn = turnOf.get(item);
      const who = `${turn === undefined ? '' : `turn ${turn}, `}${origin.family === 'user' ? 'you' : 'the model'}: `;
      return [styled(who, dimStyle), plain(beginning(textOf(item)))];
    },
    open(index) {
      acts.pin(textOf(said[index]!.item));
      return undefined;
    },
    empty: 'Nothing was said yet.',
  };
}

function beginning(text: string): string {
  return cleanLine(text.slice(0, longestLabel));
}
