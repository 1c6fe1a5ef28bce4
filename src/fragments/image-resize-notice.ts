import { boundedList } from './bounded-list.ts';
import { defineFragment } from './define.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface ImageResizeNoticeText {
  /** Of the images of one item, by their number from 1. */
  readonly resized: readonly { readonly number: number; readonly from: Size; readonly to: Size }[];
  readonly count: number;
}

export const imageResizeNoticeFragment = defineFragment<ImageResizeNoticeText>({
  id: 'image-resize-notice',
  purpose: 'Images that were made smaller before the model saw them.',
  role: 'developer',
  markers: ['<image_resize_notice>', '</image_resize_notice>'],
  capTokens: 700,
  separate: true,
  body({ resized, count }) {
    const entries = resized.map(
      ({ number, from, to }) => `Image ${number} of ${count} was made smaller: ${shown(from)} -> ${shown(to)}`,
    );
    const { kept, left } = boundedList(entries, { count: 40, characters: 2500 });
    return `\n${[...kept, ...(left === 0 ? [] : [`… and ${left} more`])].join('\n')}\n`;
  },
});

function shown({ width, height }: Size): string {
  return `${width}x${height}`;
}
