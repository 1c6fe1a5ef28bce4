/**
 * Estimated tokens of a text inside JSON: means over prose, code, logs, data and encoded bytes, rather too high,
 * because underestimating is worse.
 */
export function textTokens(text: string): number {
  const { length } = text;
  if (length <= wholeLength) return partsBetween(text, 0, length) / perToken;
  // Evenly spread samples of a long text. Words cut at their borders make them weigh slightly more.
  const windows = Math.ceil((wholeLength + (length - wholeLength) / oneIn) / windowLength);
  const stride = (length - windowLength) / (windows - 1);
  let parts = 0;
  for (let index = 0; index < windows; index++) {
    const start = Math.floor(index * stride);
    parts += partsBetween(text, start, start + windowLength);
  }
  return (parts / perToken) * (length / (windows * windowLength));
}

/** Texts up to this length are read in full; of longer ones, one part in `oneIn`. */
const wholeLength = 4096;
const oneIn = 8;
const windowLength = 64;
/** From this length on, unbroken letters and digits may be encoded bytes, if their pieces are short. */
const shortestEncoded = 16;
const longestPiece = 4;
/** Extra weight that a mark inside encoded bytes gives the letters after it. */
const markInEncoded = 60;
const quote = 0x22;
const backslash = 0x5c;
const tab = 0x09;
const space = 0x20;

/** Reads each character once, because everything that enters a history passes through here. */
function partsBetween(text: string, start: number, end: number): number {
  let parts = 0;
  let before: number = pieceBefore.other;
  /** Letters and digits with single marks between them: words, unless all of it turns out to be encoded bytes. */
  let chunkStart = start;
  let pieces = 0;
  let asWords = 0;
  let asEncoded = 0;
  let at = start;
  let code = start < end ? text.charCodeAt(start) : 0;
  let found = characterKinds[code]!;
  while (at < end) {
    const from = at;
    if (found <= characterKind.digit) {
      if (pieces === 0) chunkStart = from;
      pieces++;
      if (found === characterKind.digit) {
        while (++at < end && (found = characterKinds[(code = text.charCodeAt(at))]!) === characterKind.digit);
        // The space before a number is a token, unlike the space before a word.
        const ofDigits = (Math.ceil((at - from) / 3) + (before === pieceBefore.space ? 1 : 0)) * perToken;
        asWords += ofDigits;
        asEncoded += ofDigits;
        before = pieceBefore.digit;
      } else {
        while (found === characterKind.upper && ++at < end) found = characterKinds[(code = text.charCodeAt(at))]!;
        const upper = at - from;
        let odd = 0;
        for (
          let last = 0;
          found === characterKind.lower && at < end;
          found = ++at < end ? characterKinds[(code = text.charCodeAt(at))]! : found
        ) {
          odd += rareLetterPairs[last * 32 + code]!;
          last = code;
        }
        const length = at - from;
        const ofEncoded = encodedWeight(length);
        asEncoded += ofEncoded + (before === pieceBefore.mark ? markInEncoded : 0);
        if (before === pieceBefore.digit || (upper > 1 && upper < length)) asWords += ofEncoded;
        else asWords += upper > 1 ? capitalWeight(before, length) : wordWeight(before, length, odd);
        before = pieceBefore.letter;
      }
      if (at < end && found <= characterKind.digit) continue;
      if (
        at + 1 < end &&
        found === characterKind.joint &&
        characterKinds[text.charCodeAt(at + 1)]! <= characterKind.digit
      ) {
        found = characterKinds[(code = text.charCodeAt(++at))]!;
        before = found === characterKind.digit ? pieceBefore.marks : pieceBefore.mark;
        asWords += found === characterKind.digit ? perToken : 0;
        asEncoded += found === characterKind.digit ? perToken : 0;
        continue;
      }
      const length = at - chunkStart;
      parts += length >= shortestEncoded && pieces * longestPiece >= length ? asEncoded : asWords;
      pieces = 0;
      asWords = 0;
      asEncoded = 0;
    } else if (found === characterKind.blank) {
      let breaks = 0;
      let tabs = 0;
      let spaces = 0;
      let last = 0;
      do {
        if (code === space) spaces++;
        else if (code === tab) tabs++;
        else {
          breaks++;
          spaces = 0;
        }
        last = code;
      } while (++at < end && (found = characterKinds[(code = text.charCodeAt(at))]!) === characterKind.blank);
      if (breaks + tabs > 0 || spaces > 1) parts += blankWeight(before, breaks, tabs, spaces);
      before = last === space ? pieceBefore.space : last === tab ? pieceBefore.mark : pieceBefore.other;
    } else if (found === characterKind.foreign) {
      parts += nonAsciiWeight(code);
      before = pieceBefore.foreign;
      if (++at < end) found = characterKinds[(code = text.charCodeAt(at))]!;
    } else {
      let changes = -1;
      let last = -1;
      do {
        if (code === quote) parts += quoteWeight;
        else if (code === backslash) parts += backslashWeight;
        if (code !== last) changes++;
        last = code;
        found = ++at < end ? characterKinds[(code = text.charCodeAt(at))]! : characterKind.foreign;
      } while (found === characterKind.mark || found === characterKind.joint);
      const joins = at - from === 1 && before !== pieceBefore.space && found <= characterKind.upper;
      if (!joins) parts += markWeight(at - from, changes);
      before = joins ? pieceBefore.mark : pieceBefore.marks;
    }
  }
  return parts;
}

