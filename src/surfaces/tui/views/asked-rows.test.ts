import { expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import type { FileChangeItem } from '../../../protocol/turn-item.ts';
import { plainLook } from '../app/plain-look.ts';
import type { Look } from '../text/look.ts';
import { askedRows } from './asked-rows.ts';

const look: Look = {
  ...plainLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 100,
  now: 0,
  details: 'folded',
};

it('a patch has every character that a yes would write, in its lines and in its paths', () => {
  const [path, movePath] = ['/w/docs/\u001B]evil\u0007readme.md', '/w/a\nb\u202E.md'];
  const diff =
    '@@ one \u001B[2J\n+sh ./te\u{E0101}st.sh\n-old\r\n+echo hello \u001B]x; touch PWNED; #\u0007 world\n+\ttab \u{1BCA0}\n';
  const item = {
    kind: 'file-change',
    status: 'in-progress',
    changes: [{ kind: 'update', path, movePath, diff }],
  } as unknown as FileChangeItem;
  const question: Question = {
    id: 'q',
    callId: 'c',
    turnId: 't' as TurnId,
    tool: 'apply_patch',
    item: {},
    kind: 'patch',
    paths: [
      { access: 'write', path },
      { access: 'write', path: '/w/other\u200B.md' },
    ],
    scopes: ['call'],
  };
  const rows = askedRows(question, item, look).join('\n');
  for (const shown of [
    'docs/␛]evil␇readme.md',
    'a␊b<U+202E>.md',
    '-old␍',
    '+echo hello ␛]x; touch PWNED; #␇ world',
    '+    tab <U+1BCA0>',
    'one ␛[2J',
    '+sh ./te<U+E0101>st.sh',
    'other<U+200B>.md',
  ])
    expect(rows).toContain(shown);
});

it('a command and the rule that a yes would save have a sign for selectors and joiners', () => {
  const question: Question = {
    id: 'q',
    callId: 'c',
    turnId: 't' as TurnId,
    tool: 'exec_command',
    item: {},
    kind: 'command',
    argv: ['/bin/sh', '-c', 'sh ./build\u{E0101}.sh bu\uFE0Fild.sh \u6587\u200D\u4EF6'],
    prefix: ['sh', './build\u{E0101}.sh'],
    scopes: ['call', 'rule'],
  };
  const rows = askedRows(question, undefined, look).join('\n');
  for (const shown of [
    '$ sh ./build<U+E0101>.sh bu<U+FE0F>ild.sh \u6587<U+200D>\u4EF6',
    '["sh","./build<U+E0101>.sh"]',
  ])
    expect(rows).toContain(shown);
});
