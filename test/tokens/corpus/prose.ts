import type { Dice } from './dice.ts';

/** Every bracket holds words of which one is taken. */
function filled(dice: Dice, sentence: string): string {
  return sentence.replace(/\[([^\]]+)\]/g, (_, words: string) => dice.pick(words.split('|')));
}

function paragraphs(dice: Dice, length: number, sentences: readonly string[], between: string): string {
  const paragraph = () => Array.from({ length: 3 + dice.below(4) }, () => filled(dice, dice.pick(sentences)));
  return dice.text(length, () => paragraph().join(between), '\n\n');
}

export const english = (dice: Dice, length: number): string =>
  paragraphs(
    dice,
    length,
    [
      'The [harbour|village|old market] was quiet when the [first boat|night train|last visitors] came in, and nobody had yet [lit the lamps|opened the shutters|swept the steps].',
      'If you want to understand why the [build|release|nightly job] fails, look at the [logs of the second step|order in which files are written|cache that nobody clears] before you change anything.',
      'We agreed that the [meeting|review|experiment] should be [shorter|earlier|repeated next month], because most of what was said could have been written down in [a page|three sentences|an email].',
      'She kept a [notebook|drawer|shelf] full of [unfinished letters|maps of places she had never seen|recipes copied from neighbours], and she rarely showed it to anyone.',
      'A good [interface|argument|teacher] does not hide what is difficult; it lets you meet the [difficulty|exceptions|hard cases] one at a time, when you are ready for them.',
      "It's easy to forget that the [river|company|language] wasn't always this [wide|large|formal], and that people lived here who'd have laughed at [the idea|our plans|such rules].",
      'In practice, roughly [forty|sixty|ninety] percent of the requests need no [authentication|translation|further processing] at all, which makes the remaining ones surprisingly expensive.',
      'Please rewrite the [introduction|second chapter|installation guide] so that a newcomer can follow it without [asking for help|knowing the history|reading the appendix] first.',
      'The committee recommended [additional funding|a different schedule|independent measurements], although several members considered the [evidence|comparison|underlying assumption] insufficient.',
    ],
    ' ',
  );

export const chinese = (dice: Dice, length: number): string =>
  paragraphs(
    dice,
    length,
    [
      '如果你想知道[构建|测试|部署]为什么失败,请先查看[日志文件|配置文件|最近的修改],不要急着改代码。',
      '我们决定把[会议|评审|实验]推迟到[下周三|月底|明年春天],因为还有很多问题没有得到解决。',
      '这个函数接收一个[字符串|对象|列表]作为参数,返回处理之后的结果,出错时会抛出异常。',
      '老人每天早上都会去[河边|公园|市场]散步,回来的路上顺便买一些[新鲜的蔬菜|面包|报纸]。',
      '为了提高系统的[性能|稳定性|安全性],团队重新设计了缓存的结构,并且增加了自动化的测试。',
      '请把[第二章|安装说明|使用手册]改写得更简单一些,让没有经验的人也能看懂。',
      '他说这件事情并不复杂,只要[大家一起努力|按照计划进行|多花一点时间],就一定能够完成。',
    ],
    '',
  );

export const japanese = (dice: Dice, length: number): string =>
  paragraphs(
    dice,
    length,
    [
      '[ビルド|テスト|デプロイ]が失敗する理由を知りたい場合は、まず[ログ|設定ファイル|最近の変更]を確認してください。',
      '会議は[来週の水曜日|月末|来年の春]に延期することにしました。まだ解決していない問題がたくさんあるからです。',
      'この関数は[文字列|オブジェクト|配列]を引数として受け取り、処理した結果を返します。',
      '毎朝、祖父は[川沿い|公園|市場]を散歩して、帰りに[新鮮な野菜|パン|新聞]を買ってきます。',
      'システムの[性能|安定性|安全性]を高めるために、キャッシュの構造を設計し直しました。',
      '初めて使う人にも分かるように、[第二章|インストール手順|説明書]をもっと簡単に書き直してください。',
    ],
    '',
  );

export const korean = (dice: Dice, length: number): string =>
  paragraphs(
    dice,
    length,
    [
      '[빌드|테스트|배포]가 실패하는 이유를 알고 싶다면 먼저 [로그|설정 파일|최근 변경 사항]을 확인하세요.',
      '아직 해결되지 않은 문제가 많기 때문에 회의를 [다음 주 수요일|월말|내년 봄]로 미루기로 했습니다.',
      '이 함수는 [문자열|객체|배열]을 인수로 받아서 처리한 결과를 돌려줍니다.',
      '할아버지는 매일 아침 [강가|공원|시장]를 산책하고 돌아오는 길에 [신선한 채소|빵|신문]를 삽니다.',
      '시스템의 [성능|안정성|보안]을 높이기 위해 팀은 캐시 구조를 다시 설계하고 자동 테스트를 추가했습니다.',
      '처음 쓰는 사람도 이해할 수 있도록 [두 번째 장|설치 방법|설명서]을 더 쉽게 고쳐 주세요.',
    ],
    ' ',
  );
