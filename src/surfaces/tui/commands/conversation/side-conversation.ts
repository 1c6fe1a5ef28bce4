import { SideConversationChanges } from '../../../../engine/live/side-conversation-changes.ts';
import { plural } from '../../../../engine/wording.ts';
import { draftFromText, escapeCommandDraft } from '../../draft/draft.ts';
import { openHelp } from '../../pages/help.ts';
import { drawCutRows } from '../../pages/list-parts.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { dimStyle, plain, type Row, styled, warnStyle } from '../../screen/text/style.ts';
import type { TuiScreen } from '../../screen/tui-screen.ts';
import type { View } from '../../screen/view.ts';
import { KeyboardController } from '../../session/keyboard-controller.ts';
import { TuiSession } from '../../session/session.ts';
import { slashCommands } from '../slash-commands.ts';

const sideHelp = slashCommands.filter(({ inSide }) => inSide === true);
const sideCommands: readonly string[] = sideHelp.map(({ name }) => name);

/** `/side`, `/btw`: an unsaved fork over the main conversation, which keeps running. Leaving discards it. */
export async function openSide(main: TuiSession, words: string): Promise<void> {
  const { stage: mainStage, threads, runSlash } = main.parts;
  if (main.thread.place === undefined)
    return main.notice('There is no conversation yet to ask something beside. Send a message first.');
  const forked = await threads.fork(main.thread.id, { kind: 'latest' }, { ephemeral: true });
  if (forked.kind === 'refused') return main.noticeProblem(forked.outcome);
  const shared = forked.usage().total;
  const stage = mainStage.within();
  stage.placeholder = 'Ask something beside the conversation';
  stage.popup.only = sideCommands;
  const showHelp = (): void => openHelp(stage, sideHelp);
  const beside = new SideConversationChanges(main.thread, forked);
  void main.guard(beside.over);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    side.close();
    stage.discard();
    mainStage.openPager(undefined);
    void main.guard(ended());
  };
  /** Closes the side conversation, which ends its work, waits until its changes are known, and reports them. */
  const ended = async (): Promise<void> => {
    await forked.close();
    await beside.over;
    main.addSpent(shared, forked.usage().total);
    const words = remainingFilesLine(beside, mainStage.look);
    if (words !== undefined) main.notice(words);
    if (beside.problem !== undefined) main.noticeProblem(beside.problem);
  };
  const side = new TuiSession(
    {
      ...main.parts,
      stage,
      isSide: true,
      quit: close,
      async runSlash(session, name, rest) {
        if (name === 'quit' || name === 'exit') return close();
        if (name === 'help') return showHelp();
        if (sideCommands.includes(name)) return runSlash(session, name, rest);
        session.notice(`/${name} does not work in a side conversation. Ctrl+C goes back to the main one.`);
      },
    },
    forked,
  );
  stage.footer = (look) => drawCutRows([footer(mainStage, look)], look);
  const controller = new KeyboardController({
    stage,
    surroundings: main.parts.surroundings,
    conversation: () => side.acts,
    canRewind: false,
    notice: (text, level) => side.notice(text, level),
    suspend() {},
    editOutside: () => side.notice('The editor can be opened from the main conversation.'),
    showHelp,
    quit: close,
  });
  const view: View = {
    keys: 'raw',
    hasController: true,
    frame: (look, height) => stage.wholeFrame(look, height),
    input(input) {
      const isBare = stage.pager === undefined && stage.view === undefined && stage.composer.isEmpty;
      if (isBare && input.kind === 'key' && input.name === 'ctrl+c') return close();
      controller.input(input);
    },
  };
  mainStage.openPager(view);
  await side.begin({ shows: 'end' });
  side.notice('A side conversation: it knows what was said until now. What is said in it is not kept.');
  if (words !== '') side.acts.send(escapeCommandDraft(draftFromText(words)));
}

function footer(main: TuiScreen, look: Look): Row {
  const dot = ` ${glyphsOf(look).dot} `;
  const does = main.view !== undefined ? 'waits for your answer' : main.busy === undefined ? 'is idle' : 'runs';
  return [
    plain('  '),
    styled('Side conversation', { colour: 'special' }),
    styled(dot, dimStyle),
    styled(`the main conversation ${does}`, main.view === undefined ? dimStyle : warnStyle),
    styled(`${dot}ctrl+c closes this one`, dimStyle),
  ];
}

const mostNamed = 5;

/** Reports in one line the files that a side conversation changed and its commands. Undefined if there are none. */
export function remainingFilesLine(
  { files, commands, problem }: Pick<SideConversationChanges, 'files' | 'commands' | 'problem'>,
  place: Parameters<typeof shownPath>[1],
): string | undefined {
  const names = files.slice(0, mostNamed).map((path) => shownPath(path, place));
  const more = files.length - names.length;
  const changed = [...names, ...(more === 0 ? [] : [`${more} more`])].join(', ');
  const did = [changed && `changed ${changed}`, commands > 0 && `ran ${plural(commands, 'command')}`].filter(Boolean);
  if (did.length === 0) return undefined;
  const told = problem === undefined ? toldWords(files.length, commands) : 'the main model could not be told all of it';
  return `The side conversation ${did.join(' and ')}. Files stay as it left them: ${told}, and /rewind does not take that back.`;
}

function toldWords(files: number, commands: number): string {
  if (files === 0) return 'the main model is not told';
  const told = `the main model reads which ${files === 1 ? 'file' : 'files'} it changed`;
  return commands === 0 ? told : `${told}, but not what ${commands === 1 ? 'the command' : 'the commands'} did`;
}
