import { anthropicRenderer } from './anthropic-sse.ts';
import { chatRenderer } from './chat-chunks.ts';
import { responsesRenderer } from './sse.ts';
import type { WireRenderer } from './wire-renderer.ts';

/** Every wire format that the scripted model speaks. A new one is a file with a renderer and a row here. */
const renderers: readonly WireRenderer[] = [responsesRenderer, chatRenderer, anthropicRenderer];

/** The renderer whose endpoint this path is; undefined when there is none. */
export function rendererFor(path: string): WireRenderer | undefined {
  return renderers.find(({ endpoint }) => endpoint.test(path));
}
