import { language } from './language.js';

export const SPANISH = language(
  `
  towns: Ronda; Mérida; Cuenca; Salta; Oaxaca; Popayán; Arequipa; Jaca; Lugo; Xalapa; Trujillo; Teruel; Antigua; Colonia
  titles: Lo que aprendí {place}; Apuntes sobre {T}; {n} preguntas sobre {T}; Cuaderno de {town}, número {n}; {name} y {things}; {T} en {town}; Carta a {name}; Elogio de {things}; Un año {place}
  headings: Para empezar; {place}; En {town}; Lo que queda; Un ejemplo; Preguntas abiertas; Antes de {year}; Lo que dice {name}; Números
  sentences: {place} [pasamos|estuvimos] {n} [días|noches|semanas] [mirando|contando|dibujando] {things}.; {fact}.; {fact}, [decía|escribió|repetía] {name}, y [nadie lo dudaba|tenía razón|todos reían].; En {town} [cuidan|venden|recuerdan|pintan] {things} [desde {year}|como en ningún sitio|sin prisa].; {name} llegó de {town} en {year} con {things} [y poco más|y una maleta|y ningún plan].; Quien [conoce|ha visto|ama] {things} no [tiene prisa|hace preguntas|vuelve igual].; [Al principio|Después|Al final] solo quedaban {things}.; [Mi abuela|Un vecino|Mi profesor] de {town} [guardaba|reparaba|regalaba] {things} [toda la vida|cada verano|los domingos].; Sin {things}, {place} [no pasa nada|todo es más lento|falta algo].; [En primavera|En verano|En otoño|En invierno], {place}, se oye [el mar|el viento|la radio|todo].; Sobre {T} [se discute|se canta|se escribe] mucho en {town}.; De {n} intentos [salió bien uno|no quedó ninguno|aprendimos la mitad].; [Quizá|Tal vez] me equivoque, pero {things} [no mienten|saben esperar|hablan solos].; {name} y {name} [discutieron|se escribieron] durante {n} años.; [Nadie|Casi nadie] sabe cuántos años [duró|costó|lleva] todo esto {place}.; Hace falta [paciencia|silencio|valor|tiempo] y, con suerte, {things}.
  verses: {place} / dejé {things} / y [la lluvia|la noche|el viento] los [guardó|nombró].; Dime, {town}, / quién [canta|cuenta] / {things}.; {n} pasos, / una [puerta|lámpara|carta], / y {things}.; Mañana, / cuando [duerman|vuelvan] {things}, / te escribo.; Entre {things} / y {things} / cabe [un río|un nombre|el invierno].; [Despacio|En voz baja] / llegan {things} / a mi mesa.
  remarks: Gracias, no lo sabía.; {place} me pasó [lo mismo|lo contrario].; ¿También es así en {town}?; ¡Más sobre {T}, por favor!; Mi abuelo [hablaba siempre de|coleccionaba] {things}.; Qué bien escrito, sobre todo el [final|comienzo].; Una corrección: fue en {year}.; No estoy de acuerdo, pero lo leí con gusto.; Lo he compartido con mis alumnos.; ¿Y qué dicen en {town} de todo esto?
  bios: Vive en {town} y escribe sobre {T}.; Maestra, lectora, caminante. Casi siempre {place}.; De {town}. Colecciona historias sobre {T}.; Escribo poco y leo mucho, sobre todo de {T}.
`,
  `
  street-food: comida callejera
  things: tamales; puestos de fideos; brasas; salsas y panes; platos de papel; empanadas y caldos
  places: en el mercado nocturno; junto a la terminal; bajo el puente; en una silla de plástico; en la esquina
  facts: Una cola de taxistas es una buena reseña; Un puesto con un solo plato ha tenido tiempo de aprenderlo; El chile llegó a Asia después de Colón; La mejor salsa no tiene nombre; La masa descansa más que la cocinera
  lighthouses: faros
  things: lámparas; cuadernos de bitácora; escaleras y lentes; barcos de noche; sirenas de niebla; viejos relojes
  places: al pie del faro; en la galería; sobre el arrecife; en la sala de la lámpara; en el bote de víveres
  facts: Cada faro tiene su propio ritmo; La torre de Hércules alumbra desde los romanos; Una lente pequeña se ve a treinta kilómetros; El último farero apagó la luz con la mano; Un diario del tiempo es un diario sin yo
  folk-music: música popular
  things: coplas; guitarras viejas; cantos de trilla; tambores; versos sueltos; bailes de boda
  places: en la plaza; en el patio; detrás de la taberna; en el segundo cilindro de cera; durante la siega
  facts: Una copla tiene cien versiones y ningún original; Las canciones cruzaron el océano sin papel; El baile se aprende con los pies; Nadie escribe las reglas de una ronda; La guitarra llegó antes que el maestro
  sleep: sueño
  things: siestas; despertadores; almohadas; turnos de noche; nanas; lámparas tenues
  places: antes de medianoche; en el laboratorio; junto a la ventana; en el turno de noche; a la hora de la siesta
  facts: Antes se dormía en dos partes; Los delfines duermen con medio cerebro; La luz de la mañana pone en hora el cuerpo; Una siesta corta aclara la cabeza; El café de la tarde dura hasta la noche
`,
);
