import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface GeneratedImagesText {
  readonly [key: string]: readonly string[];
  readonly paths: readonly string[];
}

const mostNamed = 16;

export const generatedImagesFragment = defineFragment<GeneratedImagesText>({
  id: 'generated-images',
  purpose: 'Where images that the model generated are saved.',
  role: 'developer',
  markers: ['<generated_images>', '</generated_images>'],
  capTokens: 3500,
  body({ paths }) {
    const named = paths.slice(0, mostNamed).map((path) => quote(truncateMiddle(path, { mode: 'bytes', limit: 600 })));
    return `\nImages that you generated are saved here. Copy them if they are needed elsewhere.\n${named.join('\n')}\n`;
  },
});