/** Kinds of ASCII characters that tokenisers distinguish. Kinds that form words and numbers come first. */
const characterKind = { lower: 0, upper: 1, digit: 2, joint: 3, mark: 4, blank: 5, foreign: 6 } as const;
const joints = '+/-_=';
const blanks = ' \t\n\r';
/** By character code: a table without bounds checks is fastest, even before compilation. */
const characterKinds = new Uint8Array(0x10000).fill(characterKind.foreign).fill(characterKind.mark, 0, 128);
// Filled instead of computed, because this runs at every start.
characterKinds.fill(characterKind.lower, 97, 123).fill(characterKind.upper, 65, 91).fill(characterKind.digit, 48, 58);
for (let i = 0; i < joints.length; i++) characterKinds[joints.charCodeAt(i)] = characterKind.joint;
for (let i = 0; i < blanks.length; i++) characterKinds[blanks.charCodeAt(i)] = characterKind.blank;

/** Each letter with those that usually follow it in English words and names. */
const usualPairs =
  'abcdgiklmnprstuvwxy baeijloruy caehiklortu dadeiosu eabcdefgilmnpqrstvwxy faefiortu gehinrsu haeiort ' +
  'iabcdefglmnoprstvz jes keis ladefilostuy mabeimopsu nacdefgiklnopstuvy obcdfgiklmnoprstuvw paeiloprstu qu ' +
  'racdegiklmnorstuy sacehikoprstuy tacehioprstuy uabcegilmnprst vaei waehinor xcpt ynopst zei';

/** 1 for a rare pair of lower-case letters. Index: the code of the first letter times 32, plus that of the second. */
const rareLetterPairs = new Uint8Array(128 * 32);
rareLetterPairs.fill(1, 97 * 32);
for (const letters of usualPairs.split(' ')) {
  const first = letters.charCodeAt(0) * 32;
  for (let i = 1; i < letters.length; i++) rareLetterPairs[first + letters.charCodeAt(i)] = 0;
}

/** Weight of a character outside ASCII, by script. Rare characters of large scripts take several tokens. */
const nonAsciiWeight = (code: number): number => (parts ??= weighAll())[code]!;

/** Pairs of a script's first code and its tokens per character. */
const scripts = [
  // Latin-1 symbols, then accented letters.
  0x80, 1.1, 0xc0, 0.5,
  // Greek, Cyrillic; Hebrew, Arabic, Indian scripts, Thai; scripts that models know less well.
  0x250, 0.5, 0x400, 0.34, 0x530, 0.45, 0xe80, 0.9,
  // Letters with two accents, as in Vietnamese.
  0x1e00, 0.3, 0x1f00, 0.5,
  // Dashes, quotes, arrows, box-drawing lines, symbols.
  0x2000, 1.1, 0x2070, 1.5, 0x2500, 0.55, 0x2580, 1.6,
  // East Asian punctuation, Japanese syllables.
  0x3000, 1.3, 0x3040, 0.67, 0x3100, 2,
  // Chinese characters except the common ones.
  0x4e00, 1.45, 0xa000, 2,
  // Korean syllables.
  0xac00, 0.76,
  // Surrogates; wide forms.
  0xd7b0, 1.6, 0xe000, 2, 0xff00, 1.3,
];
const commonHan = 0.64;

/** Chinese characters that usually share a token with others. */
const common =
  '彩票天中大人网的发一乐在线开不三国快奖神码是时视平么看官下日合娱机新争免费分霸频京台品吗有上公北高色' +
  '车亚久理年注片成产手文期赛精无方法全号信主博金怎现电利观了游多能来生洲代地最影体家行站自钱特出载本提' +
  '香版会实到区道真动计件爱户用情址美微个前好性什清果可以数安里事点播字福经作小球业女万加定重册划综投资' +
  '联系买心总同送老五二工规关解级玩民马市和这名报子度县东戏司结商月图少六直客哪如百热软录料正所入为学黄' +
  '后登牌讯服源我交城意水明韩论管推务请江拍布页第回限运要赢速众面购部程比星保广十南宝共间欧放棋招港卡堂' +
  '内记米元式四场午单社集位通过选于员去都制空物幕接蕉育据律男相更表青骗返类进只格建此科输外认海组证对你' +
  '些至路传黑庆际院毛话属先者何评展双足查责样专肖今目假银领等长取化整易与量群近尼环力得口山丰河西偷容门' +
  '音靠世夜题装奇值任改说教当啪极算竞办权友标做龙优准创华次备营然复委例打党器像财技荐腾破示活编除设置型' +
  '另赌流导参其阳丁政消知姐态存州草模菲验包斯治应指之收排必命试战皇确克士七胆旗秘链势息邀锋预测超碰首申' +
  '局亿時間妻统苹读历央称幸太始处求价虎卓持周案思妇助账完基俺透款红告早份欢医那常冠留义施也师续调原强别' +
  '想给白菜深满停爽监画云种盈变住富刷林感益坛苏闻没们澳章谱企询婷充阅狠赚修盟介航考享就否飞追付增因凤凰' +
  '宾他永熟稿朋销售鱼简书股违伦婆还未餐率身具举几漫藏护體步起维立夫演王纪尊造听九职野英宁盛节犯動扫采铁' +
  '协川爵吉初鼎反邦走使伊界钟问脑陆電辑络端显库团研激则載無需项艇候支获兑列右击搜索序派猜線吧杀质略止转' +
  '狗声议符挂词稳喜额签效截跑融場连典校军斗言倫拿险乱沙及材普识域務升扑即绑按达晚换诀植积退随断盘業语受';

