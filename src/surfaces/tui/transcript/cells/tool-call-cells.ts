import { replaceInvisible } from '../../../../base/invisible-characters.ts';
import { plural } from '../../../../engine/wording.ts';
import { arrayAt, numberAt, objectAt, parseJsonObject, stringAt } from '../../../../protocol/json.ts';
import { readUserQuestions, type UserQuestion } from '../../../../protocol/question.ts';
import type { PlanItem, PlanStep, ToolCallItem, TurnItem } from '../../../../protocol/turn-item.ts';
import { agentAnswer, goalAnswerText } from '../../../views/wording/turn-lines.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { cutRow } from '../../screen/text/draw-row.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, badStyle, boldStyle, dimStyle, plain, styled } from '../../screen/text/style.ts';
import type { Row, Style } from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';
import { callCellState, type Cell, cellWithHead } from './cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';

/** A tool call without a cell of its own: of an MCP server, of the client, or of Capstan. */
export function callCell(item: ToolCallItem): Cell {
  return titledCallCell(item, (look) => {
    const { server, tool, status } = item;
    const name = cleanLine(server === undefined ? tool : `${server}.${tool}`);
    const verb = { 'in-progress': 'Calling', completed: 'Called', failed: 'Failed:' }[status];
    return [styled(`${verb} `, boldStyle), plain(name), ...argumentPieces(item, look)];
  });
}

function titledCallCell(item: ToolCallItem, title: (look: Look) => Row): Cell {
  return cellWithHead((look) => {
    const isBad = item.status === 'failed';
    const words = agentAnswer(item) ?? goalAnswerText(item) ?? item.output ?? '';
    const rows = outputRows(words, isBad ? foldLimits.failed : foldLimits.quiet, look);
    const output = isBad ? rows.map((row) => row.map(({ text }) => styled(text, badStyle))) : rows;
    return { mark: callCellState(item.status), head: title(look), output };
  });
}

const mostArgumentCharacters = 300;

function argumentPieces({ arguments: given }: ToolCallItem, look: Look): Row {
  const json = JSON.stringify(given);
  if (json === '{}') return [styled('()', dimStyle)];
  const isWhole = look.details === 'whole';
  const text = styled(`(${cleanLine(isWhole ? json : json.slice(0, 4 * mostArgumentCharacters))})`, dimStyle);
  return isWhole ? [text] : cutRow([text], mostArgumentCharacters, look);
}

/** A call of a tool for agents. Undefined for other tools. */
export function agentCell(item: ToolCallItem): Cell | undefined {
  if (item.server !== undefined || !Object.hasOwn(titles, item.tool)) return undefined;
  return titledCallCell(item, (look) => titles[item.tool]!(item, look));
}

const titles: Readonly<Record<string, (item: ToolCallItem, look: Look) => Row>> = {
  spawn_agent({ arguments: given, status }, look) {
    const [name, role] = [stringAt(given, 'name'), stringAt(given, 'agent_type') ?? 'default'];
    const model = [stringAt(given, 'model'), stringAt(given, 'reasoning_effort')].filter((each) => each !== undefined);
    return [
      ...targetPieces(verbs.spawn[status], name),
      plain(` [${cleanLine(role)}]`),
      ...(model.length === 0 ? [] : [styled(` (${cleanLine(model.join(' '))})`, dimStyle)]),
      ...messagePieces(stringAt(given, 'message'), look),
    ];
  },
  send_input: ({ arguments: given, status }, look) => [
    ...targetPieces(verbs.send[status], stringAt(given, 'target')),
    ...messagePieces(stringAt(given, 'message'), look),
  ],
  wait_agent({ arguments: given, status }) {
    const targets = arrayAt(given, 'targets')?.length ?? 0;
    const whom = targets === 0 ? 'agents' : plural(targets, 'agent');
    return [styled(status === 'in-progress' ? `Waiting for ${whom}` : 'Finished waiting', boldStyle)];
  },
  list_agents: () => [styled('Listed agents', boldStyle)],
  close_agent: ({ arguments: given, status }) => targetPieces(verbs.close[status], stringAt(given, 'target')),
};

const verbs = {
  spawn: { 'in-progress': 'Spawning', completed: 'Spawned', failed: 'Failed to spawn' },
  send: { 'in-progress': 'Sending input to', completed: 'Sent input to', failed: 'Failed to send input to' },
  close: { 'in-progress': 'Closing', completed: 'Closed', failed: 'Failed to close' },
} as const satisfies Readonly<Record<string, Readonly<Record<ToolCallItem['status'], string>>>>;

const targetPieces = (verb: string, target: string | undefined): Row => [
  styled(`${verb} `, boldStyle),
  styled(cleanLine(target ?? 'an agent'), accentStyle),
];

const mostMessageCharacters = 160;

function messagePieces(message: string | undefined, look: Look): Row {
  if (message === undefined || message.trim() === '') return [];
  const text = [styled(`: ${cleanLine(message).trim()}`, dimStyle)];
  return look.details === 'whole' ? text : cutRow(text, mostMessageCharacters, look);
}

