import type { Fragment, FragmentKind } from '../../src/core/fragments/text/define-fragment.ts';

export const rewriteCommand = 'npm test -- test/fragments/document.test.ts -u';

/** The catalogue as a page for people. */
export function fragmentsDocument(catalogue: readonly FragmentKind<never>[], examples: readonly Fragment[]): string {
  const rows = catalogue.map(({ id, role, markers, capTokens, separate, section, purpose }) =>
    row([
      `\`${id}\``,
      `${role}${separate ? ', alone' : ''}`,
      markers === undefined ? '–' : markers.map((marker) => `\`${marker}\``).join(' '),
      String(capTokens),
      section === undefined ? '–' : `\`${section}\``,
      purpose,
    ]),
  );
  const shown = examples.map(({ kind, text }) => `### ${kind}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`);
  return `${[intro, heading, ...rows].join('\n')}\n\n${outro}\n\n${shown.join('\n')}`;
}

const intro = `# Fragments

Every kind of text that Capstan sends to the model beside the user's own words. [Examples](#examples) follow the table.

- **Role** is the role of the message. "Alone" means that the text shares its message with no other.
- **Markers** begin and end the text.
- **Cap** is the most tokens that one text may take.
- **Section** is the part of the model's environment that the text describes. When that part changes, Capstan sends the text again. A kind without a section is an event, and is sent once.

This page is generated from the catalogue in \`src/core/world/catalog.ts\`. \`${rewriteCommand}\` rewrites it.
`;

const heading = `| Kind | Role | Markers | Cap | Section | Purpose |
|---|---|---|---|---|---|`;

const outro = `Rules for all kinds:

- A text is its start marker, its body and its end marker, with nothing added between them.
- A body cannot end its fragment: an end marker inside it becomes \`&lt;/…>\`. Names and paths from outside are escaped or quoted as JSON.
- A body over its cap is cut in its middle, and a note there says so. Markers are never cut. Long lists end with the number of missing entries.
- Capstan recognises its own texts by their recorded origin, and those in files of other programs by their markers. Markers do not show whether a text is a withdrawal, so there it counts as the first kind with these markers. A user message of another program counts as injected only if all its parts are.

## Examples

Words in capitals stand for text from elsewhere.`;

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
