import { textHash } from '../../../base/digest.ts';
import { defined, notPlain, plainCopy, ifAllDefined } from '../../../base/objects.ts';
import type { CallItem } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, stringAt, trueAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ExtraPermissions } from '../../../protocol/permissions.ts';
import { authorizationLevels, questionKinds, riskLevels } from '../../../protocol/question.ts';
import type { Answer, AnswerScope, Question } from '../../../protocol/question.ts';
import { suggestOption } from '../../envelope/read-options.ts';
import type { CallQuestion } from '../recorded/conversation-items.ts';
import { callInput, type HookResults, truncateWord, type TruncatedWord, truncatedWords } from './call-arguments.ts';

/** A question of the open turn whose call has not begun: it waits for its answer, or the answer waits to be used. */
export interface RecordedQuestion extends Question {
  /** The exact question; an answer is valid only for it. Absent in older lines. */
  readonly about?: string;
  /** Proves that this home wrote the line: its answer lets a command run. */
  readonly seal?: string;
  readonly answer?: RecordedAnswer;
  readonly inCall?: readonly TruncatedWord[];
  readonly hook?: HookResults;
}

export interface RecordedAnswer extends Answer {
  readonly about: string;
  readonly keys?: readonly string[];
  readonly under?: string;
  readonly seal?: string;
}

type CallOfTurn = Pick<Question, 'callId' | 'turnId'>;

/** Exact identity of a question: the question of its line, and the arguments as they would run. */
export function questionKey(call: CallItem, asked: Omit<Question, 'id'> & Partial<Pick<Question, 'id'>>): string {
  const { id: _made, commands: _read, seen: _seen, ...question } = asked;
  return textHash(JSON.stringify([call.name, callInput(call), question]));
}

/** Must be durable before the user is asked. `supersedes`: `about` of the call's previous question. */
export function questionAskedLine(
  question: Question,
  { call, about, hook, ...more }: AskedAs & { readonly supersedes?: string; readonly to?: 'review' },
): LineDraft {
  const fields = questionFields(question, truncatedWords(question, call));
  return { type: lineType.question, payload: { ...fields, about, ...more, hook: hook && { ...hook } } };
}

interface AskedAs {
  /** As it would run. */
  readonly call: CallItem;
  readonly about: string;
  readonly hook?: HookResults;
}

/** Must be durable before the call begins, or its refusal reaches the model. */
export function questionAnsweredLine({ callId, turnId }: CallOfTurn, answered: RecordedAnswer): LineDraft {
  const { about, keys, under, seal: _seal, ...answer } = answered;
  const payload = { turn_id: turnId, call_id: callId, about, answer, keys, under };
  return { type: lineType.question, payload: payload as unknown as JsonObject };
}

export const questionSealContent = (asked: Pick<RecordedQuestion, 'callId' | 'turnId' | 'about'>): Json => [
  lineType.question,
  asked.turnId,
  asked.callId,
  asked.about ?? '',
];

/** Content that the seal of an answer's line covers. A message from the user to the model grants nothing. */
export function answerSealContent({ callId, turnId }: CallOfTurn, answer: Omit<RecordedAnswer, 'note' | 'seal'>): Json {
  const { about, kind, scope, keys, under, prefix } = answer;
  const claim = [lineType.question, turnId, callId, about, kind, scope ?? null, keys ?? null];
  if (prefix !== undefined) return [...claim, under ?? null, prefix];
  return under === undefined ? claim : [...claim, under];
}

export function answerIn(payload: JsonObject): RecordedAnswer | undefined {
  const [answer, about] = [readAnswer(objectAt(payload, 'answer')), stringAt(payload, 'about')];
  const keys = stringListAt(payload, 'keys');
  if (answer === undefined || about === undefined) return undefined;
  if (keys === undefined && payload['keys'] !== undefined) return undefined;
  return { ...answer, about, keys, under: stringAt(payload, 'under'), seal: stringAt(payload, 'seal') || undefined };
}

