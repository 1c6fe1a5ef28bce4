import type { ClosedGap } from '../harness/closed-gap.ts';

export const closedGaps: readonly ClosedGap[] = [
  {
    missed: 'seeing how full the context is, and with what',
    shownBy: [
      ['src/surfaces/tui/session/status-line.test.ts', 'has the usual items at the left and the mode at the right'],
      ['src/surfaces/tui/session/status-line.test.ts', 'colours the context at %i %%, also without other colours'],
      [
        'test/tui/insight.test.ts',
        '/context has the figures of `capstan context`; each part opens to its items and texts; a card stays',
      ],
    ],
  },
  {
    missed: 'files that go back with the conversation, after a look at what would change',
    shownBy: [
      ['test/tui/rewind.test.ts', 'shows what would change, then takes files and conversation back; the source stays'],
      ['test/tui/rewind.test.ts', 'files only: the conversation stays, held by its window, and can be undone there'],
    ],
  },
  {
    missed: 'a change of the size that leaves the scrollback alone',
    shownBy: [
      ['test/tui/conversation.test.ts', 'is drawn anew at another width, without losing or repeating a row'],
      [
        'test/deep/tui.test.ts',
        'a storm of resizes leaves alone what the shell had printed, also on the smallest screens',
      ],
    ],
  },
  {
    missed: 'a start that leaves no half-drawn frame in the scrollback',
    shownBy: [
      [
        'test/tui/start.test.ts',
        'leaves no second header and no second composer behind, also if the size changes meanwhile',
      ],
    ],
  },
  {
    missed: 'a process that stays small',
    shownBy: [['test/deep/tui-memory.test.ts', 'keeps its memory small in a long answer']],
  },
  {
    missed: 'failures in plain words, with the time when a limit opens, a key that tries again, and the words back',
    shownBy: [
      [
        'test/tui/failures.test.ts',
        'says why in our words, r goes on without saying the words again, and Up brings them back',
      ],
      [
        'test/tui/failures.test.ts',
        'is not tried again by itself where that cannot help, and leaves the command that continues it',
      ],
      ['test/tui/failures.test.ts', 'counts down to the time when a limit opens'],
      ['src/engine/models/failure-words.test.ts', '%i is said in our words, with those of the provider behind them'],
    ],
  },
  {
    missed: 'which file and which lines a patch did not fit',
    shownBy: [
      ['test/tui/live-rows.test.ts', 'a patch that did not apply, with its file and the lines that were not found'],
    ],
  },
  {
    missed: 'what a turn and a conversation cost',
    shownBy: [
      ['test/tui/conversation.test.ts', 'says what a turn cost where a price is known, and what the thread cost'],
    ],
  },
  {
    missed: 'a reason that goes with a yes or a no',
    shownBy: [['test/tui/questions.test.ts', 'takes a note with a yes and with a no in the same view']],
  },
  {
    missed: 'a rule that can be changed before it is saved, and revoked after',
    shownBy: [
      ['test/tui/questions.test.ts', 'saves the rule that it shows, which can be made shorter and longer, and revoked'],
    ],
  },
  {
    missed: 'permissions that are in sight, and a key for them',
    shownBy: [
      [
        'src/surfaces/tui/session/status-line.test.ts',
        'keeps the mode in sight at every width, and drops items that do not fit',
      ],
      ['test/tui/live-rows.test.ts', 'the permissions, which a key changes'],
    ],
  },
  {
    missed: 'a list of files without what git ignores or keeps for itself, the latest first',
    shownBy: [
      ['src/engine/workspace/file-index.test.ts', 'finds paths by letters; what was changed or named lately comes up'],
    ],
  },
  {
    missed: 'undo, redo and more than one cut in the composer',
    shownBy: [
      ['src/surfaces/tui/draft/composer.test.ts', 'one two<ctrl+_><alt+_>'],
      ['src/surfaces/tui/draft/composer.test.ts', 'one<ctrl+u>two<ctrl+w><ctrl+y><alt+y>'],
    ],
  },
  {
    missed: 'a look into a long paste',
    shownBy: [
      ['test/tui/composer.test.ts', 'one is opened and changed, and the model gets it whole'],
      ['src/surfaces/tui/draft/whole-draft.test.ts', 'says how many lines a paste has'],
    ],
  },
  {
    missed: 'a plan that stays in sight',
    shownBy: [['test/tui/plan.test.ts', 'the plan is pinned in one row, unfolds, and goes when it is done']],
  },
  {
    missed: 'the time and the way to interrupt while an answer arrives',
    shownBy: [
      ['test/tui/live-rows.test.ts', 'the row with the time and the way to interrupt, while an answer arrives'],
    ],
  },
  {
    missed: 'a queue that can be reordered, shortened and sent',
    shownBy: [['test/tui/turn-flow.test.ts', 'the queue can be reordered, deleted from, edited and sent']],
  },
  {
    missed: 'a change between full screen and scrollback without a restart',
    shownBy: [
      [
        'test/tui/live-rows.test.ts',
        'the conversation, when /tui changes the way it is shown, while a turn runs and back',
      ],
    ],
  },
  {
    missed: 'silence on the wire while nothing changes',
    shownBy: [
      [
        'test/tui/inline-screen.test.ts',
        'writes nothing for a frame that changes nothing, and one row for one that does',
      ],
      ['test/tui/settings.test.ts', 'nothing is written while nothing changes'],
    ],
  },
  {
    missed: 'letters that stand on the screen as soon as they are typed',
    shownBy: [
      [
        'src/surfaces/tui/session/key-frame.test.ts',
        'a letter is on the screen at once while an answer streams (whole screen: %s)',
      ],
      [
        'test/tui/live-rows.test.ts',
        'a letter, which is drawn with the next frame and not held back, whatever the terminal says of pastes',
      ],
    ],
  },
  {
    missed: 'a wrong configuration with its place, what is accepted, and a start in spite of it',
    shownBy: [
      [
        'test/tui/gates.test.ts',
        'is shown with its place, and the start goes on with the defaults or after a correction',
      ],
      ['test/tui/settings.test.ts', 'what is wrong is reported with its line, and the rest counts'],
    ],
  },
  {
    missed: 'the error of a command that failed, and not only the beginning of its output',
    shownBy: [
      [
        'src/surfaces/tui/transcript/cells/cells.test.ts',
        'a failure shows its end and the lines that look like errors',
      ],
    ],
  },
  {
    missed: 'colours for colour-blind eyes, ASCII, and words for a screen reader',
    shownBy: [
      ['src/surfaces/tui/screen/text/themes.test.ts', '%s has no pair of red and green'],
      ['src/surfaces/tui/transcript/cells/every-cell.test.ts', 'prints ASCII alone in that mode, if what came was'],
      ['test/tui/screen-reader.test.ts', 'says each thing once, in words, and draws nothing again'],
      [
        'src/surfaces/tui/transcript/transcript-on-screen.test.ts',
        'words that wait are said once each, with what they wait for',
      ],
      [
        'src/surfaces/tui/transcript/transcript-on-screen.test.ts',
        'a turn that failed is said once, with the keys for it',
      ],
    ],
  },
  {
    missed: 'a title that costs nothing',
    shownBy: [['test/tui/start.test.ts', 'names the conversation by the first words, without a request for it']],
  },
  {
    missed: 'tips that are not taken for answers',
    shownBy: [
      ['test/tui/start.test.ts', 'has a tip below the status line until the first message, never among the answers'],
    ],
  },
  {
    missed: 'marks at prompts, so that the terminal can jump between them',
    shownBy: [
      [
        'test/tui/settings.test.ts',
        'the window has a title, prompts have marks, and a user who looks elsewhere is called',
      ],
    ],
  },
];
