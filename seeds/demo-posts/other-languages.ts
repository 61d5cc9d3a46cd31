import { type DemoPost, demoPost } from './demo-post.js';

export const IN_OTHER_LANGUAGES: readonly DemoPost[] = [
  demoPost(
    {
      type: 'article',
      language: 'de',
      topic: 'urban-gardens',
      title: 'Der Garten hinter der Wäscherei',
      subtitle: 'Ein Jahr auf achtzig Quadratmetern',
      tags: ['urban-gardens', 'cities', 'essays'],
    },
    `
Hinter der Wäscherei lag ein Hof, in dem drei Fahrräder und ein Kühlschrank wohnten. Im März haben wir den Besitzer gefragt. Im April hat er geantwortet, mit einem einzigen Wort: »Bitte.«

## Was zuerst kam

Nicht die Pflanzen, sondern die Nachbarn. Sie standen am Zaun und wussten alles besser, und das war ein Glück, denn wir wussten nichts. Herr Yıldız brachte Bohnen aus dem Dorf seiner Mutter. Frau Lehmann brachte einen Klappstuhl und blieb bis Oktober.

## Was wir gelernt haben

- Regenwasser ist weich, Leitungswasser ist bequem.
- Schnecken kommen nicht von irgendwo. Sie waren schon da.
- Eine Bank ist wichtiger als ein Beet.

## Die Bilanz

| Ernte | Menge |
| --- | ---: |
| Tomaten | 31 kg |
| Bohnen | 9 kg |
| Kürbisse | 4 |
| neue Bekannte | 27 |

Der Kühlschrank ist noch da. Er steht jetzt liegend, ohne Tür, voller Erde, und darin wachsen die besten Radieschen der Straße.
`,
  ),
  demoPost(
    {
      type: 'story',
      language: 'es',
      topic: 'lighthouses',
      title: 'El cuaderno del farero',
      subtitle: 'Un cuento breve',
      tags: ['lighthouses', 'stories', 'fiction'],
    },
    `
El último farero de la isla no sabía escribir, así que dibujaba el tiempo. Una línea era calma. Dos líneas, viento. Una espiral, niebla. Durante treinta y un años dibujó todos los días, sin faltar uno, en cuadernos de contabilidad que le traía el barco de los víveres.

Cuando murió, los cuadernos llegaron al museo. Nadie entendía nada.

—Son garabatos —dijo el director.

—Es música —dijo la señora de la limpieza, que había cantado en un coro.

La señora llevó un cuaderno a su casa y lo puso en el atril. Tocó las líneas, los vientos, las espirales. Le salió una melodía lenta, con una tormenta en febrero.

Al día siguiente llamó al instituto de meteorología. Le leyeron los registros de aquel año, y ella los fue siguiendo con el dedo. Coincidían todos, menos uno: el tres de mayo, día de calma, el farero había dibujado una flor.

—¿Qué pasó el tres de mayo? —preguntó.

Nadie lo sabía. Pero desde entonces, cada tres de mayo, alguien deja una flor al pie del faro, y el museo abre gratis.
`,
  ),
  demoPost(
    {
      type: 'article',
      language: 'fr',
      topic: 'bread',
      title: 'Le pain du dimanche',
      subtitle: 'Une recette, et quelques digressions',
      tags: ['bread', 'cooking', 'essays'],
    },
    `
Ma grand-mère disait que le pain se fait en trois jours : un pour y penser, un pour attendre, un pour se brûler les doigts.

## Il faut

- 500 g de farine, dont un peu de seigle
- 350 g d’eau
- 100 g de levain bien réveillé
- 10 g de sel, et pas une pensée de plus

## Samedi matin

1. Mélangez la farine et l’eau. Allez faire autre chose pendant une heure.
2. Ajoutez le levain et le sel. Pétrissez sans colère.
3. Repliez la pâte quatre fois dans l’après-midi, chaque fois que vous passez devant.

## Samedi soir

La pâte dort au frais. Vous aussi.

## Dimanche

Four très chaud, cocotte brûlante, quarante-cinq minutes. Ensuite vient le plus difficile : attendre une heure. Approchez l’oreille. En refroidissant, la croûte chante.
`,
  ),
  demoPost(
    {
      type: 'article',
      language: 'ar',
      topic: 'number-theory',
      title: 'لماذا لا تنتهي الأعداد الأولية',
      subtitle: 'برهان عمره ثلاثة وعشرون قرنًا',
      tags: ['number-theory', 'mathematics', 'history'],
    },
    `
العدد الأولي هو عدد أكبر من الواحد لا يقبل القسمة إلا على نفسه وعلى الواحد، مثل 2 و3 و5 و7. كلما كبرت الأعداد قلّت الأعداد الأولية، فهل تنتهي؟

## سؤال إقليدس

قبل ثلاثة وعشرين قرنًا كتب إقليدس برهانًا قصيرًا لم يجد أحد أجمل منه.

## البرهان

1. لنفترض أن الأعداد الأولية تنتهي، وأن لدينا قائمة بها كلها.
2. نضرب كل أعداد القائمة بعضها في بعض ثم نضيف واحدًا.
3. العدد الجديد لا يقبل القسمة على أي عدد في القائمة، لأن الباقي دائمًا واحد.
4. إذن له قاسم أولي ليس في القائمة، وهذا يناقض ما افترضناه.

مثال صغير:

$$
2 \\cdot 3 \\cdot 5 \\cdot 7 + 1 = 211
$$

والعدد 211 أولي فعلًا.

## ما الذي يعجبني فيه

لا يحتاج البرهان إلى حاسوب ولا إلى رموز صعبة. يحتاج فقط إلى قارئ صبور. **كل قائمة، مهما طالت، ينقصها شيء.**
`,
  ),
  demoPost(
    {
      type: 'poem',
      language: 'ja',
      topic: 'night-trains',
      title: '夜行列車の窓',
      subtitle: '三つの短い詩',
      tags: ['night-trains', 'poetry', 'travel'],
    },
    `
窓に額をつけると
町の明かりが
まつげのあいだを通りすぎる

午前三時
名前のない駅で
だれも降りず
だれも乗らない
それでも汽笛は
あいさつをする

朝
となりの寝台は空で
毛布だけが
まだ眠っている
`,
  ),
  demoPost(
    {
      type: 'written',
      language: 'ru',
      topic: 'mountain-weather',
      title: 'Пять примет, которым я верю',
      subtitle: 'Записки из хижины на перевале',
      tags: ['mountain-weather', 'climate', 'notes'],
    },
    `
За двадцать лет на перевале я слышал сотню примет. Проверку выдержали пять.

1. Если вечером дым идёт вниз, утром будет дождь.
2. Плоское облако над вершиной означает ветер, даже если внизу тихо.
3. Если овцы спускаются сами, не спорь с овцами.
4. Роса утром обещает ясный день.
5. Если прогноз по радио совпал с моим коленом, можно верить обоим.

Остальное я записываю в журнал: давление, температуру, облака. Журналу тридцать лет, начал его ещё мой отец. **Зимой мы читаем его вслух**, как роман.
`,
  ),
];
