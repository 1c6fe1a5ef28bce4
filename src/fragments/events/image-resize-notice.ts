import type { ResizedImage } from '../../protocol/user-input.ts';
import { defineFragment } from '../text/define.ts';
import { boundedList } from '../text/bounded-list.ts';

type ImageResizeNotice = {
  /** The pictures of the message that were made smaller, with their number among all of them. */
  readonly images: readonly {
    readonly [key in keyof ResizedImage | 'number']: key extends 'number' ? number : string;
  }[];
};

export const imageResizeNoticeFragment = defineFragment<ImageResizeNotice>({
  id: 'image-resize-notice',
  purpose: 'Pictures of the user that were larger than the model takes.',
  role: 'developer',
  markers: ['<image_resize_notice>', '</image_resize_notice>'],
  capTokens: 800,
  separate: true,
  body({ images }) {
    const lines = images.map(({ number, from, to }) => `[Image #${number}] was resized from ${from} to ${to} pixels.`);
    const { kept, left } = boundedList(lines, { count: 40, characters: 2500 });
    return `\n${[...kept, ...(left === 0 ? [] : [`… and ${left} more`])].join('\n')}\n`;
  },
});
