import { expect, it } from 'vitest';
import type { FileChangeItem } from '../../../protocol/turn-item.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import type { Look } from '../screen/text/look.ts';
import { questionRows } from './question-rows.ts';
import { QuestionView } from './question-view.ts';
import { sampleQuestion } from '../../../../test/harness/sample-question.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
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
  const paths = [path, '/w/other\u200B.md'].map((each) => ({ access: 'write' as const, path: each }));
  const question = sampleQuestion({ tool: 'apply_patch', kind: 'patch', paths });
  const rows = questionRows(question, item, look).all.join('\n');
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

it('the rows of a long patch are made once for each width, not for each frame', () => {
  let made = 0;
  const item = {
    kind: 'file-change',
    status: 'in-progress',
    get changes() {
      made += 1;
      return [{ kind: 'update', path: '/w/a', diff: '@@\n-a\n+b\n' }];
    },
  } as unknown as FileChangeItem;
  const none = (): void => {};
  const question = sampleQuestion({ tool: 'apply_patch', kind: 'patch' });
  const view = new QuestionView({ question, item, waiting: () => 0, answer: none, showWhole: none });
  view.frame(look, 24);
  const once = made;
  for (let now = 0; now < 5000; now += 100) view.frame({ ...look, now }, 24);
  expect(made).toBe(once);
  view.frame({ ...look, width: 40 }, 24);
  expect(made).toBe(2 * once);
});

it('a command and the rule that a yes would save have a sign for selectors and joiners', () => {
  const question = sampleQuestion({
    argv: ['/bin/sh', '-c', 'sh ./build\u{E0101}.sh bu\uFE0Fild.sh \u6587\u200D\u4EF6'],
    prefix: ['sh', './build\u{E0101}.sh'],
    scopes: ['call', 'rule'],
  });
  const rows = questionRows(question, undefined, look).all.join('\n');
  for (const shown of [
    '$ sh ./build<U+E0101>.sh bu<U+FE0F>ild.sh \u6587<U+200D>\u4EF6',
    '["sh","./build<U+E0101>.sh"]',
  ])
    expect(rows).toContain(shown);
});
