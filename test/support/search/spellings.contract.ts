import { type OpenIndex, postDocument, useIndex } from './test-index.js';
import { termsOf } from '../../../src/common/words.js';

/** Titles with queries that a reader types for them, one language a line. Each query has exactly one result. */
const JUDGED: Record<string, string[]> = {
  // Latin letters
  'Crème brûlée à la française': [
    'creme brulee',
    'CRÈME BRÛLÉE',
    'crème',
    'francaise',
    'cre\u0300me',
    '"creme brulee"',
  ],
  'L’été d’Aurélie': ["l'été", 'lʼete', 'l’ete aurelie', 'ete', 'aurélie'],
  'Straßenbahn in Köln': ['strassenbahn', 'STRASSENBAHN', 'straßenbahn koln', 'köln'],
  'Smørrebrød på Ærø': ['smorrebrod', 'smørrebrød', 'aero smorre', 'ærø'],
  'Łódź i żółw': ['lodz', 'łódź', 'zolw', 'ŁÓDŹ'],
  'İstanbul’da ışık': ['istanbul', 'isik', 'ışık', 'ISTANBUL', "istanbul'da"],
  'Đà Nẵng về đêm': ['da nang', 'đà nẵng', 'DA NANG', 'đêm', 'da\u0300 na\u0306\u0303ng'],
  'Þingvellir og Reykjavík': ['thingvellir', 'þingvellir', 'reykjavik'],
  'Il-Ħamrun u Għawdex': ['hamrun', 'ħamrun', 'ghawdex', 'għawdex'],
  'Azərbaycan mətbəxi': ['azerbaycan', 'azərbaycan metbexi', 'metbexi'],
  'Máŋga giela Ruoŧas': ['manga giela', 'máŋga', 'ruotas', 'ruoŧas'],
  'Oʻzbekiston taomlari': ["o'zbekiston", 'o‘zbekiston', 'oʻzbekiston', 'oʼzbekiston', "o'zbek"],
  'Hawaiʻi nights': ["hawai'i", 'hawaiʻi', 'hawai’i', 'hawaiʻi nights'],
  'Ɗan Hausa da ƙarfe': ['dan hausa', 'ɗan', 'karfe', 'ƙarfe'],
  'Eʋegbe kple ɖoɖo': ['evegbe', 'dodo', 'eʋegbe'],
  'Can’t stop knitting': ["can't", 'cant', 'can’t', 'canʼt stop', 'knit'],
  'Ada Lovelace’s ＦＵＬＬ width': ['full', "lovelace's", 'lovelace', 'ｆｕｌｌ width'],
  'Soft\u00adhyphen and zero\u200bwidth': ['softhyphen', 'zerowidth', 'soft\u00adhyphen', 'zerow'],
  // Greek and Cyrillic
  'Ο Σίσυφος και η θάλασσα': ['σισυφος', 'ΣΊΣΥΦΟΣ', 'θαλασσα', 'Θάλασσα', 'σίσυφοσ'],
  'Ещё один ёжик': ['еще', 'ещё', 'ежик', 'ЁЖИК'],
  'Чайковский и Россия': ['чаиковский', 'чайковский', 'ЧАЙКОВСКИЙ', 'россия'],
  'Запашна м’ята у саду': ["м'ята", 'мʼята', 'м’ята', "запашна м'ята", 'саду'],
  'П\u02bcять казок': ["п'ять", 'п’ять', 'пʼять казок'],
  // Hebrew
  'מפקדת צה״ל בתל אביב': ['צה"ל', 'צה״ל', 'צהל', 'צה”ל', 'מפקדת צה"ל'],
  'חדשות ארה"ב, האו״ם': ['ארה״ב', 'ארהב', 'ארה"ב האו"ם', 'האו"ם ארה"ב', 'חדשות'],
  'ג׳ירפה בגן החיות': ["ג'ירפה", 'ג׳ירפה', 'גירפה', 'ג’ירפה'],
  'בֵּית־סֵפֶר יְסוֹדִי': ['בית ספר', 'בֵּית סֵפֶר', 'יסודי', '"בית ספר"'],
  // Arabic script
  'العَرَبِيَّة الفُصحى': ['العربية', 'العربيه', 'العَرَبِيَّة', 'الفصحي', 'الفصحى', 'العـــربية'],
  'أحمد، إبراهيم': ['احمد', 'أحمد', 'ابراهيم', 'إبراهيم'],
  'مدرسة القاهرة ٢٠٢٦': ['مدرسه', 'مدرسة', '2026', '٢٠٢٦', '۲۰۲۶', 'القاهره 2026'],
  'کتاب‌های فارسی ۱۴۰۵': ['كتابهاي', 'کتاب‌های', 'کتابهای', 'فارسي', 'فارسی', '1405', '۱۴۰۵', '١٤٠٥'],
  'خانهٔ ما در یزد': ['خانه', 'خانۀ', 'يزد', 'یزد'],
  'ہم اردو لکھتے ہیں': ['اردو', 'هم اردو', 'ہم', 'لكهتے'],
  'كوردستان و ڪتاب': ['کوردستان', 'كوردستان', 'کتاب كوردستان'],
  'بيع ٥٬٠٠٠ تذكرة': ['5000', '5,000', '٥٬٠٠٠', '۵۰۰۰', 'تذكره'],
  // Indic scripts
  'ज़िंदगी की किताब': ['जिंदगी', 'ज़िंदगी', 'ज\u093cिंदगी', 'किताब'],
  'फ़िल्म समीक्षा २०२५': ['फिल्म', 'फ़िल्म', '2025', '२०२५', '٢٠٢٥'],
  'सड़क पर पढ़ाई': ['सडक', 'सड़क', 'पढाई', 'पढ़ाई'],
  'বাংলার আষাঢ়': ['আষাঢ', 'আষাঢ়', 'আষা\u09a2\u09bc', 'বাংলার'],
  'ਪੰਜਾਬੀ ਜ਼ਮੀਨ': ['ਜਮੀਨ', 'ਜ਼ਮੀਨ', 'ਪੰਜਾਬੀ'],
  'தமிழ் ௨௦௨௪ நூல்': ['தமிழ்', '2024', '௨௦௨௪', 'நூல்'],
  'తెలుగు పుస్తకం ౨౦౨౩': ['తెలుగు', '2023', '౨౦౨౩'],
  // Scripts without spaces
  深層学習入門: ['学習', '深層学習', '入門', '"学習入門"'],
  臺北的サーバーserver設定: ['サーバー', 'server', '設定', 'ｻｰﾊﾞｰ', 'サーバ'],
  カメラとがっき: ['カメラ', 'ｶﾒﾗ', 'がっき', 'か\u3099っき'],
  'ทำอาหารไทย ๒๕๖๙': ['อาหาร', 'อาหารไทย', '2569', '๒๕๖๙'],
  'ອາຫານລາວ ໒໐໒໒': ['ອາຫານ', 'ລາວ', '2022'],
  'ភាសាខ្មែរ ២០២១': ['ខ្មែរ', 'ភាសា', '2021', '២០២១'],
  'မြန်မာစာ ၂၀၂၀': ['မြန်မာ', 'စာ', '2020', '၂၀၂၀'],
  // Korean
  '서울에서 맛집을 찾다': ['서울', '서울 맛집', '맛집', '서울에서', '"서울에서 맛집"', '맛집 찾'],
  '파이썬으로 Python을 배우는 책은': ['파이썬', 'python 배우', 'Python을', '책', 'python 책'],
  '부산과 제주의 겨울 2019년': ['부산', '제주', '부산 제주', '2019', '2019년', '겨울 부산'],
  '한국어\u115f 문법': ['한국어', '한국어 문법', '문법'],
  // Numbers and signs
  'Chapter Ⅳ of ① things': ['iv', 'chapter 1', 'things iv'],
  'From C++ to C# in 1,000,000 steps': ['c++', 'c#', '1000000', '1,000,000', 'c++ c#'],
  'ߒߞߏ ߂߀߁߈': ['ߒߞߏ', '2018'],
  '𝟚𝟘𝟙𝟟 𝓼𝓬𝓻𝓲𝓹𝓽': ['2017', 'script', '𝓼𝓬𝓻𝓲𝓹𝓽'],
};

