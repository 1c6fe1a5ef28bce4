import type { CodeReview, ReviewFinding } from '../../protocol/code-review.ts';
import { defined } from '../../protocol/defined.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  stringAt,
} from '../../protocol/json.ts';

/** What a reviewer answered: its JSON, JSON with words around it, or words that are then the explanation. */
export function readFindings(answer: string): CodeReview {
  const text = answer.trim();
  const given = parseJsonObject(text) ?? parseJsonObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (given === undefined || !isReview(given)) return { findings: [], correctness: '', explanation: text };
  return {
    findings: (arrayAt(given, 'findings') ?? []).flatMap(readFinding),
    correctness: stringAt(given, 'overall_correctness') ?? '',
    explanation: stringAt(given, 'overall_explanation') ?? '',
    ...defined({ confidence: numberAt(given, 'overall_confidence_score') }),
  };
}

/** Any other object may be something that the reviewer quotes. */
function isReview(given: JsonObject): boolean {
  return ['findings', 'overall_correctness', 'overall_explanation'].some((key) => given[key] !== undefined);
}

function readFinding(value: Json): readonly ReviewFinding[] {
  if (!isJsonObject(value)) return [];
  const [title, body] = [stringAt(value, 'title') ?? '', stringAt(value, 'body') ?? ''];
  if (title === '' && body === '') return [];
  const location = objectAt(value, 'code_location');
  const path = stringAt(location, 'absolute_file_path');
  const range = objectAt(location, 'line_range');
  const [from, to] = [numberAt(range, 'start'), numberAt(range, 'end')];
  const place = path === undefined || from === undefined ? undefined : { path, from, to: to ?? from };
  const scores = { priority: numberAt(value, 'priority'), confidence: numberAt(value, 'confidence_score') };
  return [{ title, body, ...defined({ ...scores, place }) }];
}
