/**
 * Sentence patterns of one language: %N a noun, %P a plural, %A an adjective, %V a verb, %M a name, %D a number, %T the topic, %Q two
 * words. Every text of the language has the plain words between them.
 */
export interface Grammar {
  sentences: readonly string[];
  /** Clauses that end some sentences, before the full stop. */
  tails: readonly string[];
  headings: readonly string[];
  titles: readonly string[];
  /** Text between two sentences. */
  space: string;
}

const list = (text: string): string[] => text.split('|');

const grammar = (titles: string, headings: string, sentences: string, space = ' '): Grammar => ({
  titles: list(titles),
  headings: list(headings),
  sentences: list(sentences),
  tails: [],
  space,
});

export const ENGLISH: Grammar = {
  titles: [],
  headings: list(
    'introduction|background|what we did|materials and methods|results|a closer look|limits of this work|discussion|what comes next|related work|notes from the field|a worked example|why it matters|data and code|open questions|conclusion|acknowledgements|the first winter|a short detour|reading list|' +
      'the %A %N|%P and their %N|on the %N|what the %P %V|%A %P|from %N to %N|after the %N|the %N of %M|no %N without %P|more %A %P|before the %P|%D %P|how the %N was %V|a %A %N|the %P again|between %N and %N|toward a %N|under the %N|all of the %P|who %V the %N',
  ),
  sentences: list(
    'the %P %V our %A %N, although not at once.|in every %A %N there is some %N about %T.|most of the %P %V the %N, and only a few were %A.|after %D of the %P, the %N was not %A any more.|between %D and %D of the %P were %V again.|what %T must have is not another %N but one %A %N.|if the %N is %A, then the %P will be %V.|anyone who has %V %T will have been with this %N.|%M %V the %N of %T, and the %A %P.|as %M has it, the %N is in the %P.|we %V each %N for its %P, so that it could be %A.|there were %A %P under the %N of them.|without the %N, these %P are only as %A as before.|for the %P of %T, the %N has been %A.|the %N was %V by %M, who had also %V the %P.|when the %P %V, our %N was more %A than any.|it is the %N that has %V the %P about them.|of the others, no %A %N had %V all of it.|over the %P and through the %N we %V toward %T.|where the %N is %A, both of the %P have been %V.|at first the %A %N %V, and then so did the %P.|who among the %P would have %V such %A %N?|from %T to the %N there are %D %P.|because this %N was %V, those %P should be %A.',
  ),
  tails: list(' or so the %P had it| while it was %A| which is why we %V| even though none had %V'),
  space: ' ',
};