/** Judges the languages of every engine. */
export const describeSpellings = (open: OpenIndex): void =>
  describe('the spellings of words', () => {
    const index = useIndex(open);
    const titles = Object.keys(JUDGED);
    const posts = titles.map((title) => postDocument({ title }));
    beforeAll(() => index.fill(posts));
    const find = async (q: string): Promise<string[]> => {
      const {
        posts: found,
        corrected,
        matches,
      } = await index.reader.query({ terms: termsOf(q), kinds: ['posts'], sort: 'latest' });
      if (corrected !== null || matches === 'any') return [];
      return found.map(({ id }) => titles[posts.findIndex((post) => post.id === id)]!);
    };

    it('find the title, and no other, for each of 240 judged queries', async () => {
      const judged = titles.flatMap((title) => JUDGED[title]!.map((q) => ({ q, found: [title] })));

      expect(judged.length).toBeGreaterThanOrEqual(240);
      const results: typeof judged = [];
      for (const { q } of judged) results.push({ q, found: await find(q) });
      expect(results).toEqual(judged);
    });

    it.each([
      ['other acronyms', 'מפקדת ארה"ב', []],
      ['other letters with a voice mark', 'かっき', []],
      ['other digits', '2027 ٢٠٢٨', []],
      ['the end of a Korean word', '에서', []],
      ['letters of another Arabic word', 'خان', ['خانهٔ ما در یزد']],
    ])('find %s', async (_, q, found) => expect(await find(q)).toEqual(found));
  });