/** Input to a background command, or waiting for it. Undefined for other tools. */
export function backgroundCell(item: ToolCallItem): Cell | undefined {
  if (item.server !== undefined || item.tool !== 'write_stdin') return undefined;
  const { arguments: given, status } = item;
  const typed = stringAt(given, 'chars') ?? '';
  const session = `background terminal ${numberAt(given, 'session_id') ?? ''}`.trim();
  const verb = typed === '' ? (status === 'in-progress' ? 'Waiting for' : 'Waited for') : 'Typed into';
  const title: Row = [styled(`${verb} ${session}`, boldStyle), plain(typed === '' ? '' : `: ${shownKeys(typed)}`)];
  return titledCallCell(item, () => title);
}

const longestKeys = 200;

function shownKeys(typed: string): string {
  const near = typed.length > longestKeys ? `${typed.slice(0, longestKeys)} and more` : typed;
  const shown = JSON.stringify(near.replaceAll('\u0003', '^C').replaceAll('\u0004', '^D'));
  return replaceInvisible(shown.slice(1, -1), () => '');
}

export function webSearchCell({ query }: Extract<TurnItem, { kind: 'web-search' }>): Cell {
  const words = cleanLine(query).trim();
  const isPage = /^https?:\/\/\S+$/.test(words);
  const rest = words === '' ? '' : isPage ? ` ${words}` : ` for ${words}`;
  const head = [styled(isPage ? 'Opened' : 'Searched the web', boldStyle), plain(rest)];
  return cellWithHead(() => ({ mark: 'plain', head }));
}

const imageTitles = {
  'image-view': ['Viewed Image', 'Image Not Shown'],
  'image-generation': ['Generated Image', 'Image Not Saved'],
} as const;

export function imageCell(item: Extract<TurnItem, { kind: 'image-view' | 'image-generation' }>): Cell {
  return cellWithHead((look) => {
    const isBad = item.problem !== undefined || (item.kind === 'image-generation' && item.status === 'failed');
    const [title, problem] = imageTitles[item.kind];
    const prompt = item.kind === 'image-generation' && look.details === 'whole' ? item.prompt : undefined;
    const lines = [
      ...(item.path === undefined ? [] : [[styled(shownPath(item.path, look), dimStyle)]]),
      ...(item.problem === undefined ? [] : [[styled(cleanLine(item.problem), badStyle)]]),
      ...(prompt === undefined ? [] : [[styled(cleanLine(prompt), dimStyle)]]),
    ];
    return { mark: isBad ? 'bad' : 'plain', head: [styled(isBad ? problem : title, boldStyle)], lines };
  });
}

/** An item of a kind unknown to this version: its name, and in the transcript view all of its contents. */
export function genericCell(item: { readonly kind: string; readonly id?: string }): Cell {
  return cellWithHead((look) => {
    const { kind, id: _, ...rest } = item;
    const name = cleanLine(String(kind)).replaceAll(/[-_]/g, ' ');
    const json = JSON.stringify(rest, undefined, 2);
    const output = outputRows(json === '{}' ? '' : json, foldLimits.quiet, look);
    return { mark: 'quiet', head: [styled(name, boldStyle), styled(' (shown as it is)', dimStyle)], output };
  });
}

/** The model's questions to the user with the answers. Undefined: another tool, or the questions cannot be read. */
export function questionsCell({ server, tool, arguments: given, output, status }: ToolCallItem): Cell | undefined {
  const questions = server === undefined && tool === 'request_user_input' ? readUserQuestions(given) : '';
  if (typeof questions === 'string' || status === 'failed') return undefined;
  const answers = objectAt(parseJsonObject(output ?? ''), 'answers');
  const answersTo = ({ id }: UserQuestion): readonly string[] =>
    (arrayAt(objectAt(answers, id), 'answers') ?? []).filter((each) => typeof each === 'string');
  return cellWithHead(() => {
    const answered = questions.filter((question) => answersTo(question).length > 0).length;
    const head = [styled('Questions', boldStyle), styled(` ${answered}/${questions.length} answered`, dimStyle)];
    const lines = questions.flatMap((question): readonly Row[] => {
      const answer = answersTo(question).map(cleanLine).join(', ');
      const said = answer === '' ? styled('  no answer', dimStyle) : styled(`  ${answer}`, accentStyle);
      return [[{ text: cleanLine(question.question) }], ...(status === 'in-progress' ? [] : [[said]])];
    });
    return { mark: callCellState(status), head, lines };
  });
}

const styles: Readonly<Record<PlanStep['status'], Style>> = {
  completed: { weight: 'dim', strike: true },
  'in-progress': { weight: 'bold', colour: 'accent' },
  pending: dimStyle,
};

export function planCell({ steps }: PlanItem): Cell {
  return cellWithHead((look) => {
    const done = steps.filter(({ status }) => status === 'completed').length;
    const count = ` ${glyphsOf(look).dot} ${done}/${steps.length} complete`;
    const head = [styled('Updated Plan', boldStyle), styled(count, dimStyle)];
    return { mark: 'plain', head, body: steps.flatMap((step) => stepRows(step, look)) };
  });
}

function stepRows({ text, status }: PlanStep, look: Look): readonly Row[] {
  const { good, pending, arrow } = glyphsOf(look);
  const now = look.glyphs === 'words' ? 'Now:' : arrow;
  const sign = status === 'completed' ? good : status === 'in-progress' ? now : pending;
  const mark: Style = status === 'completed' ? dimStyle : styles[status];
  const first = [plain('  '), styled(`${sign} `, mark)];
  return wrapIn(look, [styled(cleanLine(text), styles[status])], first, [plain(' '.repeat(3 + sign.length))]);
}
