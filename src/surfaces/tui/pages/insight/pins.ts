import { entries } from '../../../../core/history/history.ts';
import type { Pin } from '../../../../core/state/fold/pinned-notes.ts';
import type { Item } from '../../../../protocol/item.ts';
import { fullText } from '../../../../protocol/outcome.ts';
import type { ThreadStory } from '../../../views/context/thread-story.ts';
import { itemText } from '../../../views/context/window-content.ts';
import { draftFromText } from '../../draft/draft.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { dimStyle, plain, styled } from '../../screen/text/style.ts';
import {
  type BrowseAction,
  type BrowseList,
  type BrowseView,
  listPage,
  sentenceRows,
  textPage,
} from '../browse-view.ts';
import type { TuiSession } from '../../session/session.ts';
import { browseThread, changeWholeThread } from './inspected-thread.ts';

/** `/pin TEXT` pins the text; without one it lists the pins, and lets the user pin messages. */
export async function showPins(host: TuiSession, text: string): Promise<void> {
  if (text !== '') {
    const { isDone, words } = await pinText(host, text);
    return host.notice(words, isDone ? 'info' : 'error');
  }
  const { engine } = host.parts;
  const { id } = host.thread;
  await browseThread(host, 'Pinned notes', async ({ story, view }) =>
    pinsPage(story, await engine.stored.pins(id), pinActs(host, story, view)),
  );
}

function pinActs(host: TuiSession, story: ThreadStory, view: BrowseView): PinActs {
  const act = async (wish: Promise<PinResult>): Promise<void> => {
    const { words } = await wish;
    const pins = await host.parts.engine.stored.pins(host.thread.id);
    view.reset(pinsPage(story, pins, pinActs(host, story, view)));
    view.open(textPage({ title: 'Note', text: () => words }));
    host.parts.stage.draw();
  };
  return {
    pin: (text) => host.run(act(pinText(host, text))),
    remove: (pin) => host.run(act(unpin(host, pin.id))),
  };
}

type PinResult = { readonly isDone: boolean; readonly words: string };

const longestShown = 200;

export async function pinText(host: TuiSession, text: string): Promise<PinResult> {
  const { id, place } = host.thread;
  if (place === undefined) return { isDone: false, words: 'Nothing was sent yet. Send a message first.' };
  if (host.isBusy) {
    // A thread can only be changed as a whole while idle. The model reads pins with the next turn in any case.
    host.queue(draftFromText(`/pin ${text}`));
    const words = 'Capstan pins the note when this turn has ended: the model reads it from the next turn on.';
    return { isDone: true, words };
  }
  const done = await changeWholeThread(host, (stored) => stored.pin(id, text));
  if (done.kind === 'refused') return { isDone: false, words: fullText(done.outcome) };
  const said = done.pin.text.slice(0, longestShown).toWellFormed();
  const words = [
    `Pinned as note ${done.pins.length}: ${said}${said.length < done.pin.text.length ? '…' : ''}`,
    'The model reads it with the next turn, and again after every checkpoint. /pin lists and removes notes.',
    ...done.notices.map(fullText),
  ];
  return { isDone: true, words: words.join('\n') };
}

/** `which`: its number or id. */
async function unpin(host: TuiSession, which: string): Promise<PinResult> {
  const done = await changeWholeThread(host, (stored) => stored.unpin(host.thread.id, which));
  if (done.kind === 'refused') return { isDone: false, words: fullText(done.outcome) };
  return { isDone: true, words: 'The note is removed. The next turn informs the model that it no longer applies.' };
}

interface PinActs {
  pin(text: string): void;
  remove(pin: Pin): void;
}

const longestLabel = 400;

export function pinsPage(story: ThreadStory, pins: readonly Pin[], acts: PinActs): BrowseList {
  const about = [
    'The model reads pinned notes word for word, again after every checkpoint. /pin TEXT pins a text; in /context, p pins an item.',
  ];
  const remove: BrowseAction = {
    key: 'x',
    does: 'removes the note',
    press: (index) => pins[index] && acts.remove(pins[index]),
  };
  return listPage('Pinned notes', [...pins, undefined], {
    head: (look) => sentenceRows(about, look),
    row: (pin, _look, index) => [
      plain(pin === undefined ? 'pin a message of this conversation' : `${index + 1}. ${beginning(pin.text)}`),
    ],
    open(pin, index) {
      if (pin === undefined) return messagesPage(story, acts);
      const actions = [{ ...remove, press: () => acts.remove(pin) }];
      return textPage({ title: `note ${index + 1}`, about: [`Note ${pin.id}`], text: () => pin.text, actions });
    },
    actions: pins.length === 0 ? [] : [remove],
  });
}

function messagesPage({ state, turnOf }: ThreadStory, acts: PinActs): BrowseList {
  const said = entries(state.history)
    .filter(({ item, origin }) => item.type === 'message' && (origin.family === 'user' || origin.family === 'model'))
    .toReversed();
  const textOf = (item: Item): string => itemText(item).trim();
  return listPage('Pin a message', said, {
    enter: 'pins it',
    row({ item, origin }) {
      const turn = turnOf.get(item);
      const who = `${turn === undefined ? '' : `turn ${turn}, `}${origin.family === 'user' ? 'you' : 'the model'}: `;
      return [styled(who, dimStyle), plain(beginning(textOf(item)))];
    },
    open: ({ item }) => acts.pin(textOf(item)),
    empty: 'Nothing was said yet.',
  });
}

const beginning = (text: string): string => cleanLine(text.slice(0, longestLabel));
