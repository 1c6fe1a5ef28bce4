import type { Ownership } from '../../src/envelope/ownership.ts';

export const rewriteCommand = 'npm test -- test/envelope/ownership.test.ts -u';

/** The map as a page for people. */
export function ownershipDocument(ownership: readonly Ownership[]): string {
  const groups = [...new Set(ownership.map(({ field }) => field.slice(0, field.indexOf('.'))))];
  const tables = groups.map((group) => {
    const rows = ownership.filter(({ field }) => field.startsWith(`${group}.`)).map(row);
    return `## ${group}\n\n${purposes[group] ?? ''}\n\n| Field | Source | Consumers |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${intro}\n${tables.join('\n')}`;
}

const purposes: Readonly<Record<string, string>> = {
  identity: 'Which model acts, by way of whom, thinking how hard, for which client.',
  workspace: 'Where the turn works, and when.',
  instructions: 'Text whose author is neither the model nor the user of this turn.',
  policy: 'What the turn may do. The text for the model and the sandbox are made from one value.',
  capabilities: 'What the turn can do.',
  modes: 'How the model and the user work together.',
  telemetry: 'What labels the turn in logs, traces and the rollout.',
  window: 'How much fits: the parent of every budget. Not a group: it is derived from identity and settings.',
};

const intro = `# The envelope

An envelope is the resolved contract of one turn: seven groups and the window. It is made once, when the turn begins, from facts and settings; it is frozen all the way down, and whatever shapes the turn is read from it. Two parts have a value of now in the thread's state: what requests begin with, after a checkpoint, and the window, after a server has named a narrower one. \`capstan envelope\` shows it for any turn of a thread, with who decided each value, and what changed between two turns, down to the part of a long value that differs:

\`\`\`sh
capstan envelope                      # the newest turn of the newest thread of this folder
capstan envelope 01a1dcd3 --turn 2    # another one
capstan envelope --turn 3 --diff 1    # what changed since
\`\`\`

The tables say for every field where it comes from and which sources read it. Two readers are not listed because they take in every field: \`src/state/stored-envelope.ts\` keeps the envelope in the rollout, and \`src/surfaces/envelope/\` shows it. A field that nothing else reads yet says what it waits for.

Sources: **setting** is what was chosen, by flag, configuration, the thread's own past or an override; \`telemetry.origins\` says who. **model catalogue** is the record of the model, and **default of the model** what that record has for a value that was not chosen: it changes with the model. **facts** is what was found when the turn began. **effective window** is a share of \`window.effective\`. **default** is built in.

This page is made from \`src/envelope/ownership.ts\`, and tests hold the map against the types, a resolved envelope and the sources. \`${rewriteCommand}\` writes it anew.
`;

function row({ field, source, consumers, awaits }: Ownership): string {
  const from =
    source.settings === undefined
      ? source.otherwise
      : `setting ${source.settings.map((path) => `\`${path}\``).join(' or ')}, else ${source.otherwise}`;
  const readers = consumers.map(({ role, path }) => `${role} (\`${path.slice('src/'.length)}\`)`);
  const later = awaits === undefined ? [] : [`*later: ${awaits}*`];
  return `| \`${field}\` | ${from} | ${[...readers, ...later].join('; ')} |`;
}
