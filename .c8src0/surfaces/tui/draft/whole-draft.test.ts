import { describe, expect, it } from 'vitest';
import {
  draftMessageText,
  draftPlainText,
  expandDraft,
  joinDrafts,
  parseDraft,
  picturesOf,
  trimDraft,
} from './draft-message.ts';
import {
  type Draft,
  draftFromText,
  emptyDraft,
  escapeCommandDraft,
  isCommandDraft,
  isShellDraft,
  replaceRange,
} from './draft.ts';
import { imageLabel, pasteLabel, pasteLabels, renumberElements } from './draft-elements.ts';

/** `{source}` is a picture, `<text>` a paste, all else is typed. */
function draft(script: string): Draft {
  let made: Draft = emptyDraft;
  for (const [, source, pasted, text = ''] of script.matchAll(/\{([^}]*)\}|<([^>]*)>|([^{<]+)/g)) {
    const at = [made.text.length, made.text.length] as const;
    if (source !== undefined) made = replaceRange(made, at, imageLabel(9), { kind: 'image', source });
    else if (pasted !== undefined)
      made = replaceRange(made, at, pasteLabel(pasted, pasteLabels(made)), { kind: 'paste', text: pasted });
    else made = replaceRange(made, at, text);
  }
  return renumberElements(made);
}

describe('a draft with elements', () => {
  it('is trimmed with the places of its elements', () => {
    const trimmed = trimDraft(draft('\n  ü {a.png} b  '));
    expect(trimmed).toEqual({
      text: 'ü [Image #1] b',
      cursor: 14,
      elements: [{ start: 2, end: 12, payload: { kind: 'image', source: 'a.png' } }],
    });
  });

  it('is joined with another: every picture and paste has a number of its own', () => {
    const joined = joinDrafts(draft('{a.png} <one>'), draft('{b.png}<two> x'));
    expect(joined.text).toBe('[Image #1] [Pasted Content 3 chars]\n[Image #2][Pasted Content 3 chars] #2 x');
    expect(picturesOf(joined)).toEqual(['a.png', 'b.png']);
    expect(expandDraft(joined)).toBe('[Image #1] one\n[Image #2]two x');
    expect(joinDrafts(draftFromText('a'), emptyDraft)).toEqual(draftFromText('a'));
  });

  it('numbers its pictures in their order when one of them goes', () => {
    const two = draft('🦊{a.png}{b.png}');
    const [first] = two.elements;
    const one = renumberElements(replaceRange(two, [first!.start, first!.end], ''));
    expect(one).toEqual({
      text: '🦊[Image #1]',
      cursor: 2,
      elements: [{ start: 2, end: 12, payload: { kind: 'image', source: 'b.png' } }],
    });
  });

  it('says how many lines a paste has', () => {
    expect(draft('<a\nb>').text).toBe('[Pasted Content 3 chars, 2 lines]');
  });

  it('is a command for the shell only by a ! that was typed', () => {
    expect(isShellDraft(draft('!ls'))).toBe(true);
    expect(isShellDraft(draft('<!ls>'))).toBe(false);
    const odd = replaceRange(emptyDraft, [0, 0], '!file', { kind: 'mention', text: '!file' });
    expect(isShellDraft(odd)).toBe(false);
    expect(isShellDraft(trimDraft(joinDrafts(draft('<!ls>'), draftFromText('x'))))).toBe(false);
  });

  it('is a command only by a beginning that was typed, with no blank before it', () => {
    const commands = ['!ls', '/quit', '/nonsense at all', '/review <all of it>'];
    const messages = [' !ls', '\n/quit', '/tmp/x is full', '<!ls>', '</quit>', '/<quit>', '/re<view>', '', 'a\n!ls'];
    expect([...commands, ...messages].filter((each) => isCommandDraft(trimDraft(draft(each))))).toEqual(commands);
  });

  it('stays a message as text alone, below another, and in an editor; the model gets no blank', () => {
    for (const [each, kept, sent] of [
      ['<!ls>', ' !ls', '!ls'],
      ['</quit now>', ' /quit now', '/quit now'],
      [' \t!ls ', ' !ls', '!ls'],
      ['</tmp/x>', '/tmp/x', '/tmp/x'],
      ['<  indented>', '  indented', '  indented'],
    ] as const) {
      const made = trimDraft(draft(each));
      expect([draftPlainText(made), draftMessageText(made)]).toEqual([kept, sent]);
      const back = draftFromText(draftPlainText(made));
      expect([isCommandDraft(back), draftPlainText(back), draftMessageText(back)]).toEqual([false, kept, sent]);
    }
    expect(escapeCommandDraft(draft('!ls {a.png}'))).toEqual({
      text: ' !ls [Image #1]',
      cursor: 15,
      elements: [{ start: 5, end: 15, payload: { kind: 'image', source: 'a.png' } }],
    });
    expect(draftPlainText(draft('!ls <a>'))).toBe('!ls a');
    expect(isCommandDraft(joinDrafts(draftFromText('!ls'), draftFromText('What does it say?')))).toBe(false);
    expect(joinDrafts(draftFromText('!ls'), emptyDraft)).toEqual(draftFromText('!ls'));
  });
});

describe('a path in a draft', () => {
  const named = (before: string): Draft =>
    renumberElements(
      replaceRange(draftFromText(before), [before.length, before.length], 'x', {
        kind: 'mention',
        text: '"a $(b)"',
        path: 'a $(b)',
      }),
    );

  it('is quoted for the shell in a command, and for the model in a message', () => {
    expect([named('see ').text, expandDraft(named('see '))]).toEqual(['see "a $(b)"', 'see "a $(b)"']);
    expect([named('!cat ').text, expandDraft(named('!cat '))]).toEqual(["!cat 'a $(b)'", "!cat 'a $(b)'"]);
    expect(renumberElements(replaceRange(named('cat '), [0, 0], '!')).text).toBe("!cat 'a $(b)'");
  });

  it('refuses a command that has it inside of quotes', () => {
    expect(parseDraft(named('!cat '))).toEqual({ kind: 'shell', command: "cat 'a $(b)'" });
    expect(parseDraft(named('!echo "see '))).toMatchObject({ kind: 'refused' });
  });
});
