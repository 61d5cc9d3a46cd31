import { slugify } from '../../src/rendering/post-text.js';

/** People of one language. Each name has its native spelling, and Latin letters for the username. */
export interface Locale {
  language: string;
  /** Share among all users, in percent. */
  share: number;
  isFamilyFirst: boolean;
  separator: string;
  given: readonly Name[];
  family: readonly Name[];
}

export interface Name {
  native: string;
  latin: string;
}

/** Parses `Native:latin` pairs. A name in Latin letters needs no second half. */
function names(list: string): Name[] {
  return list.split(' ').map((entry) => {
    const [native, latin] = entry.split(':') as [string, string?];
    return { native, latin: latin ?? slugify(native).replaceAll('-', '') };
  });
}

function locale(
  language: string,
  share: number,
  given: string,
  family: string,
  order: { isFamilyFirst?: boolean; separator?: string } = {},
): Locale {
  return {
    language,
    share,
    isFamilyFirst: order.isFamilyFirst ?? false,
    separator: order.separator ?? ' ',
    given: names(given),
    family: names(family),
  };
}

export const LOCALES: readonly Locale[] = [
  locale(
    'en',
    36,
    'Olivia Noah Emma Liam Amelia Oliver Charlotte Elijah Harper Lucas Evelyn Mason Abigail Logan Emily Ethan Ella Jackson Scarlett Aiden Grace Samuel Chloe Daniel Nora Henry Hazel Owen Violet Wyatt Aurora Julian Stella Isaac Lucy Caleb Ruby Miles Alice Jasper Ivy Silas Clara Theo',
    'Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Thomas Moore Martin Jackson Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams Nelson Baker Hall Campbell Mitchell Carter Roberts Turner Phillips Parker Evans Edwards Collins',
  ),
  locale(
    'es',
    11,
    'María José Lucía Mateo Sofía Santiago Valentina Sebastián Camila Matías Isabella Nicolás Martina Andrés Renata Iñaki Ximena Ángel Inés Joaquín',
    'García Rodríguez Martínez López González Hernández Pérez Sánchez Ramírez Torres Flores Rivera Gómez Díaz Núñez Morales Ortiz Muñoz Peña Ibáñez',
  ),
  locale(
    'de',
    7,
    'Jürgen Anna Lukas Lena Jonas Mia Felix Hannah Björn Käthe Matthias Greta Sören Emilia Moritz Frieda Anton Johanna',
    'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schäfer Koch Richter Klein Wolf Schröder Neumann Krüger Größ Jäger',
  ),
  locale(
    'fr',
    7,
    'Zoé Léa Hugo Chloé Louis Manon Raphaël Inès Gabriel Jeanne Étienne Élise François Noémie Benoît Maëlle',
    'Martin Bernard Dubois Durand Moreau Laurent Lefèvre Leroy Roux Fournier Girard Bonnet Dupont Lambert Gauthier Chevalier',
  ),
  locale(
    'pl',
    4,
    'Zofia Jakub Zuzanna Szymon Łucja Wojciech Małgorzata Paweł Agnieszka Michał Kamila Tomasz',
    'Nowak Kowalski Wiśniewska Wójcik Kamiński Zieliński Szymańska Woźniak Dąbrowski Kozłowska Jabłoński Król',
  ),
  locale(
    'vi',
    4,
    'Anh Linh Minh Hương Thảo Dũng Trang Quân Hạnh Đức Ngọc Phúc',
    'Nguyễn Trần Lê Phạm Hoàng Phan Vũ Đặng Bùi Đỗ Hồ Ngô',
    { isFamilyFirst: true },
  ),
  locale(
    'ru',
    6,
    'Анна:anna Иван:ivan Мария:maria Дмитрий:dmitry Елена:elena Сергей:sergey Ольга:olga Алексей:alexey Наталья:natalia Михаил:mikhail Юлия:yulia Павел:pavel',
    'Соколова:sokolova Шевченко:shevchenko Коваленко:kovalenko Морозов:morozov Волков:volkov Зайцева:zaitseva Бондаренко:bondarenko Орлов:orlov Лебедев:lebedev Козлова:kozlova Новиков:novikov Макарова:makarova',
  ),
  locale(
    'el',
    2,
    'Γιώργος:giorgos Μαρία:maria Δημήτρης:dimitris Ελένη:eleni Νίκος:nikos Κατερίνα:katerina Αλέξανδρος:alexandros Σοφία:sofia',
    'Παπαδόπουλος:papadopoulos Οικονόμου:oikonomou Γεωργίου:georgiou Αντωνίου:antoniou Νικολάου:nikolaou Ιωάννου:ioannou',
  ),
  locale(
    'ar',
    5,
    'محمد:mohammed فاطمة:fatima أحمد:ahmed مريم:maryam يوسف:yousef ليلى:layla عمر:omar نور:noor خالد:khaled سلمى:salma',
    'الحسن:alhassan الخطيب:alkhatib حداد:haddad منصور:mansour النجار:alnajjar سليمان:suleiman عباس:abbas زيدان:zidan',
  ),
  locale(
    'he',
    1,
    'נועה:noa דוד:david תמר:tamar יוסף:yosef מאיה:maya איתי:itai',
    'כהן:cohen לוי:levi מזרחי:mizrahi פרץ:peretz ביטון:biton',
  ),
  locale(
    'hi',
    5,
    'आरव:aarav अनन्या:ananya विवान:vivaan दीया:diya अर्जुन:arjun प्रिया:priya रोहन:rohan कविता:kavita',
    'शर्मा:sharma वर्मा:verma सिंह:singh गुप्ता:gupta पटेल:patel मेहता:mehta जोशी:joshi नायर:nair',
  ),
  locale(
    'zh',
    5,
    '伟:wei 芳:fang 娜:na 敏:min 静:jing 丽:li 强:qiang 磊:lei 洋:yang 艳:yan 思远:siyuan 子涵:zihan 雨桐:yutong 浩然:haoran',
    '王:wang 李:li 张:zhang 刘:liu 陈:chen 杨:yang 赵:zhao 黄:huang 周:zhou 吴:wu 欧阳:ouyang',
    { isFamilyFirst: true, separator: '' },
  ),
  locale(
    'ja',
    4,
    '陽翔:haruto 葵:aoi 蓮:ren さくら:sakura 湊:minato 結衣:yui 悠真:yuma 美咲:misaki 大輔:daisuke 直子:naoko',
    '佐藤:sato 鈴木:suzuki 高橋:takahashi 田中:tanaka 伊藤:ito 渡辺:watanabe 山本:yamamoto 中村:nakamura 小林:kobayashi',
    { isFamilyFirst: true },
  ),
  locale(
    'ko',
    3,
    '민준:minjun 서연:seoyeon 도윤:doyun 지우:jiwoo 하은:haeun 현우:hyunwoo 수빈:subin',
    '김:kim 이:lee 박:park 최:choi 정:jung 강:kang 윤:yoon 한:han',
    { isFamilyFirst: true, separator: '' },
  ),
];

export const LOCALE_BY_LANGUAGE = new Map(LOCALES.map((entry) => [entry.language, entry]));
