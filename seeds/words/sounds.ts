export const KINDS = ['N', 'P', 'A', 'V'] as const;
/** Noun, plural, adjective, verb. */
export type Kind = (typeof KINDS)[number];

/** Building blocks of the words of one language. */
export interface Sounds {
  /** A syllable has one of each. Repeated entries are drawn more often. */
  onsets: readonly string[];
  nuclei: readonly string[];
  codas: readonly string[];
  /** Possible numbers of syllables in a word. */
  syllables: readonly number[];
  /** Short words that form compounds. */
  roots: readonly string[];
  /** Joints between two syllables. */
  joints: readonly string[];
  /** Share of compounds. */
  compounds: number;
  /** Forms of a stem (~) in each kind of word. */
  forms: Readonly<Record<Kind, readonly string[]>>;
}

const list = (text: string): string[] => text.split(' ').map((item) => (item === '-' ? '' : item));

function sounds(
  [onsets, nuclei, codas]: [string, string, string],
  syllables: number[],
  forms: [n: string, p: string, a: string, v: string],
  compound: { roots: string; joints: string; share: number } = { roots: '', joints: '-', share: 0 },
): Sounds {
  const [N, P, A, V] = forms.map(list) as [string[], string[], string[], string[]];
  return {
    onsets: list(onsets),
    nuclei: list(nuclei),
    codas: list(codas),
    syllables,
    roots: list(compound.roots),
    joints: list(compound.joints),
    compounds: compound.share,
    forms: { N, P, A, V },
  };
}

const HAN =
  '山 水 火 土 木 金 石 田 风 云 雨 雪 日 月 星 天 地 人 心 手 目 口 耳 足 马 牛 羊 鸟 鱼 虫 草 花 树 林 森 河 海 湖 江 波 光 电 声 色 香 味 春 夏 秋 冬 东 西 南 北 上 中 下 前 后 大 小 长 短 高 低 新 旧 明 暗 黑 白 红 绿 蓝 黄 古 今 早 晚 快 慢 轻 重 深 浅 远 近 内 外 公 私 正 反 真 美 善 生 老 少 师 友 书 文 字 词 句 诗 歌 画 图 形 影 像 数 量 度 理 法 则 论 学 科 技 术 机 器 车 船 路 桥 门 窗 房 屋 城 市 村 国 家 民 族 社 会 经 济 政 治 历 史';
const KANJI =
  '山 水 火 土 木 金 石 田 風 雲 雨 雪 日 月 星 天 地 人 心 手 目 口 耳 足 馬 牛 羊 鳥 魚 虫 草 花 樹 林 森 河 海 湖 江 波 光 電 声 色 香 味 春 夏 秋 冬 東 西 南 北 上 中 下 前 後 大 小 長 短 高 低 新 旧 明 暗 黒 白 赤 緑 青 黄 古 今 早 晩 軽 重 深 浅 遠 近 内 外 公 私 正 反 真 美 善 生 老 少 師 友 書 文 字 詞 句 詩 歌 画 図 形 影 像 数 量 度 理 法 則 論 学 科 技 術 機 器 車 船 路 橋 門 窓 房 屋 城 市 村 国 家 民 族 社 会 経 済 政 治 歴 史';

