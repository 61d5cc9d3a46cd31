const list = (text: string): string[] => text.split(' | ');

/** Headlines of profiles: a craft, and a current project. */
export const CRAFTS = list(
  'Teacher | Librarian | Physicist | Nurse | Translator | Gardener | Engineer | Historian | Carpenter | Biologist | Poet | Archivist | Sailor | Statistician | Illustrator | Baker',
);
export const PURSUITS = list(
  'writing about what did not work | collecting slow stories | reading old field notes | counting birds on the way to work | learning one language a decade | drawing maps of small places | looking for the first draft | asking simple questions',
);
export const PLACES = list(
  'Lisbon | Nairobi | Kraków | Osaka | Valparaíso | Tromsø | Pune | Montréal | Accra | Leipzig | Hobart | Tbilisi | Chiang Mai | Bilbao | Tartu | Oaxaca',
);
export const INTERESTS = list(
  'astronomy | baking | birds | chess | cities | climate | cycling | education | folklore | gardens | history | linguistics | maps | medicine | music | philosophy | poetry | sailing | statistics | textiles',
);
export const LINK_TITLES = list('Website | Notebook | Reading list | Code | Papers | Photographs');