/** Ends a question that no seal proves: it is never asked. */
export function questionDroppedLine({ callId, turnId }: CallOfTurn): LineDraft {
  return { type: lineType.question, payload: { turn_id: turnId, call_id: callId, dropped: 'unproven' } };
}

const scopes: readonly AnswerScope[] = ['call', 'session', 'rule'];
const answerKinds: readonly Answer['kind'][] = ['allowed', 'declined', 'stopped', 'lapsed'];
const protocols = ['http', 'https', 'socks5_tcp', 'socks5_udp'] as const;

/** The line has only the beginning of words in `inCall` (I9); the rest is read from the call. */
export function questionFields(question: Question, inCall: readonly TruncatedWord[]): JsonObject {
  const { id: _derived, callId, turnId, commands: _read, seen: _seen, input: _inCall, ...about } = question;
  const inLine = (list: 'argv' | 'prefix'): readonly string[] | undefined =>
    about[list]?.map((word, at) =>
      inCall.some(([name, index]) => name === list && index === at) ? truncateWord(word) : word,
    );
  const short = defined({ argv: inLine('argv'), prefix: inLine('prefix') });
  const in_call = inCall.length === 0 ? undefined : (inCall as unknown as readonly Json[]);
  return { turn_id: turnId, call_id: callId, ...(about as unknown as JsonObject), ...short, in_call };
}

export function readQuestion(named: CallOfTurn & Pick<Question, 'id'>, payload: JsonObject): Question | undefined {
  const { id, callId, turnId } = named;
  const [tool, item] = [stringAt(payload, 'tool'), objectAt(payload, 'item')];
  if (tool === undefined || item === undefined) return undefined;
  return {
    id,
    callId,
    turnId,
    tool,
    item,
    kind: readKind(payload),
    ...defined({
      reason: stringAt(payload, 'reason'),
      justification: stringAt(payload, 'justification'),
      argv: stringListAt(payload, 'argv'),
      cwd: stringAt(payload, 'cwd'),
      prefix: stringListAt(payload, 'prefix'),
      paths: arrayAt(payload, 'paths')?.flatMap(readPath),
      host: readHost(objectAt(payload, 'host')),
      mcp: readMcpTool(objectAt(payload, 'mcp')),
      elicitation: readElicitation(objectAt(payload, 'elicitation')),
      client: readClient(objectAt(payload, 'client')),
      permissions: readExtra(objectAt(payload, 'permissions')),
      confined: trueAt(payload, 'confined'),
      typed: trueAt(payload, 'typed'),
    }),
    scopes: scopes.filter((scope) => scope === 'call' || arrayAt(payload, 'scopes')?.includes(scope)),
  };
}

export function readCallQuestion(payload: JsonObject): CallQuestion {
  return { kind: readKind(payload), ...defined({ host: readHost(objectAt(payload, 'host')) }) };
}

const readKind = (payload: JsonObject): Question['kind'] =>
  questionKinds.find((kind) => kind === payload['kind']) ?? 'unknown';

export function readAnswer(value: unknown): Answer | undefined {
  if (!isJsonObject(value)) return undefined;
  const kind = answerKinds.find((known) => known === value['kind']);
  const scope = scopes.find((known) => known === value['scope']);
  // An unknown scope may be narrower than all known ones.
  if (kind === undefined || (scope === undefined && value['scope'] !== undefined)) return undefined;
  const note = stringAt(value, 'note');
  const unasked = (['default', 'client'] as const).find((by) => by === value['by']);
  if (unasked !== undefined) return { kind: kind === 'allowed' ? 'declined' : kind, ...defined({ note }), by: unasked };
  if (value['by'] === 'hook') return { kind, ...defined({ note }), by: 'hook' };
  const content = objectAt(value, 'content');
  const prefix = stringListAt(value, 'prefix');
  // Half a rule is a wider one.
  if (prefix === undefined && value['prefix'] !== undefined) return undefined;
  if (value['by'] !== 'review') return { kind, ...defined({ scope, note, prefix, content }) };
  return { kind, ...defined({ note }), by: 'review', ...defined({ verdict: readSaid(objectAt(value, 'verdict')) }) };
}

