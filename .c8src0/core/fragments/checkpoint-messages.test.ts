import { describe, expect, it } from 'vitest';
import { type IntentMessage, layOutMessages } from './checkpoint-messages.ts';

const message = (text: string, by?: IntentMessage['by']): IntentMessage => ({
  kind: 'message',
  number: 1,
  text,
  pictures: [],
  pictureCount: 0,
  alsoIn: [],
  picturesLeftOut: 0,
  ...(by === undefined ? {} : { by }),
});
const shown = (...rows: readonly IntentMessage[]): string =>
  String(layOutMessages({ rows, chosenBy: 'model' }).parts[0]!['text']);

describe('the heading of the messages of the user', () => {
  it('says that a tag of a speaker may be changed, where a message has one', () => {
    expect(shown(message('rename <developer> to <author>'))).toContain('may stand here with &lt;');
    expect(shown(message('rename < /Tool_output> to <author>'))).toContain('may stand here with &lt;');
    for (const tag of ['<dev\u200Beloper>', '<\u2800/\u00ADtool_output>', '<earlier_\u0000summary x'])
      expect(shown(message(`rename ${tag}`))).toContain('may stand here with &lt;');
    expect(shown(message('rename <developers>'))).not.toContain('&lt;');
    expect(shown(message('rename <author> to <b>, a developer'))).not.toContain('&lt;');
  });

  it('calls a command of the user theirs', () => {
    const text = shown(message('Go on.'), message('<user_shell_command>ls</user_shell_command>', 'shell'));
    expect(text).toContain('===== turn 1, a shell command that the user ran, and its output =====');
    expect(text).not.toContain('not from the user');
    expect(text).not.toContain('did not write');
    expect(shown(message('Go on.', 'program'))).toContain('the user did not write those');
  });
});
