type Entry = readonly [name: string, keys: readonly string[], does: string, more?: readonly string[]];

const inContext = (context: KeyContext, entries: readonly Entry[]): readonly KeyAction[] =>
  entries.map(([name, keys, does, more]) => ({ context, name, keys, does, ...(more && { more }) }));

export const keyActions: readonly KeyAction[] = [
  ...inContext('composer', [
    ['submit', ['enter'], 'send the message; while a turn runs, the model reads it with its next request'],
    ['queue', ['tab'], 'while a turn runs: queue the message for a turn of its own'],
    ['toggle_shortcuts', ['?'], 'in an empty draft: keys and commands'],
    [
      'history_search_previous',
      ['ctrl+r'],
      'search earlier messages, of all conversations; in the search: an older one',
    ],
    ['history_search_next', ['ctrl+s'], 'in the search: a newer one'],
  ]),
  ...inContext('chat', [
    ['interrupt_turn', ['escape'], 'interrupt the turn; close what is open'],
    ['edit_queued_message', ['alt+up', 'shift+left'], 'take the last queued message back into the composer'],
    ['decrease_reasoning_effort', ['alt+,'], 'less effort of the model in this conversation', ['shift+down']],
    ['increase_reasoning_effort', ['alt+.'], 'more effort of the model in this conversation', ['shift+up']],
    ['scroll_up', ['pageup'], 'scroll up, on a full screen'],
    ['scroll_down', ['pagedown'], 'scroll down, on a full screen'],
  ]),
  ...inContext('global', [
    ['open_transcript', ['ctrl+t'], 'the conversation with all details'],
    ['copy', ['ctrl+o'], 'copy the last answer'],
    ['toggle_plan', ['alt+t'], 'all tasks of the plan, or the one that is worked on'],
    ['next_permissions', ['alt+p'], 'permissions: ask, or read only'],
    ['open_details', ['alt+o'], 'the details of the newest line about a model, a checkpoint, the cache or a retry'],
    ['open_external_editor', ['ctrl+g'], 'write the draft in $VISUAL or $EDITOR'],
    ['clear_terminal', ['ctrl+l'], 'draw the screen again'],
    ['toggle_vim_mode', [], 'Vim mode on or off'],
  ]),
  ...inContext('editor', [
    ['insert_newline', ['ctrl+j', 'alt+enter', 'shift+enter', 'ctrl+enter'], 'new line'],
    ['move_left', ['left', 'ctrl+b'], 'one character back'],
    ['move_right', ['right', 'ctrl+f'], 'one character forward'],
    ['move_up', ['up', 'ctrl+p'], 'one row up; an earlier message where the draft is empty or recalled'],
    ['move_down', ['down', 'ctrl+n'], 'one row down; a later message'],
    ['move_word_left', ['alt+b', 'ctrl+left'], 'one word back'],
    ['move_word_right', ['alt+f', 'ctrl+right'], 'one word forward'],
    ['move_line_start', ['ctrl+a', 'home'], 'start of the line'],
    ['move_line_end', ['ctrl+e', 'end'], 'end of the line'],
    ['move_start', ['ctrl+home'], 'start of the draft'],
    ['move_end', ['ctrl+end'], 'end of the draft'],
    ['delete_backward', ['backspace', 'shift+backspace', 'ctrl+h'], 'delete the character before the cursor'],
    ['delete_forward', ['delete', 'shift+delete'], 'delete the character behind the cursor'],
    ['delete_backward_word', ['ctrl+w', 'alt+backspace', 'ctrl+backspace', 'ctrl+alt+h'], 'cut the word before'],
    ['delete_forward_word', ['alt+d', 'alt+delete', 'ctrl+delete'], 'cut the word behind'],
    ['kill_line_start', ['ctrl+u'], 'cut to the start of the line'],
    ['kill_line_end', ['ctrl+k'], 'cut to the end of the line'],
    ['yank', ['ctrl+y'], 'put back what was cut'],
    ['yank_earlier', ['alt+y'], 'then: an earlier cut'],
    ['undo', ['ctrl+_', 'ctrl+-', 'ctrl+/'], 'undo'],
    ['redo', ['alt+_'], 'redo'],
  ]),
  ...inContext('pager', [
    ['scroll_up', ['up', 'k'], 'one row up'],
    ['scroll_down', ['down', 'j'], 'one row down'],
    ['page_up', ['pageup', 'ctrl+b'], 'one page up'],
    ['page_down', ['pagedown', 'space', 'ctrl+f'], 'one page down'],
    ['half_page_up', ['ctrl+u'], 'half a page up'],
    ['half_page_down', ['ctrl+d'], 'half a page down'],
    ['jump_top', ['home', 'g'], 'the beginning'],
    ['jump_bottom', ['end', 'G'], 'the end'],
    ['close', ['q'], 'close it'],
    ['close_transcript', ['ctrl+t'], 'close it, the same key as opens it'],
  ]),
  ...inContext('list', [
    ['move_up', ['up', 'ctrl+p', 'k'], 'the row before', ['ctrl+k']],
    ['move_down', ['down', 'ctrl+n', 'j'], 'the row behind', ['ctrl+j']],
    ['page_up', ['pageup'], 'one page up', ['ctrl+b']],
    ['page_down', ['pagedown'], 'one page down', ['ctrl+f']],
    ['jump_top', ['home'], 'the first row'],
    ['jump_bottom', ['end'], 'the last row'],
    ['accept', ['enter'], 'choose the row'],
    ['cancel', ['escape'], 'go back'],
  ]),
  ...inContext('approval', [
    ['approve', ['y'], 'yes, once'],
    ['approve_for_session', ['a'], 'yes, for the session'],
    ['approve_for_prefix', ['p'], 'yes, and save the rule'],
    ['decline', ['n'], 'no; the turn continues'],
    ['decline_with_note', ['t'], 'no, with a note for the model'],
    ['cancel', ['s'], 'no, and the turn ends'],
    ['open_fullscreen', ['ctrl+a'], 'all of what is asked'],
  ]),
];

/** Keys with a fixed meaning. Some differ in a text on a screen of its own. */
export const fixedKeys: Readonly<Record<string, string>> = {
  'ctrl+c': 'clears the draft; with an empty draft it interrupts, or quits',
  'ctrl+d': 'quits, with an empty draft',
  'ctrl+z': 'suspends; `fg` continues',
  'shift+tab': 'switches plan mode on or off',
  'ctrl+v': 'attaches a picture of the clipboard',
  'alt+v': 'attaches a picture of the clipboard',
  'alt+left': 'shows agents, in an empty draft; else one word back',
  'alt+right': 'shows agents, in an empty draft; else one word forward',
};

export const keyContexts = ['global', 'chat', 'composer', 'editor', 'pager', 'list', 'approval'] as const;
export type KeyContext = (typeof keyContexts)[number];

export interface KeyAction {
  readonly context: KeyContext;
  readonly name: string;
  /** Default keys. Views know an action by each of them. */
  readonly keys: readonly string[];
  /** Further default keys, which views need not know. */
  readonly more?: readonly string[];
  readonly does: string;
}

export const actionId = ({ context, name }: KeyAction): string => `${context}.${name}`;
/** The key by which views know the action: its first, or a name that no key has. */
export const canonicalKey = ({ keys, name }: KeyAction): string => keys[0] ?? name;
export const defaultKeys = ({ keys, more = [] }: KeyAction): readonly string[] => [...keys, ...more];