/** From a program that was asked. Extra content may be a restriction, so everything must be understood. */
export function readGivenAnswer(given: unknown): Answer | undefined {
  const value = plainCopy(given);
  if (value === notPlain || !isJsonObject(value) || Object.keys(value).some((key) => !answerKeys.includes(key)))
    return undefined;
  const isText = value['note'] === undefined || typeof value['note'] === 'string';
  const isFilled = value['content'] === undefined || isJsonObject(value['content']);
  return isText && isFilled ? readAnswer(value) : undefined;
}

const answerKeys: readonly string[] = Object.keys({
  kind: true,
  scope: true,
  note: true,
  prefix: true,
  content: true,
  by: true,
  verdict: true,
} as const satisfies Record<keyof Answer, true>);

export function answerProblem(given: unknown): Outcome<'odd-input'> {
  const answer = plainCopy(given);
  const key = isJsonObject(answer) ? Object.keys(answer).find((each) => !answerKeys.includes(each)) : undefined;
  const form = 'Use an object with the kind "allowed", "declined" or "stopped".';
  return {
    code: 'odd-input',
    message:
      key === undefined ? 'The answer cannot be read.' : `The answer has the unknown key ${JSON.stringify(key)}.`,
    next: `${key === undefined ? form : suggestOption(key, answerKeys)} Nothing was changed or sent.`,
  };
}

function readSaid(value: JsonObject | undefined): Answer['verdict'] {
  const risk = riskLevels.find((level) => level === value?.['risk']);
  const authorization = authorizationLevels.find((level) => level === value?.['authorization']);
  if (risk === undefined || authorization === undefined) return undefined;
  const overruled = trueAt(value, 'overruled');
  return { risk, authorization, ...defined({ rationale: stringAt(value, 'rationale'), overruled }) };
}

/** Undefined also if any element is no string: half a command is another command. */
export function stringListAt(value: JsonObject | undefined, key: string): readonly string[] | undefined {
  const all = arrayAt(value, key);
  return all?.every((each) => typeof each === 'string') === true ? all : undefined;
}

function readPath(value: Json): NonNullable<Question['paths']> {
  const [path, access] = isJsonObject(value) ? [stringAt(value, 'path'), stringAt(value, 'access')] : [];
  return path === undefined || (access !== 'read' && access !== 'write') ? [] : [{ path, access }];
}

function readHost(value: JsonObject | undefined): Question['host'] {
  const protocol = protocols.find((known) => known === value?.['protocol']);
  return ifAllDefined({ name: stringAt(value, 'name'), port: numberAt(value, 'port'), protocol });
}

function readMcpTool(value: JsonObject | undefined): Question['mcp'] {
  const [server, tool, digest] = ['server', 'tool', 'digest'].map((key) => stringAt(value, key));
  return ifAllDefined({ server, tool, digest });
}

function readClient(value: JsonObject | undefined): Question['client'] {
  const tool = stringAt(value, 'tool');
  return tool === undefined ? undefined : { tool, ...defined({ namespace: stringAt(value, 'namespace') }) };
}

function readElicitation(value: JsonObject | undefined): Question['elicitation'] {
  const asked = ifAllDefined({ server: stringAt(value, 'server'), message: stringAt(value, 'message') });
  return asked && { ...asked, ...defined({ url: stringAt(value, 'url'), schema: objectAt(value, 'schema') }) };
}

function readExtra(value: JsonObject | undefined): ExtraPermissions | undefined {
  if (value === undefined) return undefined;
  const network = trueAt(value, 'network');
  return defined({ network, read: stringListAt(value, 'read'), write: stringListAt(value, 'write') });
}