export const SOUNDS: Readonly<Record<string, Sounds>> = {
  en: sounds(
    [
      'b c d f g h j l m n p r s t v w br cl cr dr fl gr pl pr sc sl sp st str th tr wh sh ch',
      'a e i o u a e i o u ea ee oa ou ai',
      '- - n r l s t m d ck nd st rt ll sh',
    ],
    [1, 2, 2, 2],
    [
      '~ ~er ~ing ~ment ~ness ~ism ~age ~or',
      '~s ~ers ~ings ~ments ~ists',
      '~al ~ic ~ish ~less ~ful ~ive ~like ~ous',
      '~ed ~ed ~ised ~ened',
    ],
    {
      roots:
        'river stone field note glass paper light wind salt iron moss reef tide chart lens seed root leaf bark wood ash clay sand dust rain snow ice frost mist fog cloud storm sun moon star night dawn day hour year bell book ink pen page word verse song drum string bow key lock door wall roof floor room house town road path bridge gate mill farm barn ship boat sail mast port bay isle cape hill peak vale glen lake pond well spring bird fish wolf bear deer fox bee ant moth crab hand eye ear bone heart mind blood breath voice name law trade craft tool wheel chain rope net trap bread grain wheat rye corn rice tea milk honey wine oil fire coal steam gas wire code graph sum set node edge tree map grid scale clock lamp',
      joints: '-',
      share: 0.45,
    },
  ),
  de: sounds(
    [
      'b d f g h k l m n p r s t v w z bl br dr fl fr gl gr kl kr pf pl schl schm schn schr schw sp spr st str tr',
      'a e i o u ä ö ü ei au ie eu a e i',
      '- - n r l s t m ch nd ng rt ck lt',
    ],
    [1, 2, 2],
    ['~ ~ung ~heit ~er ~nis ~schaft', '~en ~ungen ~er ~e', '~ig ~lich ~isch ~bar ~haft ~los', '~t ~iert ~en'],
    {
      roots:
        'fluss stein feld wald berg tal see moor wind regen schnee licht schatten nacht tag jahr zeit haus hof dorf stadt weg brücke tor turm glas holz eisen salz sand brot korn milch honig wein öl feuer kohle dampf draht netz baum blatt wurzel vogel fisch wolf bär biene hand auge ohr herz stimme wort buch blatt feder lied glocke schlüssel schloss wand dach boden rad kette seil karte zahl maß gewicht uhr lampe brief bild klang farbe',
      joints: '- - s en',
      share: 0.5,
    },
  ),
  es: sounds(
    ['b c d f g l m n p r s t v j ll ñ ch br cl cr dr fl gr pl pr tr', 'a e i o u a e o ie ue ia', '- - - n r s l m'],
    [1, 2, 2],
    ['~o ~a ~ción ~dad ~ero ~ismo', '~os ~as ~ciones ~eros', '~oso ~al ~ivo ~ado ~ible', '~ó ~aron ~aba ~an'],
  ),
  fr: sounds(
    [
      'b c d f g l m n p r s t v j qu ch br cl cr dr fl gr pl pr tr vr',
      'a e i o u é è ou eau oi ai',
      '- - - n r s l m',
    ],
    [1, 2, 2],
    [
      '~e ~tion ~ité ~eur ~age ~ment ~isme',
      '~es ~tions ~eurs ~ages',
      '~eux ~al ~if ~able ~ique',
      '~é ~ait ~aient ~era',
    ],
  ),
  ru: sounds(
    [
      'б в г д ж з к л м н п р с т ф х ц ч ш щ бр гр др кр пр ст тр сл вл',
      'а е и о у ы я ю а о е',
      '- - - н р л с т к м',
    ],
    [1, 2, 2],
    ['~ ~ость ~ение ~ник ~ка ~ство', '~ы ~ости ~ения ~ники ~ки', '~ный ~ский ~овый ~ивый ~ой', '~али ~ил ~ает ~ут'],
  ),
  ar: sounds(
    ['ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ع غ ف ق ك ل م ن ه و ي', '- - ا و ي', '- - - ر ن ل'],
    [2, 3, 3],
    ['ال~ ال~ة م~', 'ال~ات ال~ون ~ات', '~ ~ي ~ية', '~ ~ت ي~ ت~'],
  ),
  hi: sounds(
    ['क ख ग घ च ज ट ड त थ द ध न प ब भ म य र ल व श स ह', '- - ा ि ी ु ू े ै ो', '- - - - न र ल'],
    [2, 2, 3],
    ['~ ~ता ~पन ~कार', '~ें ~ों ~ियाँ', '~ी ~िक ~वान', '~ा ~ाया ~े'],
  ),
  zh: sounds([HAN, '-', '-'], [2, 2, 2, 3], ['~', '~', '~', '~']),
  ja: sounds([KANJI, '-', '-'], [2, 2, 2, 3], ['~ ~性 ~者 ~論', '~ ~たち', '~的 ~', '~ ~化']),
  ko: sounds(
    [
      '가 나 다 라 마 바 사 아 자 차 카 타 파 하 고 노 도 로 모 보 소 오 조 호 구 누 두 루 무 부 수 우 주 후 기 니 디 리 미 비 시 이 지 치 간 난 단 란 만 반 산 안 장 강 상 영 경 성 정 현 원 문 분 신 인 진 학 음 물 길 말 별',
      '-',
      '-',
    ],
    [2, 2, 3],
    ['~ ~성 ~자 ~론', '~들 ~', '~ ~', '~ ~화'],
  ),
};
