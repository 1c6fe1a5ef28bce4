import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import { defined } from '../../../../protocol/defined.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';

/** The arguments of v1 calls as the tools of this server take them. */

/** `{type: "text", data: {text}}`, `{type: "image", data: {image_url}}`, `{type: "localImage", data: {path}}`. */
export function messageFrom(args: JsonObject): JsonObject | Outcome {
  const texts: string[] = [];
  const images: string[] = [];
  for (const [at, item] of (arrayAt(args, 'items') ?? []).entries()) {
    if (!isJsonObject(item)) return wrongItem(at, 'is not an object');
    // Some clients leave the data out and put its members into the item.
    const data = objectAt(item, 'data') ?? item;
    const [type, place] = [stringAt(item, 'type'), `data of type ${String(item['type'])}`];
    if (type === 'text') {
      const text = stringAt(data, 'text');
      if (text === undefined) return wrongItem(at, `has no text in its ${place}`);
      texts.push(text);
    } else if (type === 'image' || type === 'localImage') {
      const name = type === 'image' ? 'image_url' : 'path';
      const image = stringAt(data, name) ?? (type === 'image' ? stringAt(data, 'imageUrl') : undefined);
      if (image === undefined) return wrongItem(at, `has no ${name} in its ${place}`);
      images.push(image);
    } else return wrongItem(at, `has the type ${JSON.stringify(item['type'] ?? null)}`);
  }
  return { text: texts.join('\n'), ...(images.length > 0 && { images }) };
}

function wrongItem(at: number, what: string): Outcome {
  return {
    code: 'wrong-item',
    message: `items[${at}] ${what}.`,
    next: 'Items are {type: "text", data: {text}}, {type: "image", data: {image_url}} or {type: "localImage", data: {path}}. Nothing was sent.',
  };
}

export function contextFrom(args: JsonObject): JsonObject {
  const { cwd, approvalPolicy, sandboxPolicy, model, effort, summary } = args;
  const given = withoutNull({ cwd, approval_policy: approvalPolicy, sandbox: sandboxPolicy, model, summary });
  // For the effort, null is a value: the default of the model.
  return { ...given, ...defined({ effort }) };
}

export function startFrom(args: JsonObject): JsonObject {
  const { model, profile, cwd, approvalPolicy, sandbox, config } = args;
  return withoutNull({
    model,
    profile,
    cwd,
    approval_policy: approvalPolicy,
    sandbox,
    config,
    base_instructions: args['baseInstructions'],
    developer_instructions: args['developerInstructions'],
    compact_prompt: args['compactPrompt'],
    plan_tool: args['includePlanTool'],
    patch_tool: args['includeApplyPatchTool'],
  });
}

/** A member that is null is as absent. */
function withoutNull(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
