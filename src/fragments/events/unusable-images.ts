import { boundedList } from '../text/bounded-list.ts';
import { defineFragment } from '../text/define.ts';

export const unusableImagesFragment = defineFragment<{ readonly paths: readonly string[] }>({
  id: 'unusable-images',
  purpose: 'Files that the user sent as images and that cannot be shown to the model.',
  role: 'developer',
  markers: ['<unusable_images>', '</unusable_images>'],
  capTokens: 800,
  separate: true,
  body({ paths }) {
    const entries = paths.map((path) => path.replaceAll(/[\r\n]/g, ' '));
    const { kept, left } = boundedList(entries, { count: 40, characters: 2500 });
    const lines = [...kept, ...(left === 0 ? [] : [`… and ${left} more`])];
    return `\nThe user sent these files as images. They are not in a format that can be shown to you:\n${lines.join('\n')}\n`;
  },
});
