import { firstBytes } from '../../fragments/text/truncate.ts';
import { isMessage, type Item, messageText } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';

/** How much of a message is shown, in bytes, and how many messages and files are named. */
const most = { bytes: 200, messages: 20, files: 40 } as const;

/** Who said an item, as history knows it. */
interface Speakers {
  readonly isUsers: (item: Item) => boolean;
  readonly isPrograms: (item: Item) => boolean;
}

/** Notes about a part of history that no model made notes of: how its messages begin, and the files of its patches. */
export function partNotes(items: readonly Item[], speakers: Speakers): string {
  const said = items.flatMap((item): string[] => {
    if (!isMessage(item)) return [];
    const who = speakerOf(item, item.role, speakers);
    const text = messageText(item).trim();
    return who === undefined || text === '' ? [] : [`- ${who}: ${beginning(text)}`];
  });
  const files = [...new Set(items.flatMap(patchedFiles))].map((file) => `- ${file}`);
  return [
    'Notes made without a model, from how messages begin:',
    ...newest(said, most.messages),
    ...(files.length === 0 ? [] : ['Files in patches:', ...newest(files, most.files)]),
  ].join('\n');
}

function speakerOf(item: Item, role: string, { isUsers, isPrograms }: Speakers): string | undefined {
  if (isPrograms(item)) return 'Program';
  if (isUsers(item)) return 'User';
  return role === 'assistant' ? 'Assistant' : undefined;
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const shown = firstBytes(line, most.bytes);
  return shown === line ? line : `${shown}…`;
}

function newest(lines: readonly string[], count: number): readonly string[] {
  if (lines.length <= count) return lines;
  return [`- (${lines.length - count} older ones are not shown)`, ...lines.slice(-count)];
}

function patchedFiles(item: Item): readonly string[] {
  const patch = stringAt(item, 'input') ?? '';
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (?<path>.{1,300})$/gm)].map(
    ({ groups }) => groups!['path']!,
  );
}
