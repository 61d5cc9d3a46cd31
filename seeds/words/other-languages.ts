/** Sentences and titles for posts that are not written in English; `{}` in a title is filled with a number. */
export interface Phrasebook {
  titles: readonly string[];
  sentences: readonly string[];
  headings: readonly string[];
  /** Between two sentences. */
  space: string;
}

const book = (titles: string, headings: string, sentences: string, space = ' '): Phrasebook => ({
  titles: titles.split('|'),
  headings: headings.split('|'),
  sentences: sentences.split('|'),
  space,
});

export const PHRASEBOOKS: Readonly<Record<string, Phrasebook>> = {
  es: book(
    'Apuntes sobre el agua, parte {}|Lo que aprendí en {} días de campo|Cuaderno de viaje, número {}|Una biblioteca y {} preguntas',
    'Introducción|Lo que vimos|Resultados|Preguntas abiertas',
    'El río baja más despacio de lo que recordábamos.|Medimos cada mañana, aunque nadie nos lo pidió.|La diferencia es pequeña, pero se repite año tras año.|Mi abuela decía que la paciencia también es un método.|Los vecinos conservan cartas que ningún archivo ha leído.|Después de la tormenta, el mapa ya no servía.|No todo lo que se cuenta se puede contar con números.|Escribimos esto para quien venga después y quiera repetirlo.|La segunda muestra contradijo a la primera.|A veces la mejor respuesta es volver a preguntar.',
  ),
  de: book(
    'Notizen aus dem Moor, Teil {}|{} Fragen an ein Archiv|Über das langsame Messen ({})|Was {} Winter lehren',
    'Einleitung|Vorgehen|Ergebnisse|Offene Fragen',
    'Der zweite Versuch widersprach dem ersten in fast jedem Punkt.|Wir haben jeden Morgen gemessen, auch bei Nebel.|Die Unterschiede sind klein, aber sie bleiben.|Niemand hatte das alte Verzeichnis je vollständig gelesen.|Für den Anfang genügt ein Bleistift und etwas Geduld.|Größere Stichproben änderten daran nichts.|Das Gerät war älter als alle, die es bedienten.|Wer den Fluss kennt, rechnet mit Verspätung.|Am Ende blieb eine einfache Regel übrig.|Über die Ursachen lässt sich streiten, über die Zahlen kaum.',
  ),
  fr: book(
    'Carnet de terrain, page {}|{} hivers au bord du fleuve|Petite histoire du pain, épisode {}|Ce que disent {} lettres',
    'Introduction|Méthode|Résultats|Questions ouvertes',
    'Nous avons mesuré chaque matin, même sous la pluie.|La deuxième série contredit la première, et c’est tant mieux.|Les voisins gardaient des lettres que personne n’avait lues.|À force de patience, la courbe a fini par se dessiner.|L’écart est faible, mais il se répète d’une année à l’autre.|Le vieil instrument dérivait depuis longtemps.|On apprend surtout de ce qui n’a pas marché.|Ce texte s’adresse à ceux qui voudront recommencer.|Rien n’est plus bavard qu’une archive bien classée.|Il reste une question, la plus simple de toutes.',
  ),
  ru: book(
    'Полевые заметки, часть {}|Что рассказали {} писем|О медленных измерениях ({})|{} зим у реки',
    'Введение|Методика|Результаты|Открытые вопросы',
    'Мы измеряли каждое утро, даже в туман.|Вторая серия почти во всём противоречила первой.|Разница невелика, но она повторяется из года в год.|Соседи хранили письма, которых не читал ни один архив.|Старый прибор давно врал, и все об этом знали.|Иногда лучший ответ — это новый вопрос.|После бури карта уже никуда не годилась.|Терпение тоже можно считать методом.|Этот текст написан для тех, кто захочет повторить опыт.|В конце осталось одно простое правило.',
  ),
  ar: book(
    'ملاحظات ميدانية، الجزء {}|ما قالته {} رسائل|دفتر السفر رقم {}|{} أسئلة عن الماء',
    'مقدمة|الطريقة|النتائج|أسئلة مفتوحة',
    'قِسنا كل صباح حتى في الضباب.|الفرق صغير لكنه يتكرر عامًا بعد عام.|احتفظ الجيران برسائل لم يقرأها أحد.|العينة الثانية خالفت الأولى في كل شيء تقريبًا.|أحيانًا يكون أفضل جواب سؤالًا جديدًا.|لم تعد الخريطة صالحة بعد العاصفة.|كتبنا هذا لمن يريد أن يعيد التجربة.|الصبر أيضًا طريقة في البحث.',
  ),
  hi: book(
    'खेत की डायरी, भाग {}|नदी के किनारे {} सर्दियाँ|{} चिट्ठियों की कहानी|धीमे माप पर कुछ बातें ({})',
    'भूमिका|विधि|परिणाम|खुले प्रश्न',
    'हमने हर सुबह माप लिया, कोहरे में भी।|दूसरा नमूना पहले से लगभग हर बात में अलग था।|अंतर छोटा है, पर हर साल दोहराता है।|पड़ोसियों के पास ऐसी चिट्ठियाँ थीं जिन्हें किसी ने नहीं पढ़ा था।|कभी-कभी सबसे अच्छा उत्तर एक नया प्रश्न होता है।|तूफ़ान के बाद नक्शा किसी काम का नहीं रहा।|यह लेख उनके लिए है जो प्रयोग दोहराना चाहें।|धैर्य भी एक विधि है।',
  ),
  zh: book(
    '田野笔记（{}）|河边的第{}个冬天|关于缓慢测量的{}个问题|读{}封旧信',
    '引言|方法|结果|未解的问题',
    '我们每天清晨测量，即使有雾。|第二组样本几乎在每一点上都与第一组相反。|差别很小，却年年重复。|邻居们保存着从未有人读过的信件。|有时最好的回答是一个新的问题。|暴风雨之后，地图已经没有用了。|耐心也是一种方法。|这篇文章写给以后想重复实验的人。|旧仪器的误差，大家早就知道。|最后只剩下一条简单的规则。',
    '',
  ),
  ja: book(
    '野外ノート その{}|川辺の{}度目の冬|ゆっくり測ることについて（{}）|{}通の古い手紙',
    'はじめに|方法|結果|残された問い',
    '霧の日も、毎朝かならず測定しました。|二つ目の標本は、一つ目とほとんど逆の結果になりました。|差は小さいのですが、毎年くり返し現れます。|隣人たちは、誰も読んだことのない手紙を持っていました。|よい答えとは、ときに新しい問いのことです。|嵐のあと、地図は役に立たなくなりました。|忍耐もまた、一つの方法です。|この文章は、実験をくり返したい人のために書きました。|古い計器は、ずっと前から狂っていました。|最後に残ったのは、単純な規則でした。',
    '',
  ),
  ko: book(
    '현장 노트 {}|강가에서 보낸 {}번째 겨울|느린 측정에 관하여 ({})|오래된 편지 {}통',
    '들어가며|방법|결과|남은 질문',
    '안개가 낀 날에도 우리는 매일 아침 측정했다.|두 번째 표본은 첫 번째와 거의 모든 점에서 달랐다.|차이는 작지만 해마다 되풀이된다.|이웃들은 아무도 읽지 않은 편지를 간직하고 있었다.|가장 좋은 대답은 때로 새로운 질문이다.|폭풍이 지나간 뒤 지도는 쓸모가 없어졌다.|인내도 하나의 방법이다.|이 글은 실험을 되풀이하려는 사람을 위해 썼다.',
  ),
};
