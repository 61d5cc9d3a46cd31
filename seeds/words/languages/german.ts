import { language } from './language.js';

export const GERMAN = language(
  `
  towns: Görlitz; Husum; Tübingen; Bautzen; Goslar; Ravensburg; Eisenach; Rheine; Cottbus; Passau; Wismar; Suhl; Celle; Zittau
  titles: Was ich {place} über {T} gelernt habe; {T}, ein Versuch; Notizen aus {town}, Teil {n}; {n} Fragen über {T}; {name} und die {things}; {T} in {town}; Die {things} von {town}; Brief an {name}; Ein Jahr {place}
  headings: Zu Beginn; Die {things}; In {town}; Was bleibt; Ein Beispiel; Offene Fragen; Vor {year}; Zahlen und {things}; {name} erzählt
  sentences: {place} haben wir {n} [Tage|Wochen|Abende] lang die {things} [gezählt|beobachtet|gezeichnet|verglichen].; {fact}.; {fact}, [sagt|schrieb|meint] {name}, und [dabei blieb es|alle nickten|ich glaube es noch heute].; Die {things} aus {town} sind [kleiner|älter|schöner|lauter], als [ich dachte|man glaubt|es im Buch steht].; {name} hat {year} in {town} [angefangen|alles verkauft|einen Laden eröffnet], [ohne Plan|mit wenig Geld|gegen jeden Rat].; Wer die {things} [kennt|mag|versteht], [fragt|lacht|wartet] {place}.; [Zuerst|Später|Am Ende] fehlten nur noch die {things}.; [Meine Nachbarin|Ein Kollege|Mein Großvater] aus {town} [kannte|hütete|verschenkte] die {things} [sein Leben lang|jeden Sommer|wie einen Schatz].; Ohne {things} [geht|ging] {place} [gar nichts|vieles leichter|der Tag nicht los].; [Im Frühling|Im Sommer|Im Herbst|Im Winter] ist es {place} [still|voll|kalt|am schönsten].; Über {T} [streiten|sprechen|schreiben] in {town} [alle|nur wenige|selbst die Kinder].; Von {n} Versuchen [gelang|blieb] [einer|keiner|die Hälfte].; [Vielleicht|Wahrscheinlich|Sicher] [irre|täusche] ich mich, aber die {things} [haben Zeit|reden nicht|bleiben].; {name} und {name} [schrieben|trafen|widersprachen] einander {n} Jahre lang.; [Niemand|Keiner] weiß, wie viele {things} es {place} [gibt|gab|noch geben wird].; Man braucht dafür [Geduld|Mut|Ruhe|zwei Hände] und {n} {things}.
  verses: {place} / liegen {things} / und [schweigen|warten|leuchten].; Nimm die {things} mit, / sagte [der Regen|die Nacht|das Kind], / und ging.; {n} {things}, / ein [Stuhl|Brief|Licht], / kein Wort.; Morgen, / wenn die {things} [schlafen|singen], / schreibe ich dir.; Zwischen {things} und {things} / [wohnt|wächst] / ein kleiner [Wind|Schnee|Anfang].; [Leise|Langsam] / kommen die {things} / nach {town}.
  remarks: Danke, das mit den Zahlen wusste ich nicht.; {place} habe ich [dasselbe|das Gegenteil] erlebt.; Gibt es das auch in {town}?; Bitte mehr über {T}!; Meine Mutter hat die {things} immer [selbst gemacht|gehasst|gesammelt].; Sehr schön geschrieben, vor allem der [Anfang|Schluss].; Eine kleine Korrektur: Es war {year}, nicht später.; Das [drucke|hebe] ich mir [aus|auf].; Ich sehe das anders, aber gern gelesen.; Und was ist mit den {things} aus {town}?
  bios: Lebt in {town} und schreibt über {T}.; Früher Lehrerin, heute meistens {place}.; Sammelt Geschichten über {T}, gern auch Ihre.; Aus {town}. Liest viel, schreibt wenig, kocht gern.
`,
  `
  urban-gardens: Stadtgärten
  things: Tomaten; Beete; Regentonnen; Bohnen; Schnecken; Setzlinge; Samentüten; Gießkannen; Kräuter
  places: auf dem Dach; hinter der Wäscherei; zwischen den Gleisen; im dritten Beet; am Zaun
  facts: Kompost ist warm, weil er lebt; Bohnen geben dem Boden Stickstoff zurück; Regenwasser ist besser als Leitungswasser; Die meisten Gemüse wollen sechs Stunden Sonne; Ein Quadratmeter genügt für Geduld
  night-trains: Nachtzüge
  things: Fahrpläne; Schlafwagen; Bahnhöfe; Weichen; Decken; Lokomotiven; Fahrkarten; Koffer
  places: auf Gleis neun; im Speisewagen; an der Grenze; im oberen Bett; kurz vor Mitternacht
  facts: Die Lokomotive wird gewechselt, während alle schlafen; Ein Nachtzug schenkt einen Abend und einen Morgen; Oben ist es wärmer als unten; Der Schaffner kennt jede Ausrede; Um drei Uhr sieht jeder Bahnhof gleich aus
  bread: Brot
  things: Laibe; Brötchen; Öfen; Körbe; Mehlsäcke; Rezepte; Krusten; Teige
  places: in der Backstube; am Fenster; in der Mühle; hinten im Ofen; auf dem Markt
  facts: Roggen braucht Säure; Ein Laib singt, wenn er abkühlt; Salz bremst die Hefe; Dampf hält die Kruste weich; Mehl und Wasser werden von selbst zu Sauerteig
  public-libraries: Bibliotheken
  things: Lesesäle; Regale; Ausweise; Lampen; Kataloge; Lesezeichen; Bücher; Stühle
  places: im Lesesaal; am Schalter; unter der Kuppel; im Keller; im Bücherbus
  facts: Bibliotheken verleihen auch Nähmaschinen; Mahngebühren vertreiben die Falschen; Ein warmer Stuhl ist ein öffentlicher Dienst; Das beliebteste Buch ist selten das beste; Sonntags öffnet die Tür ohne Personal
`,
);
