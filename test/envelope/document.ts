import type { FieldOwnership } from '../../src/core/envelope/ownership.ts';

export const rewriteCommand = 'npm test -- test/envelope/ownership.test.ts -u';

/** The map as a page for people. */
export function ownershipDocument(ownership: readonly FieldOwnership[]): string {
  const groups = [...new Set(ownership.map(({ field }) => field.slice(0, field.indexOf('.'))))];
  const tables = groups.map((group) => {
    const rows = ownership.filter(({ field }) => field.startsWith(`${group}.`)).map(row);
    return `## ${group}\n\n${purposes[group] ?? ''}\n\n| Field | Source | Consumers |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${intro}\n${tables.join('\n')}`;
}

const purposes: Readonly<Record<string, string>> = {
  identity: 'The model, its provider, its effort, and the client.',
  workspace: 'Where the turn works, and when.',
  instructions: 'Text that neither the model nor the user of this turn wrote.',
  policy: 'What the turn may do. The text for the model and the sandbox are made from one value.',
  capabilities: 'What the turn can do.',
  modes: 'How the model and the user work together.',
  telemetry: 'Labels of the turn in logs, traces and the rollout.',
  window: 'How many tokens fit. Every budget is a share of it. Not a group: it is derived from identity and settings.',
};

const intro = `# The envelope

An envelope is the resolved contract of one turn: what the turn may do, and with what. It has seven groups and the window. \`capstan envelope\` shows it for any turn of a thread, with the source of each value:

\`\`\`sh
capstan envelope                      # the newest turn of the newest thread of this folder
capstan envelope 01a1dcd3 --turn 2    # another one
capstan envelope --turn 3 --diff 1    # what changed since
\`\`\`

On a terminal, long values are cut, and \`--diff\` shows the part that differs. In a pipe or a file every value is whole.

Capstan makes the envelope once, when the turn begins, from facts and settings, and freezes it. All code of the turn reads from it. Two parts may have a newer value in the thread's state: the instructions at the start of requests, after a checkpoint, and the window, after a server has named a narrower one.

The tables list the source of every field, and the code that reads it. Two readers are not listed because they read every field: \`src/core/state/drafts/turn-lines.ts\` stores the envelope in the rollout, and \`src/surfaces/views/threads/envelope-page.ts\` shows it. A field without another reader says what it waits for.

| Source | Meaning |
|---|---|
| setting | chosen by a flag, the configuration, the thread's own past or an override; \`telemetry.origins\` says which |
| model catalogue | the record of the model |
| default of the model | the value in that record, if none was chosen; it changes with the model |
| facts | what was true when the turn began |
| effective window | a share of \`window.effective\` |
| default | built in |

This page is generated from \`src/core/envelope/ownership.ts\`. Tests compare that map with the types, a resolved envelope and the sources. \`${rewriteCommand}\` rewrites the page.
`;

function row({ field, source, consumers, awaits }: FieldOwnership): string {
  const from =
    source.settings === undefined
      ? source.otherwise
      : `setting ${source.settings.map((path) => `\`${path}\``).join(' or ')}, else ${source.otherwise}`;
  const readers = consumers.map(({ role, path }) => `${role} (\`${path.slice('src/'.length)}\`)`);
  const later = awaits === undefined ? [] : [`*later: ${awaits}*`];
  return `| \`${field}\` | ${from} | ${[...readers, ...later].join('; ')} |`;
}