export const OTHER_LANGUAGES: Readonly<Record<string, Grammar>> = {
  es: grammar(
    'apuntes sobre %N, parte %D|lo que aprendí en %D %P|cuaderno de %P, número %D|un %N y %D preguntas',
    'introducción|lo que vimos|resultados|preguntas abiertas|%N y %P|los %P|un %N %A|sobre el %N',
    'el %N %V más que los %P de antes.|los %P %V cada %N, aunque no era %A.|la %N de %M es %A, pero se %V en los %P.|no todo lo que %V es un %N %A.|entre el %N y los %P, nadie %V tanto como %M.|para %M, el %N también es %A.|después de los %P, la %N ya no era %A.|a veces los %P son más %A que el %N.|sin el %N de los %P no hay %N %A.|%M %V los %P con un %N %A.|la %N y los %P se %V en %D de los %N.',
  ),
  de: grammar(
    'Notizen aus %N, Teil %D|%D %P an ein %N|über %A %N (%D)|was %D %P lehren',
    'Einleitung|Vorgehen|Ergebnisse|offene Fragen|%N und %P|die %P|zum %N|%A %N',
    'der %N hat die %P %V, aber nur den %N nicht.|die %A %P haben den %N nicht %V.|wir haben jeden %N %V, auch bei %A %P.|%M hat den %N und die %P in %D von %D Mal %V.|für die %P ist der %N %A, für %M sind sie es nicht.|ohne den %A %N wären die %P nicht %V.|an den %P war nichts so %A wie der %N.|über die %P wird %V, über den %N kaum.|nach %D %P war der %N noch %A.|wenn der %N %V ist, sind es auch die %P.',
  ),
  fr: grammar(
    'carnet de %N, page %D|%D %P au bord du %N|petite histoire du %N, épisode %D|ce que disent %D %P',
    'introduction|méthode|résultats|questions ouvertes|%N et %P|les %P|un %N %A|du %N',
    'le %N a %V les %P, même sans le %N.|les %P sont %A, et le %N ne l’est pas.|nous avons %V chaque %N avec les %P de %M.|%M a %V le %N de tous les %P.|à force de %N, les %P ont tous %V.|ce %N est %A, mais il se %V dans les %P.|rien n’est plus %A que les %P d’un %N.|pour %D des %P, le %N n’était plus %A.|entre les %P et le %N, c’est bien %M qui %V.|sans %M, ce %N n’aurait pas été si %A.',
  ),
  ru: grammar(
    'полевые заметки: %N, часть %D|что рассказали %D %P|о %A %P (%D)|%D %P у %N',
    'введение|методика|результаты|открытые вопросы|%N и %P|про %P|%A %N|ещё %P',
    'мы %V %A %N, хотя %P были не те.|%M %V этот %N для всех %P.|после %D %P наш %N уже не был %A.|в %N нет %P, которые бы так %V.|без %N эти %P не более %A, чем их %N.|когда %P %V, их %N был ещё %A.|%M и %M %V о том, что %N — это %P.|для %P этот %N и %A, и не %A.|если %N не %A, то %P его %V.|%N и %P %V, но не в каждом %N.',
  ),
  ar: grammar(
    'ملاحظات عن %N، الجزء %D|ما قالته %D %P|دفتر %N رقم %D|%D %P عن %N',
    'مقدمة|الطريقة|النتائج|أسئلة مفتوحة|%N و %P|عن %P|%N %A|بعد %N',
    'كان %N %A في كل %P.|لم يكن %N مع %P إلا %A.|%V %M هذا %N مع %P.|من %N إلى %P كان كل هذا %A.|بعد %P لم يكن %N %A.|هذا %N %A لكن %P لم %V.|على %N أن %V قبل %P.|%V %P عن %N من %M.',
  ),
  hi: grammar(
    '%N की डायरी, भाग %D|%N के किनारे %D %P|%D %P की कहानी|%A %N पर कुछ बातें (%D)',
    'भूमिका|विधि|परिणाम|खुले प्रश्न|%N और %P|%A %N|%P के बाद|यह %N',
    'इस %N में सब %P %A थे।|हमने हर %N को %V, और %P के साथ भी।|%M ने %N और %P को %V।|यह %N %A है, पर %P वैसे नहीं हैं।|%P के बाद %N किसी %N का नहीं रहा।|जब %P %V, तब यह %N %A था।|हर %A %N के लिए %P ही %N है।|%N से %P तक सब कुछ %A था।',
  ),
  zh: grammar(
    '%N笔记（%D）|%N的第%D个%N|关于%N的%D个%P|读%D个%P',
    '引言|方法|结果|未解的问题|%N|%A的%P|从%N到%N|%P',
    '我们%V每一个%N，即使%P很%A。|%N与%P都不那么%A。|%M的%N在%P之后%V了。|这个%N很%A，却在%P中%V。|没有%N的%P也是%A的。|在%N和%P之间，%M只%V了%D次。|最后只有%A的%N还在这里。|因为%P，所以%N不再%A。',
    '',
  ),
  ja: grammar(
    '%Nノート その%D|%Nの%D度目の%N|%Nについて（%D）|%Dの%P',
    'はじめに|方法|結果|残された問い|%Nについて|%Aな%P|%Nと%P|%Pのあと',
    '%Nの%Pは、%Mが%Vしたものです。|この%Nは%Aですが、%Pは%Vしません。|私たちは、どの%Nもかならず%Vしました。|%Pと%Nのあいだに、%Aな%Nがあります。|%Mによれば、%Nは%Pよりも%Aです。|%Nのあと、%Pはもう%Aではありません。|それでも、%Aな%Nは%Pを%Vします。|%Aな%Pほど、%Nの中で%Vするものはありません。',
    '',
  ),
  ko: grammar(
    '%N 노트 %D|%N에서 보낸 %D번째 %N|%A한 %N에 관하여 (%D)|%P %D통',
    '들어가며|방법|결과|남은 질문|%N에 관하여|%A한 %P|%N와 %P|%P 뒤에',
    '그 %N의 %P는 모두 %M이 %V한 것이다.|우리는 %P마다 모든 %N을 다시 %V했다.|이 %N은 아주 %A하지만 %P는 그렇지 않다.|%P와 %N 사이에는 %A한 %N이 있다.|%N 뒤에 %P는 더 이상 %A하지 않다.|%M은 이 %N보다 %P를 더 %V한다.|%A한 %P 없이는 이 %N도 없다.|%D번의 %N 가운데 %P는 늘 %A했다.',
  ),
};