let parts: Uint8Array | undefined;

function weighAll(): Uint8Array {
  const made = new Uint8Array(0x10000);
  for (let at = 0; at < scripts.length; at += 2) made.fill(Math.round(scripts[at + 1]! * perToken), scripts[at]);
  for (let index = 0; index < common.length; index++) made[common.charCodeAt(index)] = commonHan * perToken;
  return made;
}

/** Weights in hundredths of a token; `textTokens` documents their source. */
const perToken = 100;
const pieceBefore = { other: 0, space: 1, mark: 2, letter: 3, digit: 4, foreign: 5, marks: 6 } as const;
const longest = 12;

/** Word weights by length. Rows: after anything, a space, one mark (counted too), lower-case letters of its name. */
const words = Uint16Array.from(
  [
    [0, 100, 100, 108, 107, 110, 120, 125, 135, 150, 175, 190, 210],
    [0, 100, 100, 102, 102, 102, 103, 105, 110, 115, 125, 140, 150],
    [0, 102, 115, 125, 125, 140, 150, 170, 200, 200, 210, 230, 250],
    [0, 100, 100, 102, 100, 100, 102, 108, 108, 110, 110, 115, 130],
  ].flat(),
);
const furtherLetter = 35;
/** Weight of the first rare pair of letters, after a space or after anything else, and of each further pair. */
const oddAfterSpace = 40;
const oddElsewhere = 55;
const furtherOdd = 65;
/** No word has that many rare pairs in so few letters. */
const mostOfOdd = 60;

function wordWeight(before: number, length: number, odd: number): number {
  const row = before <= pieceBefore.letter ? before * (longest + 1) : 0;
  const parts = length <= longest ? words[row + length]! : words[row + longest]! + (length - longest) * furtherLetter;
  if (odd === 0) return parts;
  const ofOdd = (before === pieceBefore.space ? oddAfterSpace : oddElsewhere) + (odd - 1) * furtherOdd;
  return Math.min(parts + ofOdd, Math.max(parts, length * mostOfOdd));
}

const capitals = Uint16Array.from([0, 100, 102, 120, 140, 180, 190, 205, 240, 275, 310, 345, 380]);
const capitalsAfterMark = Uint16Array.from([0, 105, 140, 150, 145, 185, 190, 210, 240, 275, 310, 345, 380]);

function capitalWeight(before: number, length: number): number {
  const figures = before === pieceBefore.mark ? capitalsAfterMark : capitals;
  return length <= longest ? figures[length]! : figures[longest]! + (length - longest) * furtherLetter;
}

const encoded = Uint16Array.from([0, 100, 120, 195, 245, 300, 350, 410, 470, 520, 570, 630, 690]);
const furtherEncoded = 56;

/** Letters that form no word, as in base64 and between digits. */
const encodedWeight = (length: number): number =>
  length <= longest ? encoded[length]! : encoded[longest]! + (length - longest) * furtherEncoded;

/** Runs of marks, by how often the mark changes. */
const marks = Uint16Array.from([100, 106, 140, 180, 240, 340]);
const furtherChange = 100;
/** Longer runs of marks are a ruling line or a picture. */
const shortestRule = 5;
const markOfRule = 5;

function markWeight(length: number, changes: number): number {
  const last = marks.length - 1;
  const ofRule = length < shortestRule ? 0 : length * markOfRule;
  return ofRule + (changes <= last ? marks[changes]! : marks[last]! + (changes - last) * furtherChange);
}

/** Cost of JSON escapes. Line breaks and tabs are included in the figures for blanks. */
const quoteWeight = 10;
const backslashWeight = 85;
const breakAfterMarks = 120;
const breakElsewhere = 140;
const furtherBreak = 95;
const tabWeight = 95;
const indentation = 100;
const widestIndentation = 40;

/** `spaces`: the spaces after the last break. The last of them counts with the following word. */
function blankWeight(before: number, breaks: number, tabs: number, spaces: number): number {
  const first = before >= pieceBefore.foreign ? breakAfterMarks : breakElsewhere;
  const ofBreaks = breaks === 0 ? 0 : first + (breaks - 1) * furtherBreak;
  const ofSpaces = spaces > 1 ? indentation * Math.ceil(spaces / widestIndentation) : 0;
  return ofBreaks + ofSpaces + tabs * tabWeight;
}
