import { describe, expect, it } from 'vitest';
import { interceptPatch } from './apply-patch-tool.ts';

const patch = "*** Begin Patch\n*** Add File: f\n+it's $HOME `x` \\n\n*** End Patch\n";

describe('a script that applies a patch', () => {
  it.each([
    ['a quoted heredoc', `apply_patch <<'EOF'\n${patch}EOF\n`],
    ['double quotes', `apply_patch <<"EOF"\n${patch}EOF`],
    ['no quotes', `apply_patch <<EOF\n${patch}EOF`],
    ['another word', `applypatch << 'END-OF_PATCH'\n${patch}END-OF_PATCH`],
    ['no blanks and many', `\n\t apply_patch<<'EOF' \t\n${patch}EOF\n \n`],
  ])('with %s', (_, script) => {
    expect(interceptPatch(script)).toEqual({ kind: 'patch', text: patch });
  });

  it.each([
    ['sub', 'sub'],
    ['/abs/path-1.x', '/abs/path-1.x'],
    ["'a b'", 'a b'],
    ['"a b"', 'a b'],
    ['../up', '../up'],
  ])('after cd %s', (word, folder) => {
    expect(interceptPatch(`cd ${word} && apply_patch <<'EOF'\n${patch}EOF\n`)).toEqual({
      kind: 'patch',
      text: patch,
      folder,
    });
    expect(interceptPatch(`cd ${word}&&\napply_patch <<'EOF'\n${patch}EOF\n`)).toMatchObject({ folder });
  });

  it('takes whatever is in the heredoc, patch or not', () => {
    expect(interceptPatch("apply_patch <<'EOF'\nhello\nEOF")).toEqual({ kind: 'patch', text: 'hello\n' });
    expect(interceptPatch("apply_patch <<'EOF'\nEOF")).toEqual({ kind: 'patch', text: '' });
  });
});

describe('any other script is left to the shell', () => {
  const heredoc = `<<'EOF'\n${patch}EOF\n`;
  it.each([
    ['a command after it', `apply_patch ${heredoc}echo done`],
    ['a command before it', `set -e\napply_patch ${heredoc}`],
    ['a comment', `apply_patch ${heredoc}# done`],
    ['more on its line', `apply_patch <<'EOF' && echo done\n${patch}EOF`],
    ['a redirection', `apply_patch <<'EOF' >log\n${patch}EOF`],
    ['a semicolon', `apply_patch <<'EOF';\n${patch}EOF`],
    ['the background', `apply_patch <<'EOF' &\n${patch}EOF`],
    ['an argument', `apply_patch x ${heredoc}`],
    ['a quoted patch', `apply_patch '${patch}'`],
    ['a here string', `apply_patch <<< '${patch}'`],
    ['tabs taken away', `apply_patch <<-'EOF'\n${patch}EOF`],
    ['half a quote', `apply_patch <<'EOF\n${patch}EOF`],
    ['a word of two parts', `apply_patch <<'E'OF\n${patch}EOF`],
    ['no last line', `apply_patch <<'EOF'\n${patch}`],
    ['blanks after its last line', `apply_patch <<'EOF'\n${patch}EOF \n`],
    ['its last word within', `apply_patch <<'EOF'\n*** Begin Patch\nEOF\n*** End Patch\nEOF\n`],
    ['Windows line endings', `apply_patch ${heredoc}`.replaceAll('\n', '\r\n')],
    ['a variable before it', `A=1 apply_patch ${heredoc}`],
    ['a path', `./apply_patch ${heredoc}`],
    ['another name', `apply_patches ${heredoc}`],
    ['a pipe', `cat ${heredoc.replace('\n', ' | apply_patch\n')}`],
    ['a subshell', `(apply_patch ${heredoc})`],
    ['cd and a semicolon', `cd a; apply_patch ${heredoc}`],
    ['cd or', `cd a || apply_patch ${heredoc}`],
    ['cd twice', `cd a && cd b && apply_patch ${heredoc}`],
    ['cd with two words', `cd a b && apply_patch ${heredoc}`],
    ['cd nowhere', `cd && apply_patch ${heredoc}`],
    ['cd back', `cd - && apply_patch ${heredoc}`],
    ['cd with an option', `cd '-P' && apply_patch ${heredoc}`],
    ['cd home', `cd ~ && apply_patch ${heredoc}`],
    ['cd with a variable', `cd $HOME && apply_patch ${heredoc}`],
    ['cd with a quoted variable', `cd "$HOME" && apply_patch ${heredoc}`],
    ['cd with a pattern', `cd s* && apply_patch ${heredoc}`],
    ['cd with an escape', `cd a\\ b && apply_patch ${heredoc}`],
    ['cd with glued quotes', `cd a'b' && apply_patch ${heredoc}`],
    ['nothing of the kind', 'ls -la'],
    ['words about it', "echo apply_patch <<'EOF'\nEOF"],
  ])('%s', (_, script) => {
    expect(interceptPatch(script)).toEqual({ kind: 'none' });
  });
});

describe('a script that is itself a patch', () => {
  it('is recognised, if it is a whole one', () => {
    expect(interceptPatch(`\n${patch}`)).toEqual({ kind: 'bare-patch' });
    expect(interceptPatch('*** Begin Patch\nnonsense\n*** End Patch')).toEqual({ kind: 'none' });
  });
});
