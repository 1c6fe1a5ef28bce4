import { resolve } from 'node:path';
import { notRunText } from '../../core/fragments/answers/tool-calls.ts';
import { imageOutputParts } from '../../core/fragments/answers/content-parts.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import { functionSpec, argumentsRefusal } from './function-tool.ts';
import type { CallRunContext, Tool } from './tool.ts';

interface ViewImagePorts {
  /**
   * Reads a regular file of limited size at an absolute path, and only if the policy grants its real place. Scales large
   * pictures down.
   */
  loadImage(path: string, call: Pick<CallRunContext, 'policy' | 'signal'>): Promise<UserImage | Outcome>;
}

const spec = functionSpec(
  'view_image',
  'Shows you a picture from the disk (PNG, JPEG, GIF or WebP).',
  { path: { type: 'string', description: 'Path of the picture, absolute or relative to the current folder.' } },
  ['path'],
);

export function viewImageTool(ports: ViewImagePorts): Tool {
  return {
    name: 'view_image',
    givesPictures: true,
    spec,
    prepare(call, { envelope: { workspace } }) {
      const path = parseJsonObject(call.input)?.['path'];
      if (typeof path !== 'string' || path === '') return argumentsRefusal('`path` must be a string.');
      const absolute = resolve(workspace.cwd, path);
      const item = { kind: 'image-view', id: call.callId, path: absolute } as const;
      return {
        kind: 'prepared',
        item,
        needs: { paths: [{ path: absolute, access: 'read' }] },
        idempotent: true,
        async run(running) {
          const image = await ports.loadImage(absolute, running);
          if (!('code' in image)) return { output: imageOutputParts(image), item };
          const { message, next } = image;
          return { output: notRunText(message, next), item: { ...item, problem: message } };
        },
      };
    },
  };
}
