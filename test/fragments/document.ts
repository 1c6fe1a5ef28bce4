import type { Fragment, FragmentKind } from '../../src/fragments/text/define.ts';

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

What the model is told beside the words of the user: every kind of text, with its role, its markers, the most tokens that one rendering may take, and the section of the world that tells it. A kind without a section is an event and is told once. "Alone" means that it shares its message with no other.

This page is made from the catalogue in \`src/fragments/catalog.ts\`. \`${rewriteCommand}\` writes it anew.
`;

const heading = `| Kind | Role | Markers | Cap | Section | Purpose |
|---|---|---|---|---|---|`;

const outro = `Rules that hold for all of them:

- The text is start marker, body, end marker, and nothing between them that the body does not bring.
- No body can end its fragment: an end marker inside it is shown as \`&lt;/…>\`. Names and paths from outside are escaped or quoted as JSON.
- A body over its cap is cut in its middle, with words that say so. Markers are never cut. Long lists end with the number of entries that are missing.
- Whose text an item is, its recorded origin says. Markers decide only for files of other programs. Forms of one family, such as a withdrawal, are then recognised as the family's first kind.
- A user message from such a file counts as injected only when every part of it is.

## Examples

Words in capitals stand for text that comes from elsewhere.`;

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
