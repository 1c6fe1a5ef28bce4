import { parseJsonObject } from '../../protocol/json.ts';

/** What is wrong with a text as a summary, for the model that wrote it: cheap measures that hold in any language. */
export function summaryFaults(summary: string): readonly string[] {
  if (isRepetitive(summary)) return ['The summary repeats itself over and over.'];
  if (isMarkup(summary)) return ['The summary is a page of markup instead of text.'];
  return isCallText(summary) ? ['The summary is a call of a tool. Call no tool: write text.'] : [];
}

/** Longer texts are judged by their beginning. */
const mostLooked = 40_000;
const pieceLength = 12;
const leastText = 600;
/** Ordinary prose has nearly as many different pieces as places; logs and tables still have a third. */
const leastDistinct = 0.15;

function isRepetitive(summary: string): boolean {
  const text = summary.slice(0, mostLooked).replaceAll(/\s+/g, ' ');
  if (text.length < leastText) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + pieceLength <= text.length; at++) pieces.add(text.slice(at, at + pieceLength));
  return pieces.size / (text.length - pieceLength + 1) < leastDistinct;
}

const mostMarkup = 0.35;
const leastTags = 8;

function isMarkup(summary: string): boolean {
  const text = summary.slice(0, mostLooked);
  if (/^\s*<(?:!doctype|html|\?xml)\b/i.test(text)) return true;
  const tags = text.match(/<\/?[a-z][^<>\n]{0,200}>/gi) ?? [];
  return tags.length >= leastTags && tags.reduce((sum, tag) => sum + tag.length, 0) / text.length > mostMarkup;
}

function isCallText(summary: string): boolean {
  const text = summary.trim();
  if (/^<\/?(?:tool_call|function_calls?|invoke|tool_use)\b/i.test(text)) return true;
  if (text.startsWith('*** Begin Patch') && text.endsWith('*** End Patch')) return true;
  const value = text.startsWith('{') ? parseJsonObject(text) : undefined;
  const names = value === undefined ? [] : Object.keys(value);
  const isNamed = ['name', 'tool', 'function', 'recipient_name'].some((key) => names.includes(key));
  return isNamed && ['arguments', 'parameters', 'input', 'args'].some((key) => names.includes(key));
}
