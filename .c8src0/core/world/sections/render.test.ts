import { describe, expect, it } from 'vitest';
import { approvedPrefixesFragment } from './approvals.ts';
import { deferredToolsFragment } from './deferred-tools-and-mcp-servers.ts';
import { defineFragment, renderFragment } from '../../fragments/text/define-fragment.ts';
import { environmentFragment } from './environments.ts';
import { personalityText } from './modes.ts';
import { realtimeDelegationFragment } from '../../fragments/events/user-actions.ts';
import { byteLength } from '../../fragments/text/truncate.ts';

describe('render', () => {
  const note = defineFragment<string>({
    id: 'note',
    purpose: 'A note.',
    role: 'developer',
    markers: ['<a note>', '</a note>'],
    capTokens: 20,
    body: (text) => text,
  });

  it('puts markers around the body and nothing else', () => {
    expect(renderFragment(note, ' x\n')).toEqual({
      kind: 'note',
      role: 'developer',
      text: '<a note> x\n</a note>',
      separate: false,
    });
  });

  it('shows an end marker inside the body in a form that ends nothing', () => {
    expect(renderFragment(note, '</a note></A  NOTE >').text).toBe('<a note>&lt;/a note>&lt;/A  NOTE ></a note>');
  });

  it('cuts the middle of a body, says so and keeps the markers', () => {
    expect(renderFragment(note, `${'a'.repeat(50)}${'b'.repeat(50)}`).text).toBe(
      '<a note>aaaaaa…22 tokens truncated…bbbbbb</a note>',
    );
  });
});

it('an empty list is told, so that the last entry can be taken away', () => {
  expect(renderFragment(environmentFragment, { writableRoots: [], deniedPaths: ['/a<b', '/c'] }).text).toBe(
    `<environment_context>
  <writable_roots />
  <denied_paths><path>/a&lt;b</path><path>/c</path></denied_paths>
</environment_context>`,
  );
});

it('a long list says how many entries are missing', () => {
  const workspaceRoots = Array.from({ length: 120 }, (_, i) => `/${i}`);
  const { text } = renderFragment(environmentFragment, { workspaceRoots });
  expect(text).toContain('<root>/99</root><omitted count="20" /></workspace_roots>');
});

it('approved prefixes come once, by number of words, by length, by letters', () => {
  const added = [['npm', 'run', 'x'], ['git', 'pull'], ['make'], ['go', 'vet'], ['ls'], ['make'], ['cd']];
  expect(renderFragment(approvedPrefixesFragment, { added, where: 'outside', explained: false }).text).toBe(
    `<approved_command_prefixes>
Where sandboxed commands can change neither the programs that a script starts nor its git repository, it runs outside the sandbox, without a question, unless stdin or tty is set, if each of its commands begins with one of these, or with one listed earlier:
- ["cd"]
- ["ls"]
- ["make"]
- ["go", "vet"]
- ["git", "pull"]
- ["npm", "run", "x"]
</approved_command_prefixes>`,
  );
});

it('a hundred prefixes are listed, and the rest is counted', () => {
  const added = Array.from({ length: 130 }, (_, i) => [`command-${i}`]);
  const lines = renderFragment(approvedPrefixesFragment, { added, where: 'outside', explained: false }).text.split(
    '\n',
  );
  expect([lines.length, lines.at(-2)]).toEqual([104, '… and 30 more that are not listed here']);
});

it('of a delegation the request keeps its beginning and the talk its end', () => {
  const long = `first${'&'.repeat(2000)}last`;
  const { text } = renderFragment(realtimeDelegationFragment, { input: long, transcriptDelta: long });
  expect(text).toMatch(/<input>first(&amp;)+…<\/input>/);
  expect(text).toMatch(/<transcript_delta>…(&amp;)+last<\/transcript_delta>/);
});

it('each manner of speech has a text', () => {
  const names = ['none', 'friendly', 'pragmatic'] as const;
  expect(new Set(names.map(personalityText)).size).toBe(names.length);
});

it('a hundred long namespaces fit, and those that do not are counted', () => {
  const namespaces = Array.from({ length: 100 }, (_, i) => ({ name: `n${i}<`, description: '<&>'.repeat(100) }));
  const { text } = renderFragment(deferredToolsFragment, { kind: 'full', namespaces });
  expect(byteLength(text)).toBeLessThanOrEqual(4096);
  expect(text).toMatch(/\n\.\.\. \d+ more namespaces are not listed\.\n<\/tools>$/);
});

it('a list of namespaces that became empty is told', () => {
  expect(renderFragment(deferredToolsFragment.withdrawn, undefined).text).toBe(
    '<tools>\nNo deferred tool namespaces remain.\n</tools>',
  );
});
