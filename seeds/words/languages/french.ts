import { language } from './language.js';

export const FRENCH = language(
  `
  towns: Quimper; Albi; Vannes; Cahors; Namur; Colmar; Gap; Rimouski; Auxerre; Foix; Dieppe; Tulle; Sion; Bayonne
  titles: Ce que j’ai appris {place}; Notes de {town}, page {n}; {n} questions pour {name}; Petite histoire de {town}; Lettre à {name}; Éloge : {things}; {T}, mode d’emploi; Une année {place}; {T} et {things}
  headings: Pour commencer; {place}; À {town}; Ce qui reste; Un exemple; Questions ouvertes; Avant {year}; Ce que dit {name}; En chiffres
  sentences: {place}, nous avons [compté|regardé|dessiné|comparé] {things} pendant {n} [jours|nuits|semaines].; {fact}.; {fact}, [disait|écrivait|répétait] {name}, et [personne n’en doutait|c’était vrai|tout le monde riait].; À {town}, on [garde|vend|répare|cherche] {things} [depuis {year}|sans se presser|mieux qu’ailleurs].; {name} est [arrivé|revenu] de {town} en {year} avec {things} [et rien d’autre|et une valise|et un rhume].; Qui [connaît|aime|comprend] {things} [sait attendre|ne pose plus de questions|sourit souvent].; [D’abord|Plus tard|À la fin], il ne manquait que {things}.; [Ma grand-mère|Un voisin|Mon professeur], de {town}, [gardait|réparait|offrait] {things} [toute sa vie|chaque été|le dimanche].; Sans {things}, {place}, [rien ne commence|tout est plus lent|il manque quelque chose].; [Au printemps|En été|En automne|En hiver], {place}, on entend [le vent|la radio|presque tout].; Sur {T}, à {town}, [tout le monde discute|on écrit peu|les enfants savent tout].; Sur {n} essais, [un seul a réussi|aucun n’a tenu|la moitié a servi].; [Peut-être|Sans doute], mais {things} [ne mentent pas|ont le temps|restent].; {name} et {name} se sont [écrit|disputés] pendant {n} ans.; [Personne|Presque personne] ne sait combien [de temps cela dure|cela coûte] {place}.; Il faut [de la patience|du calme|du courage|deux mains] et {things}.
  verses: {place} / j’ai laissé {things} / et [la pluie|la nuit] les garde.; Dis-moi, {town}, / qui [compte|chante] / {things}.; {n} pas, / une [porte|lampe|lettre], / et {things}.; Demain, / quand [dorment|chantent] {things}, / je t’écris.; Entre {things} / et {things} / passe [un fleuve|un nom|l’hiver].; [Lentement|Tout bas] / viennent {things} / à ma table.
  remarks: Merci, je ne le savais pas.; {place}, c’est [pareil|le contraire].; Est-ce aussi vrai à {town} ?; Encore sur {T}, s’il vous plaît !; Mon grand-père [parlait toujours de|collectionnait] {things}.; Très bien écrit, surtout [la fin|le début].; Une petite correction : c’était en {year}.; Je ne suis pas d’accord, mais j’ai aimé lire.; Je l’ai partagé avec mes élèves.; Et que dit-on à {town} ?
  bios: Vit à {town}, écrit sur {T}.; Institutrice, lectrice, marcheuse. Souvent {place}.; De {town}. Collectionne des histoires sur {T}.; J’écris peu et je lis beaucoup.
`,
  `
  bread: le pain
  things: des miches; des fours; des sacs de farine; des corbeilles; des croûtes; des recettes
  places: dans le fournil; au moulin; au marché; sur le rebord de la fenêtre; au fond du four
  facts: Le seigle a besoin d’acide; Une miche chante quand elle refroidit; Le sel ralentit la levure; La vapeur garde la croûte souple; La farine et l’eau suffisent pour un levain
  translation: la traduction
  things: des proverbes; des glossaires; des brouillons; des notes en bas de page; des jeux de mots; des verbes
  places: dans la marge; entre deux versions; à la frontière; à la troisième strophe; au bout de la ligne
  facts: Le traducteur lit plus lentement que personne; Un bon jeu de mots survit en un autre; Une langue décide de ce qu’il faut dire; La première version est toujours trop longue; On traduit mieux à voix haute
  slow-travel: le voyage lent
  things: des sentiers; des cartes; des auberges; des détours; des cartes postales; des bacs
  places: sur le vieux chemin; au bac; dans le troisième village; après le dernier arrêt; sur le chemin de halage
  facts: À pied, on traverse un pays à la vitesse des histoires; Un sac suffit pour un mois; Une carte montre ce que l’on cherche; L’attente la plus longue donne la meilleure conversation; Une journée sans plan est aussi une journée
  bees: les abeilles
  things: des ruches; des essaims; des cadres; des tilleuls; des fleurs de ronce; des pots de miel
  places: derrière le verger; sur le toit; sous les tilleuls; dans la bruyère; contre le mur sud
  facts: Une butineuse danse pour indiquer les fleurs; La plupart des abeilles vivent seules; L’essaim choisit sa maison par une sorte de vote; L’hiver, la colonie tremble pour rester chaude; Une ouvrière fait à peine une goutte de miel
`,
);
